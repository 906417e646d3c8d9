#include "ops/engine.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "ops/gate.h"

namespace townpost {

namespace {

/// Waits at the bells of an open town, for the end of a process, and for being cancelled.
class LocalPause final : public Engine::Pause {
 public:
  LocalPause(const Again& again, Request& request, std::shared_ptr<Call> call)
      : request_(request),
        call_(std::move(call)),
        process_(again.process > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, again.process, 0)) : -1),
        listener_(call_->bell().listen(again.bells, again.ears)) {}

  using Pause::wait;
  bool wait(Instant until, const std::vector<int>& ends) override {
    if (request_.deadline && *request_.deadline < until) until = *request_.deadline;
    std::vector<int> also = ends;
    if (process_) also.push_back(process_.get());
    if (request_.cancellation && request_.cancellation->fd() >= 0) also.push_back(request_.cancellation->fd());
    const Instant now = call_->clock().now();
    until = std::min(until, now + listener_->trusted());
    return until > now && !listener_->wait(also, until - now).nothing();
  }

 private:
  Request& request_;
  std::shared_ptr<Call> call_;  ///< keeps the town open
  FileDescriptor process_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace

Result<Answer> LocalEngine::call(const Op& op, const Args& args, Request& request) {
  request.after_handover.clear();
  const auto call = std::make_shared<Call>(args, host_, request);
  request.call = call;
  TRY(answer, perform(op, *call));
  answer.notices = call->notices();
  return std::move(answer);
}

Result<> LocalEngine::handed_over(Request& request) {
  const auto work = std::move(request.after_handover);
  request.after_handover.clear();
  for (const auto& one : work) TRY_VOID(one());
  return {};
}

Result<std::unique_ptr<Engine::Pause>> LocalEngine::pause(const Again& again, Request& request) {
  CHECK(request.call);
  return std::unique_ptr<Pause>(std::make_unique<LocalPause>(again, request, request.call));
}

Result<Answer> call_until_answered(Engine& engine, const Op& op, const Args& args, Request& request) {
  const Op* asked = &op;
  Args with = args;
  std::unique_ptr<Engine::Pause> pause;
  std::vector<std::string> warnings;
  while (true) {
    TRY(answer, engine.call(*asked, with, request));
    for (auto& warning : answer.warnings)  // each look says them again
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
        warnings.push_back(std::move(warning));
    if (!answer.again || answer.again->what != Again::For::an_answer) {
      answer.warnings = std::move(warnings);
      return std::move(answer);
    }
    const auto& again = *answer.again;
    if (!again.op.empty()) {
      asked = find_op(again.op);
      CHECK(asked);
      TRY(checked, Args::check(asked->args, again.args));
      with = checked;
      pause.reset();
    }
    if (pause) {
      pause->wait(again.at);
      if (request.is_cancelled()) return fail(Code::timeout, "the caller no longer waits for this");
      continue;
    }
    // What rang before anybody listened was not heard: look once more before the first sleep.
    TRY(listening, engine.pause(again, request));
    pause = std::move(listening);
  }
}

}  // namespace townpost
