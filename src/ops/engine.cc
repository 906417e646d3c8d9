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
  LocalPause(const Again& again, const Request& request, std::shared_ptr<Call> call)
      : deadline_(request.deadline),
        cancellation_(request.cancellation),
        call_(std::move(call)),
        process_(again.process > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, again.process, 0)) : -1),
        listener_(call_->bell().listen(again.bells, again.ears)) {}

  using Pause::wait;
  bool wait(Instant until, const std::vector<int>& ends) override {
    if (deadline_ && *deadline_ < until) until = *deadline_;
    std::vector<int> also = ends;
    if (process_) also.push_back(process_.get());
    if (cancellation_ && cancellation_->fd() >= 0) also.push_back(cancellation_->fd());
    const Instant now = call_->clock().now();
    until = std::min(until, now + listener_->trusted());
    return until > now && !listener_->wait(also, until - now).nothing();
  }

 private:
  // The request itself may be busy with the next call, in another thread.
  const std::optional<Instant> deadline_;
  const std::shared_ptr<const Cancellation> cancellation_;
  std::shared_ptr<Call> call_;  ///< keeps the town open
  FileDescriptor process_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace

std::shared_ptr<Call> LocalEngine::begin(const Args& args, Request& request) {
  request.after_handover.clear();
  return request.call = std::make_shared<Call>(args, host_, request);
}

Result<Answer> LocalEngine::answer_with_store(const Op& op, Call& call) {
  TRY(answer, perform(op, call));
  answer.notices = call.notices();
  return std::move(answer);
}

Result<Answer> LocalEngine::call(const Op& op, const Args& args, Request& request) {
  const auto call = begin(args, request);
  auto quick = answer_without_store(op, *call);
  return quick ? Result<Answer>(std::move(*quick)) : answer_with_store(op, *call);
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
      continue;  // its own answer says which bells to wait at
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
