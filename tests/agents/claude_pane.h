#pragma once
#include <string>

#include "agents/agent_stage.h"

namespace townpost {

/// Claude Code as a person has it: in a pane of a tmux server of the stage's own, where they see and type.
class ClaudePane {
 public:
  /// Starts it with these arguments in the town's folder and waits for its prompt.
  explicit ClaudePane(const AgentStage& stage, const AgentStage::Words& arguments = {}, std::string session = "claude",
                      const AgentStage::Variables& variables = {});
  ~ClaudePane();
  ClaudePane(const ClaudePane&) = delete;
  ClaudePane& operator=(const ClaudePane&) = delete;

  const std::string& session() const { return session_; }
  std::string pane() const;  ///< its id, such as "%0"
  std::string screen() const;
  /// What stands in the input line; nothing if there is none (a dialog is open).
  std::string input_line() const;

  void type(const std::string& text) const;
  void press(const std::string& key) const;
  /// Types a prompt and submits it.
  void prompt(const std::string& text) const;
  /// Waits until the screen shows this text.
  void await_screen(const std::string& text) const;
  /// Waits until the prompt is there and nothing is going on.
  void await_idle() const;

 private:
  std::string tmux(AgentStage::Words words) const;
  bool idle() const;
  void await(const std::string& what, const std::function<bool()>& condition) const;

  const AgentStage& stage_;
  std::string session_;
};

}  // namespace townpost
