#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "delivery/opencode/opencode_address.h"
#include "delivery/session/agent_session.h"
#include "net/http_client.h"

namespace townpost {

/// A session of an OpenCode server (or of Kilo, which speaks the same). Looks and prompts over one kept connection. A
/// prompt that the server takes (204) is `handed`: a server that has just started takes it before it stores it; the
/// message event, or shows(), is the proof.
class OpencodeSession final : public AgentSession {
 public:
  OpencodeSession(OpencodeAddress address, const Clock& clock, Millis timeout = std::chrono::seconds(10))
      : address_(std::move(address)), clock_(clock), timeout_(timeout) {}

  SessionLook look() override;
  std::optional<bool> shows(std::string_view id) override;
  Injected inject(const Injection& injection) override;

 private:
  /// What a prompt must repeat, as the server would fall back to its defaults.
  struct Info {
    std::string directory;  ///< the states of sessions are told per folder
    std::string agent;      ///< a session in "plan" would go on in "build", which may write
    Json model;
  };
  /// What a look found, and when.
  struct Seen {
    Info info;
    SessionLook look;
    Instant at;
  };
  /// What a prompt was sent as.
  struct Sent {
    std::vector<std::string> ids;
    std::string message;
    bool shown = false;
  };

  Result<HttpAnswer> get(const std::string& url);
  Result<Info> info();
  Result<Seen> see(Injection::At at);
  std::string last_agent();
  SessionLook state(const Info& info);
  std::optional<std::string> open_request(const Info& info);
  Injected prompt(const Info& info, const Injection& injection);
  Injected prompt_in_turn(const std::string& body, const Injection& injection);
  Injected taken(int status) const;
  std::string message_id(const std::vector<std::string>& ids);
  std::optional<bool> page_shows(std::string_view id, int limit);

  OpencodeAddress address_;
  const Clock& clock_;
  Millis timeout_;
  HttpClient client_;
  std::optional<Seen> seen_;
  std::optional<Sent> sent_;
};

/// Makes a session on a server, for the given folder (empty: the server's own), and answers its id.
Result<std::string> create_opencode_session(const std::string& server, std::string_view title,
                                            std::string_view directory = {});

/// Waits until a server that was just started answers. Error: timeout; refused if it wants another password.
Result<> wait_until_opencode_is_ready(const std::string& server, Millis longest);

}  // namespace townpost
