#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delivery/tmux/harness_profile.h"
#include "delivery/tmux/tmux.h"

namespace townpost {

/// What a program does with lines that it is given.
enum class ProgramKind {
  unknown,
  shell,     ///< runs them
  editor,    ///< takes them for commands, or writes them into a file
  pager,     ///< takes them for commands
  repl,      ///< an interpreter without a program: runs them
  password,  ///< takes them for a password
  remote,    ///< hands them to something that cannot be seen from here
};

/// The kind of a program by its words: its own name, and its arguments.
ProgramKind kind_of_program(const std::vector<std::string>& words);

/// What the keys that are typed into a pane reach at this moment.
struct Foreground {
  struct Program {
    int pid = 0;
    std::vector<std::string> names;  ///< what it may be called by, the best first
    std::string_view harness;        ///< the agent program that it is ("claude"); empty if it is none that we know
    ProgramKind kind = ProgramKind::unknown;
    bool starts_others = false;  ///< another one of these was started by it
  };
  std::vector<Program> programs;     ///< the pane's own process first, if it is among them
  bool hides_what_is_typed = false;  ///< it reads whole lines and does not show them: a password
  bool fills_the_screen = false;     ///< it has the screen for itself

  bool has(int pid) const;
  bool has(std::string_view name) const;
  /// The harness among them, if it is one whose screen we can read.
  std::optional<HarnessProfile> harness() const;
  /// What a person would call it: the program that nothing else was started by.
  std::string program() const;
};

Foreground foreground_of(const TmuxPane& pane);

/// What a program of that name is that nothing may ever be typed into: "an editor". Empty for all others.
std::string_view deed_of_program(std::string_view name);

/// Why nothing may be typed there, whatever anybody said about it; empty if that is not so.
std::string forbids_typing(const Foreground& foreground);

}  // namespace townpost
