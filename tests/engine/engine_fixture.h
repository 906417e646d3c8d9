#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "app/libpq_door.h"
#include "app/local_host.h"
#include "base/files.h"
#include "engine/wire_engine.h"
#include "support/shared_postgres.h"

namespace townpost {

enum class Kept { sqlite, postgres };

/// A town on one of the stores, opened once, and an engine that many threads call, through bytes as over a socket.
class EngineTest : public ::testing::TestWithParam<Kept> {
 protected:
  EngineTest() {
    if (GetParam() == Kept::postgres) url_ = SharedPostgres::make_schema();
    Request request = by("overseer");
    const auto made = host_.make_town({.folder = folder_.path(), .name = "test", .store = url_}, request);
    EXPECT_TRUE(made.has_value()) << made.error().message;
  }
  ~EngineTest() override {
    if (!url_.empty()) SharedPostgres::drop_schema(url_);
  }

  /// A request of somebody at a terminal who says who they are.
  Request by(const std::string& who) {
    Request request;
    request.origin.from = From::this_process;
    request.origin.town = folder_.path().string();
    request.origin.environment = &environment_;
    request.origin.identity.flag = who;
    request.origin.identity.terminal = Terminal::attended;
    request.origin.process = who + ".1@here";
    request.started_at = host_.clock().now();
    request.input = [] { return Result<std::string>(""); };
    request.tell = [](std::string_view) {};
    return request;
  }
  static Args checked(const Op& op, const JsonObject& given) {
    auto args = Args::check(op.args, given);
    EXPECT_TRUE(args.has_value()) << op.name << ": " << args.error().message;
    return *args;
  }
  Result<Answer> call(Engine& engine, std::string_view name, const JsonObject& args, Request& request) {
    const Op& op = *find_op(name);
    auto answer = call_until_answered(engine, op, checked(op, args), request);
    if (answer) {
      EXPECT_TRUE(engine.handed_over(request).has_value());
    }
    return answer;
  }
  Result<Answer> call(std::string_view name, const JsonObject& args, const std::string& who) {
    Request request = by(who);
    return call(engine_, name, args, request);
  }
  Json answer(std::string_view name, const JsonObject& args, const std::string& who) {
    auto got = call(name, args, who);
    EXPECT_TRUE(got.has_value()) << name << " by " << who << ": " << got.error().message;
    return got ? got->json : Json();
  }
  void add_agent(const std::string& name) { answer("agent.add", {{"address", name}}, "overseer"); }

  TemporaryFolder folder_ = *TemporaryFolder::make("townpost-engine");
  FixedEnvironment environment_{{{"HOME", folder_.path().string()}}, folder_.path()};
  std::string url_;
  StandardInput input_;
  LibpqDoor postgres_;
  const Program program_{.input = input_, .postgres = postgres_, .called = "gt"};
  LocalHost host_{program_, Serves::many};
  LocalEngine local_{host_};
  WireEngine engine_{local_};
};

}  // namespace townpost
