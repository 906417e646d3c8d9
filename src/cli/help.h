#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace townpost {

/// How wide help is, and whether it is for somebody who pays for each character: an agent, or another program.
struct HelpLook {
  std::size_t width = 80;
  bool compact = false;
};

/// `gt`, `gt help`: what a newcomer needs first.
std::string help_start();

/// `gt help all`: every group and command with its summary. With `group`, only that group's.
std::string help_overview(std::string_view group, std::size_t width = 80);

/// `gt mail send --help`: usage, arguments, examples.
std::string help_for(const Op& op, const HelpLook& look = {});

/// docs/reference.md, made from the same rows.
std::string reference_markdown();

// What the manual pages are made of, too.

/// Every group of commands with its title; commands without a group are in the one without a name.
std::vector<std::pair<std::string, std::string>> groups();
/// The commands of a group, without their other names.
std::vector<const Op*> commands_of(std::string_view group);
/// "gt mail send [ADDR…] … [options]".
std::string usage_of(const Op& op);
std::string label_of(const Arg& arg);
std::string meaning_of(const Op& op, const Arg& arg);
/// An argument and its meaning: side by side, or behind each other where every character counts.
std::string help_entry(const std::string& label, const std::string& meaning, const HelpLook& look);

}  // namespace townpost
