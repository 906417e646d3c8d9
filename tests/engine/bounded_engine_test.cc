#include "ops/bounded_engine.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

#include "base/clock.h"

namespace townpost {
namespace {

/// Each call says that it has begun, and goes on when it is let.
class SlowEngine final : public Engine {
 public:
  Result<Answer> call(const Op&, const Args&, Request&) override {
    begun.release();
    go_on.acquire();
    return Answer{};
  }
  Result<> handed_over(Request&) override { return {}; }
  Result<std::unique_ptr<Pause>> pause(const Again&, Request&) override { return fail(Code::refused, "never"); }
  std::counting_semaphore<> begun{0};
  std::counting_semaphore<> go_on{0};
};

class BoundedEngineTest : public ::testing::Test {
 protected:
  Result<Answer> call(Request& request) { return engine_.call(*find_op("whoami"), Args(), request); }
  SlowEngine slow_;
  SystemClock clock_;
  BoundedEngine engine_{slow_, clock_, {.running = 1, .waiting = 1}};
};

TEST_F(BoundedEngineTest, WhoeverComesWhenItIsFullIsToldToComeAgain) {
  auto served = [&] {
    Request request;
    EXPECT_TRUE(call(request).has_value());
  };
  std::thread first(served);
  slow_.begun.acquire();
  const auto cancellation = std::make_shared<Cancellation>();
  std::thread second([&] {
    Request request;
    request.cancellation = cancellation;
    EXPECT_EQ(call(request).error().code, Code::timeout) << "it left before its turn";
  });
  // The second takes the only place to wait; until it has, this one may get it, so it leaves at once.
  Code refused = Code::timeout;
  while (refused == Code::timeout) {
    Request request;
    request.deadline = clock_.now();
    refused = call(request).error().code;
  }
  EXPECT_EQ(refused, Code::unavailable);
  cancellation->cancel();
  second.join();
  slow_.go_on.release();
  first.join();
  std::thread third(served);
  slow_.begun.acquire();
  slow_.go_on.release();
  third.join();
}

}  // namespace
}  // namespace townpost
