#include <future>

#include "tmux/attached_client.h"
#include "tmux/lab.h"

namespace townpost {
namespace {

/// Where people look at an agent's session.
class Clients : public TmuxLab {
 protected:
  Clients() { waits_.hands_off_s = 3600; }  // a test may be slow; a person's pause would be a short one
};

TEST_F(Clients, WhoUsedTheKeyboardJustNowIsLeftAlone) {
  start_harness("agent");
  const AttachedClient person(socket(), "agent");
  EXPECT_EQ(text(session("tmux:agent").look()), "typing: somebody used the keyboard just now");
  for (const auto at : {Injection::At::idle, Injection::At::any})
    EXPECT_EQ(text(inject("tmux:agent", "x", at)), "not_started: somebody used the keyboard just now");
  EXPECT_EQ(prompts("agent"), Words{});
}

TEST_F(Clients, WhoOnlyLooksIsNoHindrance) {
  start_harness("agent");
  const AttachedClient person(socket(), "agent");
  waits_.hands_off_s = 0;
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
}

TEST_F(Clients, WhoBeginsToTypeAtTheSameMomentKeepsTheirWords) {
  const auto pane = start_harness("agent", {"garbles"});
  AttachedClient person(socket(), "agent");
  waits_.hands_off_s = 3;
  waits_.settle = std::chrono::seconds(1);
  auto agent = session("tmux:agent");
  while (agent.look().state == SessionState::typing) waits_.sleep(Millis(50));
  auto injected = std::async(std::launch::async, [&] { return inject("tmux:agent", "deploy is red"); });
  wait_for(pane, std::string(13, '#'));
  person.type("x");
  EXPECT_EQ(text(injected.get()), "failed: a person began to type at the same moment; nothing was submitted");
  wait_for(pane, std::string(14, '#'));
  EXPECT_EQ(prompts("agent"), Words{});
}

TEST_F(Clients, WhoTypesElsewhereIsNoHindrance) {
  start_harness("agent");
  tmux({"new-window", "-t", "=agent:", "cat"});
  place_.pid = static_cast<int>(pid("=agent:0.0"));
  const AttachedClient person(socket(), "agent");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
}

TEST_F(Clients, WhoTypesIntoAllPanesAtOnceIsLeftAlone) {
  const auto pane = start_harness("agent");
  tmux({"split-window", "-t", pane, "cat"});
  tmux({"set-option", "-w", "-t", pane, "synchronize-panes", "on"});
  const AttachedClient person(socket(), "agent");
  EXPECT_EQ(text(inject("tmux:" + pane, "x")), "not_started: somebody used the keyboard just now");
}

TEST_F(Clients, AreToldInTheirStatusLine) {
  start_harness("agent");
  AttachedClient person(socket(), "agent");
  session("tmux:agent").tell_people("-2 nudges wait for your draft: 100% #{pid} #1;");
  EXPECT_TRUE(person.comes_to_see("-2 nudges wait for your draft: 100% #{pid} #1;"));
}

TEST_F(Clients, NeedNotBeThereToBeTold) {
  start_harness("agent");
  auto agent = session("tmux:agent");
  agent.tell_people("hello");
  EXPECT_EQ(text(agent.look()), "idle");
}

}  // namespace
}  // namespace townpost
