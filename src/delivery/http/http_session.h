#pragma once
#include <memory>

#include "delivery/http/http_runner.h"
#include "delivery/session/agent_session.h"
#include "net/http_client.h"
#include "post/values/presence.h"

namespace townpost {

/// An agent that a service runs. The service says how it is (`agent.report`), and takes text for it; an answer of 2xx
/// is the evidence. What was sent and not answered may have arrived: it is sent again under the same id.
class HttpSession final : public AgentSession {
 public:
  /// `dialer`: how the service is reached.
  HttpSession(HttpRunner runner, Address agent, const Presence& presence, std::unique_ptr<Dialer> dialer,
              Millis timeout = std::chrono::seconds(10))
      : runner_(std::move(runner)),
        agent_(std::move(agent)),
        state_(presence.state),
        dialer_(std::move(dialer)),
        client_(*dialer_),
        timeout_(timeout) {}

  SessionLook look() override;
  std::optional<bool> shows(std::string_view) override { return std::nullopt; }
  Injected inject(const Injection& injection) override;

 private:
  const HttpRunner runner_;
  const Address agent_;
  const AgentState state_;
  std::unique_ptr<Dialer> dialer_;
  HttpClient client_;
  const Millis timeout_;
};

}  // namespace townpost
