#include "delivery/tmux/tmux.h"

#include "tmux/lab.h"

namespace townpost {
namespace {

class TmuxProgram : public TmuxLab {
 protected:
  Tmux program() { return Tmux(processes_, random_, {.socket_path = socket().string(), .socket_name = ""}); }
};

TEST_F(TmuxProgram, WithoutAServerHasNoSessionsAndNoPanes) {
  EXPECT_EQ(program().sessions().value(), Words{});
  EXPECT_TRUE(program().panes().value().empty());
  EXPECT_EQ(program().pane({.pane = "%0", .session = ""}).error().code, Code::not_found);
}

TEST_F(TmuxProgram, ListsSessionsAndPanes) {
  const auto first = start("one", {"cat"});
  const auto second = start("two words é", {"cat"});
  EXPECT_EQ(program().sessions().value(), (Words{"one", "two words é"}));
  const auto panes = program().panes().value();
  ASSERT_EQ(panes.size(), 2u);
  EXPECT_EQ(panes[1].id, second);
  EXPECT_EQ(panes[1].session, "two words é");
  EXPECT_EQ(panes[1].pid, pid(second));
}

TEST_F(TmuxProgram, KnowsAPaneByNameAndById) {
  const auto pane = start("one", {"sh", "-c", "echo ready; exec cat"});
  wait_for(pane, "ready");
  for (const auto* uri : {"tmux:one", "tmux:%0"}) {
    const auto found = program().pane(TmuxTarget::parse(uri).value()).value();
    EXPECT_EQ(found.id, pane);
    EXPECT_EQ(found.session, "one");
    EXPECT_TRUE(found.command == "cat" || found.command == "sh") << found.command;
    EXPECT_EQ(found.socket, socket().string());
    EXPECT_EQ(found.pid, pid(pane));
    EXPECT_EQ(found.width, 100);
    EXPECT_EQ(found.height, 30);
    EXPECT_FALSE(found.dead);
    EXPECT_FALSE(found.in_mode);
    EXPECT_TRUE(found.alone);
  }
}

TEST_F(TmuxProgram, TakesAsManyLooksAsAskedFor) {
  const auto pane = start("one", {"sh", "-c", "printf '\\033[2mdim\\033[0m ❯'; cat"});
  wait_for(pane, "❯");
  const auto view =
      program().view({.pane = pane, .session = ""}, {.count = 3, .apart = Millis(1), .history = 0}).value();
  ASSERT_EQ(view.captures.size(), 3u);
  for (const auto& capture : view.captures) EXPECT_TRUE(capture.starts_with("\x1b[2mdim\x1b[0m")) << capture;
}

TEST_F(TmuxProgram, IsStartedOnceForALookAndOnceForTyping) {
  class Counting final : public Processes {
   public:
    Result<ProcessOutput> run(const ProcessCall& call) override {
      ++runs;
      return SystemProcesses().run(call);
    }
    int runs = 0;
  } counting;
  const auto pane = start("one", {"cat"});
  Tmux program(counting, random_, {.socket_path = socket().string(), .socket_name = ""});
  ASSERT_TRUE(program.view({.pane = pane, .session = ""}, {.count = 2, .apart = Millis(10), .history = 0}));
  EXPECT_EQ(counting.runs, 1);
  const auto shown =
      program.type(pane, {.text = "hello", .settle = Millis(10), .keys = {"Enter"}, .look_after = Millis(300)});
  EXPECT_EQ(counting.runs, 2);
  EXPECT_TRUE(shown.value().starts_with("hello\nhello\n")) << shown.value();
}

TEST(TmuxTarget, IsASessionsNameOrAPanesId) {
  EXPECT_EQ(TmuxTarget::parse("tmux:gt-alpha").value(), (TmuxTarget{.pane = "", .session = "gt-alpha"}));
  EXPECT_EQ(TmuxTarget::parse("tmux:%5").value(), (TmuxTarget{.pane = "%5", .session = ""}));
  for (const auto* uri : {"", "tmux:", "tmux:%", "tmux:%5x", "tmux:a:b", "tmux:a.b", "http:x", "gt-alpha", "tmux:a\nb"})
    EXPECT_EQ(TmuxTarget::parse(uri).error().code, Code::usage) << uri;
}

}  // namespace
}  // namespace townpost
