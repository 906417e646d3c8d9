#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help.h"

namespace townpost {

/// A command that the command line answers by itself, without a town: no row of the table of operations.
struct OwnCommand {
  struct Line {
    std::string_view label;
    std::string_view meaning;
  };
  std::string_view name;
  std::string_view usage;  ///< behind "gt "
  std::string_view summary;
  std::vector<Line> lines;     ///< its arguments, and what each does
  std::vector<Line> examples;  ///< and what they do, where that is to be said
};
std::span<const OwnCommand> own_commands();
/// Null if `name` is none of them.
const OwnCommand* find_own_command(std::string_view name);

std::string help_for(const OwnCommand& command, const HelpLook& look);
/// For the reference.
std::string own_commands_markdown();

}  // namespace townpost
