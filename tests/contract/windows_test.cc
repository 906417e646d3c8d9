// Several sessions of one agent at once: windows that a person opened, and sessions that run inside another one.
#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/child.h"
#include "contract/delivery_fixture.h"
#include "delivery/claude/claude_hook.h"
#include "delivery/claude/waiter.h"
#include "post/nudge/cares.h"
#include "post/town/presences.h"
#include "support/await.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// A program that a person started, with the hooks of Claude Code.
class Window {
 public:
  explicit Window(std::string session) : session_(std::move(session)), child_(must(Child::start(kProgram))) {
    here_.host = host_name();
    here_.pid = child_.pid();
    here_.process = process_name(child_.pid());
  }
  ~Window() { end(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  const std::string& session() const { return session_; }
  ClaudeSurroundings& here() { return here_; }
  ClaudeEvent event(const std::string& name, const std::string& source = "") const {
    return {.name = name, .session = session_, .source = source};
  }
  void becomes(const std::string& session) { session_ = session; }
  /// Nobody hears of it.
  void end() {
    if (child_.exit_code()) return;
    child_.signal(SIGKILL);
    await("it ends", [this] { return child_.exit_code().has_value(); });
  }

 private:
  static inline const ChildPlan kProgram{.command = {"sleep", "600"}};
  std::string session_;
  Child child_;
  ClaudeSurroundings here_;
};

class WindowsTest : public DeliveryTest {
 protected:
  /// What the hook printed for the model; an empty text if nothing.
  std::string says(Window& window, const std::string& name, const std::string& source = "") {
    const auto nux = agent_of("nux");
    ClaudeHook hook(town(), nux, window.here());
    const auto event = window.event(name, source);
    const auto outcome = must(hook.handle(event));
    must(hook.printed(event, outcome.parcel));
    return outcome.print;
  }
  void opens(Window& window) {
    clock().advance(seconds(1));
    says(window, "SessionStart", "startup");
  }
  /// A session that `outer` started by a tool.
  static void runs_in(Window& inner, Window& outer) { inner.here().beyond = {outer.here().pid}; }
  using Stage = ClaudeWaiter::Stage;
  ClaudeWaiter::Look look(Window& window, const std::string& process, Stage stage = Stage::begins) {
    machine().process = process;
    machine().running.insert(process);
    const auto nux = agent_of("nux");
    return must(ClaudeWaiter(town(), nux, window.here()).look(window.event("Stop"), clock().now(), stage));
  }
  /// A waiter that looks once and, if it found something, wakes its session.
  std::string waiter_says(Window& window, const std::string& event = "SessionStart", const std::string& source = "") {
    const auto own = cat("2.2-this-boot@", host_name());
    machine().running.insert(own);
    const auto process = std::exchange(machine().process, own);
    const auto nux = agent_of("nux");
    ClaudeWaiter waiter(town(), nux, window.here());
    const auto found = must(waiter.look(window.event(event, source), clock().now(), Stage::begins));
    must(waiter.printed(found.parcel));
    machine().process = process;
    return found.parcel.text;
  }
  Cares::AgentStatus status() {
    for (auto& one : must(Cares(town()).status()).agents)
      if (one.agent.id == id_of("nux")) return one;
    throw std::runtime_error("nux is not listed");
  }
  std::string receiving() { return status().presence ? status().presence->incarnation : ""; }
  Strings listed() {
    Strings out;
    for (const auto& one : status().others) out.push_back(one.incarnation);
    return out;
  }
};
ON_EVERY_STORE(WindowsTest);

TEST_P(WindowsTest, OfOneAgentAreListedAndTheNewestReceives) {
  Window older("s1"), newer("s2");
  opens(older);
  EXPECT_EQ(listed(), Strings());
  opens(newer);
  EXPECT_EQ(receiving(), "s2");
  EXPECT_EQ(listed(), Strings{"s1"});
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_EQ(says(older, "Stop"), "") << "it is not its own";
  EXPECT_EQ(state(sent), NudgeState::queued);
  EXPECT_NE(says(newer, "Stop").find("hello"), std::string::npos);
  EXPECT_EQ(receiving(), "s2");
}

TEST_P(WindowsTest, TellWhatEachOfThemDoes) {
  Window older("s1"), newer("s2");
  opens(older);
  opens(newer);
  says(older, "UserPromptSubmit");
  EXPECT_EQ(status().presence->state, AgentState::idle);
  EXPECT_EQ(status().others.at(0).state, AgentState::running);
}

TEST_P(WindowsTest, ThatEndsLeavesTheAgentToTheOlderOne) {
  Window older("s1"), newer("s2");
  opens(older);
  opens(newer);
  says(newer, "SessionEnd");
  EXPECT_EQ(receiving(), "s1");
  EXPECT_EQ(status().presence->state, AgentState::idle);
  EXPECT_EQ(listed(), Strings());
  nudge("overseer", "nux", "hello");
  EXPECT_NE(says(older, "Stop").find("hello"), std::string::npos);
}

TEST_P(WindowsTest, ThatIsKilledLeavesTheAgentToTheOlderOne) {
  Window older("s1"), newer("s2");
  opens(older);
  opens(newer);
  newer.end();
  EXPECT_EQ(receiving(), "s1") << "whoever asks is told, though nobody has noted it";
  nudge("overseer", "nux", "hello");
  EXPECT_NE(says(older, "Stop").find("hello"), std::string::npos);
  EXPECT_EQ(PresenceFiles(town().folder).read(id_of("nux"))->incarnation, "s1");
}

TEST_P(WindowsTest, ThatIsKilledIsSeenByWhoeverWatches) {
  Window older("s1"), newer("s2");
  opens(older);
  opens(newer);
  newer.end();
  starter().ended = {newer.here().pid};
  must(Dispatcher(town(), doors(), starter(), host_name()).round());
  EXPECT_EQ(PresenceFiles(town().folder).read(id_of("nux"))->incarnation, "s1");
}

TEST_P(WindowsTest, AreEachWaitedBesideAndTheOlderIsWokenOnceItReceives) {
  Window older("s1"), newer("s2");
  opens(older);
  EXPECT_EQ(look(older, "waiter 1").stage, Stage::ours);
  opens(newer);
  EXPECT_EQ(look(newer, "waiter 2").stage, Stage::ours);
  nudge("overseer", "nux", "hello");
  const auto beside = look(older, "waiter 1", Stage::ours);
  EXPECT_FALSE(beside.over) << "its session lives";
  EXPECT_TRUE(beside.parcel.empty());
  newer.end();
  const auto woken = look(older, "waiter 1", Stage::ours);
  EXPECT_NE(woken.parcel.text.find("hello"), std::string::npos);
}

TEST_P(WindowsTest, ThatDiedIsNotWaitedBeside) {
  Window window("s1");
  opens(window);
  const auto sent = nudge("overseer", "nux", "hello");
  window.end();
  const auto orphan = look(window, "waiter 1");
  EXPECT_TRUE(orphan.over);
  EXPECT_TRUE(orphan.parcel.empty());
  EXPECT_EQ(state(sent), NudgeState::queued);
  EXPECT_EQ(status().presence->state, AgentState::exited);
}

TEST_P(WindowsTest, ThatIsClearedIsStillTheSameOne) {
  Window window("s1");
  opens(window);
  window.becomes("s2");
  says(window, "SessionStart", "clear");
  EXPECT_EQ(receiving(), "s2");
  EXPECT_EQ(listed(), Strings());
}

TEST_P(WindowsTest, WhoseConversationIsCompactedDoesNotTakeOver) {
  Window older("s1"), newer("s2");
  opens(older);
  opens(newer);
  says(older, "SessionStart", "compact");
  EXPECT_EQ(receiving(), "s2");
  says(older, "SessionStart", "clear");
  EXPECT_EQ(receiving(), "s1") << "a person began anew there";
  EXPECT_EQ(listed(), Strings{"s2"});
}

TEST_P(WindowsTest, ThatTookANudgeKeepsItWhenAnotherOneOpens) {
  Window older("s1"), newer("s2");
  opens(older);
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_NE(says(older, "Stop").find("hello"), std::string::npos);
  opens(newer);
  EXPECT_EQ(state(sent), NudgeState::handed) << "it lives and may show it any time";
  EXPECT_EQ(says(newer, "Stop"), "");
  says(older, "Stop");
  EXPECT_EQ(state(sent), NudgeState::delivered);
}

TEST_P(WindowsTest, InsideAnotherSessionTakeNothingFromIt) {
  Window outer("s1"), inner("s2");
  opens(outer);
  const auto sent = nudge("overseer", "nux", "hello");
  const auto mail = send("overseer", "nux", "the plan");
  runs_in(inner, outer);
  EXPECT_EQ(says(inner, "SessionStart", "startup"), "");
  for (const auto* event : {"UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"})
    EXPECT_EQ(says(inner, event), "") << event;
  EXPECT_TRUE(look(inner, "waiter 2").over);
  EXPECT_EQ(state(sent), NudgeState::queued);
  EXPECT_EQ(receiving(), "s1");
  EXPECT_EQ(status().presence->state, AgentState::idle) << "what it does is not what its agent does";
  EXPECT_EQ(listed(), Strings());
  const auto shown = says(outer, "Stop");
  EXPECT_NE(shown.find("hello"), std::string::npos);
  EXPECT_NE(shown.find("the plan"), std::string::npos);
}

TEST_P(WindowsTest, InsideAnOlderWindowTakeNothingEither) {
  Window older("s1"), newer("s2"), inner("s3");
  opens(older);
  opens(newer);
  runs_in(inner, older);
  opens(inner);
  EXPECT_EQ(receiving(), "s2");
  EXPECT_EQ(listed(), Strings{"s1"});
}

TEST_P(WindowsTest, InsideAnAgentProgramWithoutHooksTakeNothing) {
  set_presence("nux", [&](Presence& presence) {
    presence.state = AgentState::idle;
    presence.incarnation = presence.session = "tmux:codex";
    presence.harness = Harness::of_word("tmux/codex");
  });
  Window inner("s2");
  inner.here().is_nested = true;
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_EQ(says(inner, "SessionStart", "startup"), "");
  EXPECT_EQ(says(inner, "Stop"), "");
  EXPECT_EQ(state(sent), NudgeState::queued);
  EXPECT_EQ(receiving(), "tmux:codex");
}

TEST_P(WindowsTest, WhatRanInsideOneThatEndedSpeaksForTheAgent) {
  Window outer("s1"), inner("s2");
  opens(outer);
  runs_in(inner, outer);
  opens(inner);
  outer.end();
  says(inner, "Stop");
  EXPECT_EQ(receiving(), "s2") << "nobody else is left";
}

TEST_P(WindowsTest, BelowTheShellThatAgentRunStartedIsTheAgentsOwn) {
  Window shell("unused"), claude("s1");
  set_presence("nux", [&](Presence& presence) {
    presence.state = AgentState::starting;
    presence.harness = Harness::of_word("terminal");
    presence.host = host_name();
    presence.pid = shell.here().pid;
    presence.process = shell.here().process;
    presence.incarnation = shell.here().process;
    presence.supervised = true;
  });
  runs_in(claude, shell);
  opens(claude);
  EXPECT_EQ(receiving(), "s1");
}

TEST_P(WindowsTest, OutsideTmuxDoNotKeepTheTerminalOfTheOneBefore) {
  Window first("s1"), second("s2");
  first.here().session = "tmux:%21";
  opens(first);
  EXPECT_EQ(status().presence->session, "tmux:%21");
  first.end();
  opens(second);
  EXPECT_EQ(status().presence->session, "");
}

TEST_P(WindowsTest, ThatJustBeganIsToldByItsStartAndNotWokenByTheWaiterThatIsFaster) {
  Window window("s1");
  const auto sent = nudge("overseer", "nux", "hello");
  std::string woken = "nobody has looked";
  machine().meanwhile = [&] { woken = waiter_says(window); };
  EXPECT_NE(says(window, "SessionStart", "startup").find("hello"), std::string::npos);
  EXPECT_EQ(woken, "");
  says(window, "UserPromptSubmit");
  EXPECT_EQ(history(sent), (Strings{"queued", "leased", "handed", "delivered"}));
}

TEST_P(WindowsTest, ThatIsResumedAfterItsEndIsToldByItsStartAndNotByTheWaiterThatIsFaster) {
  Window killed("s1"), resumed("s1");
  opens(killed);
  const auto sent = nudge("overseer", "nux", "hello");
  killed.end();
  EXPECT_EQ(waiter_says(resumed, "SessionStart", "resume"), "") << "what is noted is of the one before";
  EXPECT_NE(says(resumed, "SessionStart", "resume").find("hello"), std::string::npos);
  EXPECT_EQ(history(sent), (Strings{"queued", "leased", "handed"}));
}

TEST_P(WindowsTest, ThatIsCompactedKeepsWhatItWasWokenWith) {
  Window window("s1");
  opens(window);
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_NE(waiter_says(window, "SessionStart", "compact").find("hello"), std::string::npos);
  EXPECT_EQ(says(window, "SessionStart", "compact"), "") << "it is the same session";
  says(window, "UserPromptSubmit");
  EXPECT_EQ(history(sent), (Strings{"queued", "leased", "handed", "delivered"}));
}

TEST_P(WindowsTest, IsKnownToHaveAWaiterBeforeItsStartIsNoted) {
  Window window("s1");
  waiter_says(window);
  says(window, "SessionStart", "startup");
  EXPECT_TRUE(has_waiter(town(), id_of("nux"), "s1")) << "nobody types into a session that a hook wakes";
}

}  // namespace
}  // namespace townpost
