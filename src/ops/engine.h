#pragma once
#include <memory>
#include <vector>

#include "ops/answer.h"
#include "ops/args.h"
#include "ops/op.h"
#include "ops/request.h"

namespace townpost {

/// Runs operations: in this process, in the town's server, or in that of a town on another machine. Callers see no
/// difference but speed. Each request is used by one thread at a time.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Runs the operation once. What the answer's `again` says is the caller's to do.
  virtual Result<Answer> call(const Op& op, const Args& args, Request& request) = 0;
  /// The caller has the answer of this request: now what was to follow that is done.
  virtual Result<> handed_over(Request& request) = 0;
  /// Sleeps until it is time to ask again. Rings since it was made count. For one thread.
  class Pause {
   public:
    virtual ~Pause() = default;
    void wait(Instant until) { (void)wait(until, {}); }
    /// The same, also until one of these descriptors is readable. Whether something rang.
    virtual bool wait(Instant until, const std::vector<int>& ends) = 0;
  };
  virtual Result<std::unique_ptr<Pause>> pause(const Again& again, Request& request) = 0;
};

/// Runs the operation until it has an answer: the one loop that blocks.
Result<Answer> call_until_answered(Engine& engine, const Op& op, const Args& args, Request& request);

/// Runs operations in this process. For many threads.
class LocalEngine final : public Engine {
 public:
  explicit LocalEngine(Host& host) : host_(host) {}
  Result<Answer> call(const Op& op, const Args& args, Request& request) override;
  // The same in steps, for whoever may have it done elsewhere: the row is asked first what it answers without a store.
  std::shared_ptr<Call> begin(const Args& args, Request& request);
  Result<Answer> answer_with_store(const Op& op, Call& call);
  Result<> handed_over(Request& request) override;
  Result<std::unique_ptr<Pause>> pause(const Again& again, Request& request) override;

 private:
  Host& host_;
};

}  // namespace townpost
