#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/agent_stage.h"
#include "agents/claude_pane.h"
#include "agents/nudged.h"

namespace townpost {

/// A town whose agent `coder` is the real Claude Code. Whoever nudges it here is its user.
class ClaudeTown : public testing::Test {
 protected:
  using Words = AgentStage::Words;
  explicit ClaudeTown(ClaudeVersion version = ClaudeVersion::pinned) : stage(version) {}

  /// What makes a session the coder's.
  static AgentStage::Variables as_coder() { return {{"MAIL_IDENTITY", "coder"}}; }
  void install_hooks() const { coder.gt({"harness", "install", "claude", "--user"}); }

  /// What tmux says to a command; throws unless it did it.
  std::string tmux(Words words) const;

  /// Nudges the coder; the nudge's id.
  std::string nudge(const std::string& text, const Words& more = {}) const;
  /// Waits until the nudge is delivered. Fails the test unless there is evidence of it and it was new to the model in
  /// exactly one turn.
  void expect_delivered_once(const std::string& id) const;
  /// The words of the turn in which the model was told this first; empty if it never was.
  std::string turn_with(const std::string& words) const;

  /// A headless session of the coder with one prompt, to its end.
  void turn(const std::string& prompt, const Words& more = {});
  /// The same, which goes on by itself.
  void begin_turn(const std::string& prompt, const Words& more = {});
  void await_end_of_turn() const;

  /// A rule of the model: at a prompt with these words it calls Bash, for a command that ends when open_gate() is
  /// called and says "the gate opened".
  std::string gate_at(const std::string& words) const;
  void await_at_gate() const;
  void open_gate() const;

  /// The program that runs in a pane of the stage's tmux.
  int process_in(const ClaudePane& claude) const;
  /// Ends a program without a word, and waits until it is gone.
  void kill_program(int process) const;

  /// The processes that wait beside idle sessions of the coder to wake them.
  std::vector<int> waiters() const;
  /// Waits until there is exactly one.
  void await_waiter() const;

  const AgentStage stage;
  const Nudged coder{stage};

 private:
  int turns_ = 0;
  std::string turn_log() const;
};

/// For what must hold in every version of Claude Code that is supported: the oldest one and the newest.
class ClaudeOfEachVersion : public ClaudeTown, public testing::WithParamInterface<ClaudeVersion> {
 protected:
  ClaudeOfEachVersion() : ClaudeTown(GetParam()) {}
};
#define WITH_EACH_CLAUDE(suite)                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                     \
      , suite, ::testing::Values(ClaudeVersion::oldest, ClaudeVersion::pinned), \
      [](const auto& version) { return version.param == ClaudeVersion::oldest ? "oldest" : "pinned"; })

}  // namespace townpost
