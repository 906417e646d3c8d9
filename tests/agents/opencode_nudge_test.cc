#include <gtest/gtest.h>

#include <fstream>

#include "agents/nudged.h"

namespace townpost {
namespace {

using Ids = std::vector<std::string>;

/// The agent `coder` is a session of a real OpenCode server, which somebody else started.
class OpencodeNudge : public ::testing::Test {
 protected:
  OpencodeNudge() : coder_(stage_) { start_server(); }

  void start_server() {
    const auto log = cat("opencode ", ++starts_);
    stage_.start({"sh", "-c", R"(echo $$ >"$0"; exec "$@")", pid_file(), stage_.opencode(), "serve", "--port", "4096",
                  "--hostname", "127.0.0.1"},
                 log);
    // Whoever asks before it says so may wait for ever.
    stage_.await("opencode listens", [&] { return stage_.log(log).find("listening on") != std::string::npos; });
    if (!session_.empty()) return;
    session_ = text_at(asked("/session", R"({"title":"test"})"), "id");
    coder_.gt({"agent", "add", "coder", "--session", cat("opencode:", kServer, "#", session_)});
  }
  void kill_server() {
    const auto gone =
        stage_.run({"sh", "-c", R"(pid=$(cat "$0"); kill -9 $pid; while kill -0 $pid 2>/dev/null; do sleep 0.05; done)",
                    pid_file()});
    ASSERT_EQ(gone.exit_code, 0) << gone.err;
  }
  Json asked(const std::string& path, const std::string& body = "") {
    const auto answer = stage_.http(cat(kServer, path), body);
    return answer.empty() ? Json() : parse_json(answer).value();
  }
  void prompt(const std::string& text) {
    asked(cat("/session/", session_, "/prompt_async"),
          cat(R"({"parts":[{"type":"text","text":)", to_line(Json(text)), "}]}"));
  }
  /// Gives it work that lasts until open_gate(): a turn with a tool that waits.
  void begin_long_work() {
    const auto wait = cat("while [ ! -e ", gate(), " ]; do sleep 0.05; done; echo gate-is-open");
    stage_.rules(to_line(JsonArray{
        JsonObject{
            {"when", "long work"},
            {"once", true},
            {"tool", JsonObject{{"name", "bash"}, {"input", JsonObject{{"command", wait}, {"description", "waits"}}}}}},
        JsonObject{{"when", "gate-is-open"}, {"text", "long work is done"}}}));
    prompt("begin the long work");
    stage_.await_told("begin the long work");
    stage_.await("it works", [&] { return !value_at(asked("/session/status"), session_).is_null(); });
  }
  void open_gate() { std::ofstream(gate()) << "open\n"; }
  std::string gate() const { return (stage_.town().folder() / "gate").string(); }
  bool server_has(const std::string& id) {
    return to_line(asked(cat("/session/", session_, "/message"))).find(id) != std::string::npos;
  }
  void watch() { coder_.gt({"up", "--detach"}); }

  static constexpr const char* kServer = "http://127.0.0.1:4096";
  AgentStage stage_;
  Nudged coder_;
  std::string session_;

 private:
  std::string pid_file() const { return (stage_.home() / "opencode.pid").string(); }
  int starts_ = 0;
};

TEST_F(OpencodeNudge, IsToldOfMailThoughNobodyWatches) {
  coder_.gt({"mail", "send", "coder", "-s", "a letter for you", "-m", "its body"});
  stage_.await_told("a letter for you");
  stage_.await("the turn ends", [&] { return value_at(asked("/session/status"), session_).is_null(); });
  EXPECT_EQ(stage_.times_told("a letter for you"), 1);
  EXPECT_EQ(stage_.times_told("its body"), 0) << "mail is announced by its subject";
}

TEST_F(OpencodeNudge, BeginsATurnOfAnIdleAgent) {
  const auto sent = coder_.nudge("the build is red", {"--wait=60s"});
  EXPECT_EQ(sent.state, "delivered");
  stage_.await_told(sent.id);
  EXPECT_EQ(stage_.times_told("the build is red"), 1);
  stage_.await("the turn ends", [&] { return value_at(asked("/session/status"), session_).is_null(); });
  EXPECT_EQ(coder_.told_in_order({sent.id}), Ids{sent.id});
}

TEST_F(OpencodeNudge, WaitsForTheEndOfATurn) {
  watch();
  begin_long_work();
  const auto sent = coder_.nudge("when you have a moment");
  EXPECT_EQ(sent.state, "queued");
  EXPECT_NE(sent.note.find("a turn is running"), std::string::npos) << sent.note;
  coder_.await_state("running");
  EXPECT_FALSE(server_has(sent.id)) << "nothing was said to it while it works";
  open_gate();
  coder_.await_delivered(sent.id);
  stage_.await_told(sent.id);
  EXPECT_NE(stage_.requests().back().all.find("long work is done"), std::string::npos) << "a turn of its own, after it";
  EXPECT_EQ(coder_.told_in_order({sent.id}), Ids{sent.id});
}

TEST_F(OpencodeNudge, DoesNotWaitIfItIsImmediate) {
  begin_long_work();
  const auto sent = coder_.nudge("stop at once", {"--now"});
  EXPECT_EQ(sent.state, "delivered");
  EXPECT_TRUE(server_has(sent.id)) << "while the tool still runs";
  open_gate();
  stage_.await_told(sent.id);
  const auto request = stage_.requests().back();
  EXPECT_NE(request.text.find("gate-is-open"), std::string::npos) << "between two tools of the same turn";
  EXPECT_EQ(coder_.told_in_order({sent.id}), Ids{sent.id});
}

TEST_F(OpencodeNudge, IsKeptWhileTheServerIsGoneAndArrivesWhenItIsBack) {
  watch();
  coder_.nudge("are you there?", {"--wait=60s"});
  stage_.await("the turn ends", [&] { return value_at(asked("/session/status"), session_).is_null(); });
  kill_server();
  const auto sent = coder_.nudge("the build is red");
  EXPECT_EQ(sent.state, "queued");
  EXPECT_NE(sent.note.find("not there"), std::string::npos) << sent.note;
  coder_.await_state("exited");
  start_server();
  coder_.await_delivered(sent.id);
  stage_.await_told(sent.id);
  EXPECT_NE(stage_.requests().back().all.find("are you there?"), std::string::npos) << "the same conversation";
  EXPECT_EQ(coder_.told_in_order({sent.id}), Ids{sent.id});
}

TEST_F(OpencodeNudge, ArrivesInOrderAndOnceIfSeveralComeTogether) {
  watch();
  const auto sent =
      stage_.run({"sh", "-c", "for word in one two three; do gt nudge coder \"number $word\" >/dev/null & done; wait"});
  ASSERT_EQ(sent.exit_code, 0) << sent.err;
  auto ids = texts_in(coder_.gt({"nudge", "list", "--agent", "coder"}), "id");
  std::reverse(ids.begin(), ids.end());  // the list begins with the newest
  ASSERT_EQ(ids.size(), 3U);
  for (const auto& id : ids) {
    coder_.await_delivered(id);
    stage_.await_told(id);
  }
  stage_.await("the turn ends", [&] { return value_at(asked("/session/status"), session_).is_null(); });
  EXPECT_EQ(coder_.told_in_order(ids), ids);
}

TEST_F(OpencodeNudge, LeavesAPermissionRequestToAPerson) {
  std::ofstream(stage_.town().folder() / "opencode.json") << R"({"permission":{"bash":"ask"}})";
  kill_server();
  start_server();
  watch();
  stage_.rules(R"([{"when":"ring the bell","once":true,
                    "tool":{"name":"bash","input":{"command":"echo the bell rang","description":"rings"}}}])");
  prompt("ring the bell");
  stage_.await("it asks for permission", [&] { return items_of(asked("/permission")).size() == 1; });
  coder_.await_state("blocked");

  const auto sent = coder_.nudge("hurry up", {"--now"});
  EXPECT_EQ(sent.state, "queued");
  EXPECT_NE(sent.note.find("blocked"), std::string::npos) << sent.note;
  EXPECT_NE(text_at(coder_.entry(), "detail").find("permission"), std::string::npos) << to_line(coder_.entry());
  EXPECT_EQ(text_at(items_of(value_at(coder_.gt({"status"}), "agents")).at(0), "address"), "coder")
      << "who needs a person comes first";
  EXPECT_NE(coder_.in_the_way(sent.id).find("blocked"), std::string::npos) << coder_.in_the_way(sent.id);
  const auto open = items_of(asked("/permission"));
  ASSERT_EQ(open.size(), 1U) << "nobody answered it";
  EXPECT_FALSE(server_has(sent.id));

  asked(cat("/permission/", text_at(open[0], "id"), "/reply"), R"({"reply":"once"})");
  coder_.await_delivered(sent.id);
  stage_.await_told(sent.id);
  EXPECT_EQ(stage_.times_told("the bell rang"), 1);
  EXPECT_EQ(coder_.told_in_order({sent.id}), Ids{sent.id});
}

}  // namespace
}  // namespace townpost
