#include "ops/engine.h"

#include <gtest/gtest.h>

#include "ops/table.h"

namespace townpost {
namespace {

/// `nudge --wait`: sent, still waiting, delivered. Remembers which bells are listened to.
class Sending final : public Engine {
 public:
  Result<Answer> call(const Op& op, const Args&, Request&) override {
    Answer answer;
    if (op.name == "nudge") {
      answer.again = Again{.op = "nudge.wait", .args = {{"id", JsonArray{"hq-n-1a2b3c"}}}};
    } else if (!has_waited_) {
      answer.again = Again{.bells = {BellKey::registry()}};
    }
    return answer;
  }
  Result<> handed_over(Request&) override { return {}; }
  Result<std::unique_ptr<Pause>> pause(const Again& again, Request&) override {
    listened_to = again.bells;
    return std::unique_ptr<Pause>(std::make_unique<Listening>(*this));
  }

  std::vector<BellKey> listened_to;

 private:
  class Listening final : public Pause {
   public:
    explicit Listening(Sending& sending) : sending_(sending) {}
    using Pause::wait;
    bool wait(Instant, const std::vector<int>&) override { return sending_.has_waited_ = true; }

   private:
    Sending& sending_;
  };
  bool has_waited_ = false;
};

TEST(CallUntilAnswered, WaitsAtTheBellsOfTheOperationThatGoesOn) {
  Sending engine;
  Request request;
  const auto args = Args::check(ops::nudge().args, {{"target", "coder"}, {"body", "look"}});
  ASSERT_TRUE(args.has_value());
  const auto answer = call_until_answered(engine, ops::nudge(), *args, request);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(engine.listened_to.size(), 1u);
}

}  // namespace
}  // namespace townpost
