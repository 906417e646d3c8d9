#include "delivery/http/http_session.h"

#include "base/json.h"
#include "base/text.h"

namespace townpost {

SessionLook HttpSession::look() {
  switch (state_) {
    case AgentState::idle:
    case AgentState::waiting:
      return {SessionState::idle, "", ""};
    case AgentState::starting:
    case AgentState::running:
    case AgentState::draining:
      return {SessionState::busy, "", ""};
    case AgentState::blocked:
    case AgentState::stalled:
      return {SessionState::blocked, "its runner says so", ""};
    case AgentState::exited:
    case AgentState::dead:
      return {SessionState::gone, "its runner says that it has ended", ""};
    case AgentState::deaf:
    case AgentState::unknown:
      break;
  }
  return {SessionState::unknown, "", ""};  // its runner has not reported yet: it decides
}

Injected HttpSession::inject(const Injection& injection) {
  using Outcome = Injected::Outcome;
  JsonObject body;
  body["prompt"] = injection.text;
  HttpCall call{.method = "POST",
                .url = runner_.message_url(agent_),
                .body = to_line(body),
                .headers = {{"Content-Type", "application/json"}},
                .timeout = timeout_};
  // What is sent again after a lost answer has the same ids, so that the runner can know it.
  if (!injection.ids.empty()) call.headers.emplace_back("Idempotency-Key", join(injection.ids, "-"));
  const auto answer = client_.exchange(call);
  if (!answer) {
    const bool sent = answer.error().code == Code::timeout || answer.error().code == Code::refused;
    return {sent ? Outcome::failed : Outcome::not_started, answer.error().message};
  }
  const auto said = cat(runner_.url.origin(), " answered ", answer->status);
  if (answer->is_good()) return {Outcome::shown, said};
  // It took nothing; but one that fails at each attempt is not to be asked forever.
  const bool later = answer->status == 409 || answer->status == 429 || answer->status == 503;
  return {later ? Outcome::not_started : Outcome::failed, said};
}

}  // namespace townpost
