#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "bench/companion.h"
#include "bench/recording_proxy.h"
#include "net/http_client.h"

namespace townpost::bench {

/// The real OpenCode server with one session, with a model that says "ok" at once, behind a recording proxy. HOME and
/// everything else that it keeps is in a folder of its own, gone with this object.
class OpencodeStage {
 public:
  /// The agent works in `folder`.
  explicit OpencodeStage(const std::filesystem::path& folder);

  RecordingProxy& proxy() { return *proxy_; }
  const std::string& session() const { return session_; }
  /// Waits until the model has answered what was said since the last call, and the session is idle.
  void await_turn_end();

 private:
  Json ask(const std::string& path, const std::string& body = "");
  bool turn_has_ended();

  TemporaryFolder place_;
  std::optional<Companion> model_, server_;
  std::string url_;
  std::string session_;
  std::optional<RecordingProxy> proxy_;
  HttpClient client_;
  std::string last_answer_;
};

}  // namespace townpost::bench
