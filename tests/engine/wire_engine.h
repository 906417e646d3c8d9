#pragma once
#include <gtest/gtest.h>

#include "ops/engine.h"
#include "ops/wire.h"

namespace townpost {

/// Another engine, reached as by a socket: every call, and what comes of it, is bytes on the way. Where a call comes
/// from goes beside it, as the kernel would say it.
class WireEngine final : public Engine {
 public:
  explicit WireEngine(Engine& there) : there_(there) {}

  Result<Answer> call(const Op& op, const Args& args, Request& request) override {
    const auto sent = wire::call_text(op, args, request);
    request.kept.clear();  // the other side has its own memory, and only ours stays from one call to the next
    const auto reply = served(sent, request);
    return wire::read_reply(reply, request.kept);
  }
  Result<> handed_over(Request& request) override { return there_.handed_over(request); }
  Result<std::unique_ptr<Pause>> pause(const Again& again, Request& request) override {
    return there_.pause(again, request);
  }

 private:
  std::string served(const std::string& sent, Request& request) {
    const auto call = wire::read_call(sent);
    EXPECT_TRUE(call.has_value()) << sent << ": " << call.error().message;
    if (!call) return wire::reply_text(fail(call.error()));
    request.haste = call->haste;
    request.started_at = call->started_at;
    request.deadline = call->deadline;
    request.kept = call->kept;
    const auto args = Args::check(call->op->args, call->args);
    EXPECT_TRUE(args.has_value()) << sent << ": " << args.error().message;
    if (!args) return wire::reply_text(fail(args.error()));
    const auto reply = there_.call(*call->op, *args, request);
    auto text = wire::reply_text(reply, request.kept);
    wire::Kept kept;
    const auto arrived = wire::read_reply(text, kept);
    EXPECT_EQ(kept, request.kept) << text;
    request.kept.clear();
    EXPECT_EQ(arrived.has_value(), reply.has_value()) << text;
    if (!reply && !arrived) {
      EXPECT_EQ(arrived.error(), reply.error()) << text;
    }
    if (reply && arrived) {
      EXPECT_EQ(arrived->json, reply->json) << text;
    }
    EXPECT_EQ(wire::reply_text(arrived, kept), text) << "something is lost on the way";
    return text;
  }

  Engine& there_;
};

}  // namespace townpost
