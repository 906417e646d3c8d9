#include <unistd.h>

#include "base/process_tree.h"
#include "base/text.h"
#include "support/await.h"
#include "tmux/lab.h"

namespace townpost {
namespace {

class RightPane : public TmuxLab {};

TEST_F(RightPane, IsGoneWithoutAServer) {
  EXPECT_TRUE(text(session("tmux:agent").look()).starts_with("gone: "));
  EXPECT_EQ(inject("tmux:agent", "x").outcome, Injected::Outcome::not_started);
  EXPECT_EQ(session("tmux:agent").shows("x"), std::nullopt);
}

TEST_F(RightPane, IsNeverFoundByAPrefixOrPatternOfItsName) {  // J035
  const auto pane = start_harness("agent-two");
  for (const auto* uri : {"tmux:agent", "tmux:agent-", "tmux:agent-tw", "tmux:agent*", "tmux:two", "tmux:Agent-two"}) {
    EXPECT_TRUE(text(session(uri).look()).starts_with("gone: ")) << uri;
    EXPECT_EQ(inject(uri, "deploy is red").outcome, Injected::Outcome::not_started) << uri;
  }
  EXPECT_EQ(prompts("agent-two"), Words{});
}

TEST_F(RightPane, IsFoundAmongSessionsWhoseNamesBeginAlike) {  // J035
  start_harness("agent-two");
  start_harness("agent");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
  EXPECT_EQ(prompts("agent-two"), Words{});
}

TEST_F(RightPane, IsGoneOnceItsProgramHasEnded) {
  tmux({"new-session", "-d", "-s", "keeper", "cat", ";", "set-option", "-g", "remain-on-exit", "on"});
  const auto pane = start("agent", {"sh", "-c", "echo last words"});
  await("the pane is dead", [&] { return tmux({"display-message", "-p", "-t", pane, "#{pane_dead}"}).front() == '1'; });
  EXPECT_EQ(text(session("tmux:agent").look()), cat("gone: the program in tmux pane ", pane, " has ended"));
  EXPECT_EQ(inject("tmux:agent", "x").outcome, Injected::Outcome::not_started);
}

TEST_F(RightPane, IsStillItselfByIdWhenTheSessionWasRenamed) {
  const auto pane = start_harness("agent");
  auto by_id = session("tmux:" + pane);
  auto by_name = session("tmux:agent");
  EXPECT_EQ(text(by_name.look()), "idle");
  tmux({"rename-session", "-t", "=agent", "other"});
  EXPECT_EQ(text(by_id.inject({.text = "by id", .ids = {}, .at = Injection::At::idle})), "shown");
  EXPECT_EQ(text(by_name.inject({.text = "by name", .ids = {}, .at = Injection::At::idle})),
            "not_started: there is no tmux session agent");
  EXPECT_EQ(prompts("agent"), Words{"by id"});
}

TEST_F(RightPane, IsFoundAgainWhenTheSessionIsStartedAnew) {
  start_harness("agent");
  auto by_name = session("tmux:agent");
  EXPECT_EQ(text(by_name.look()), "idle");
  tmux({"new-session", "-d", "-s", "keeper", "cat", ";", "kill-session", "-t", "=agent"});
  EXPECT_TRUE(text(by_name.look()).starts_with("gone: "));
  start_harness("agent");
  EXPECT_EQ(text(by_name.inject({.text = "again", .ids = {}, .at = Injection::At::idle})), "shown");
}

TEST_F(RightPane, IsGoneWhenTheAgentDoesNotRunThere) {
  const auto pane = start_harness("agent");
  place_.pid = ::getpid();
  for (const auto& uri : {std::string("tmux:agent"), "tmux:" + pane}) {
    EXPECT_EQ(text(session(uri).look()),
              cat("gone: tmux pane ", pane, " is another's: process ", *place_.pid, " does not run there"));
    EXPECT_EQ(inject(uri, "x").outcome, Injected::Outcome::not_started);
  }
  EXPECT_EQ(prompts("agent"), Words{});
}

TEST_F(RightPane, IsItsOwnAlsoWhereAShellStartedTheAgent) {
  const auto pane = start_harness("agent");
  tmux({"respawn-pane", "-k", "-t", pane, cat("sh -c 'sleep 600; echo over'")});
  await("the shell starts it", [&] { return !children_of(static_cast<int>(pid(pane))).empty(); });
  place_.pid = children_of(static_cast<int>(pid(pane))).front();
  EXPECT_EQ(text(session("tmux:" + pane, "raw").look()), "idle");
}

TEST_F(RightPane, IsTheOneWithThePidWhenTheSessionWasSplit) {
  const auto pane = start_harness("agent");
  place_.pid = static_cast<int>(pid(pane));
  tmux({"split-window", "-t", pane, "cat"});
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
}

TEST_F(RightPane, IsTheFirstOneWhenTheSessionWasSplitAndNoPidIsKnown) {
  const auto pane = start_harness("agent");
  tmux({"split-window", "-t", pane, "cat"});
  tmux({"new-window", "-t", "=agent:", "cat"});
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
}

TEST_F(RightPane, IsNotGuessedForARawSessionWithSeveral) {
  start("agent", {"cat"});
  tmux({"split-window", "-t", "=agent:", "cat"});
  EXPECT_EQ(text(session("tmux:agent", "raw").look()), "unknown: tmux session agent has several panes");
}

}  // namespace
}  // namespace townpost
