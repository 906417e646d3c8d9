#include "cli/own_commands.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace townpost {

std::span<const OwnCommand> own_commands() {
  static const std::array<OwnCommand, 4> kCommands = {{
      {"help",
       "help [COMMAND | GROUP | all | TOPIC]",
       "Show how to begin, or the help of a command, a group or a topic",
       {{"all", "Every command"},
        {"exit-codes", "What scripts need to know of exit codes"},
        {"environment", "The environment variables that are read"}},
       {{"gt help mail send", ""}, {"gt help nudge", ""}}},
      {"version", "version", "Print the version", {}, {{"gt version", ""}, {"gt --version", "the same"}}},
      {"completion",
       "completion bash|zsh|fish",
       "Print the shell's completions: commands, options, and the town's addresses, ids and queues",
       {},
       {{"source <(gt completion bash)", "in ~/.bashrc"},
        {"source <(gt completion zsh)", "in ~/.zshrc, behind compinit"},
        {"gt completion fish >~/.config/fish/completions/gt.fish", ""}}},
      {"docs",
       "docs reference | configuration | man [PAGE | --list] | schema",
       "Print a document made from the table of commands",
       {{"reference", "Every command, in Markdown"},
        {"configuration", "Settings, environment variables and exit codes, in Markdown"},
        {"man [PAGE]", "A manual page for man(1); --list names them"},
        {"schema", "The JSON Schema of every answer"}},
       {{"gt docs man townpost-mail | man -l -", ""}}},
  }};
  return kCommands;
}

const OwnCommand* find_own_command(std::string_view name) {
  const auto all = own_commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const OwnCommand& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string help_for(const OwnCommand& command, const HelpLook& look) {
  std::string out = cat(wrapped(command.summary, look.width, 0), "\n\nUsage: gt ", command.usage, "\n");
  if (!command.lines.empty()) out += "\n";
  for (const auto& [label, meaning] : command.lines) out += help_entry(std::string(label), std::string(meaning), look);
  out += "\nExamples:\n";
  for (const auto& [call, what] : command.examples)
    out += cat("  ", call, what.empty() || look.compact ? "" : cat("   # ", what), "\n");
  return out;
}

std::string own_commands_markdown() {
  std::string out = "\n## The program itself\n";
  for (const auto& command : own_commands()) {
    out += cat("\n### `gt ", command.name, "`\n\n", command.summary, ".\n\n```\ngt ", command.usage, "\n```\n");
    if (!command.lines.empty()) out += "\n| argument | meaning |\n|---|---|\n";
    for (const auto& [label, meaning] : command.lines) out += cat("| `", label, "` | ", meaning, " |\n");
    out += "\n```sh\n";
    for (const auto& [call, what] : command.examples) out += cat(call, what.empty() ? "" : cat("   # ", what), "\n");
    out += "```\n";
  }
  return out;
}

}  // namespace townpost
