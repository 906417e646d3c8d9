#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "ops/op.h"

namespace townpost {

/// What was typed, understood as far as grammar goes.
struct CommandLine {
  const Op* op = nullptr;
  JsonObject args;  ///< for Args::check
  bool body_from_stdin = false;
  std::optional<std::string> body_file;
  std::optional<std::string> town;
  std::optional<std::string> as;
  bool json = false;
  bool quiet = false;
  bool help = false;
};

/// Where the words of the command end: `gt mail send …` → the operation and the remaining words.
struct FoundCommand {
  const Op* op = nullptr;
  std::vector<std::string> rest;
  std::string group;  ///< "mail" if only a group was named; then `op` is null
};

/// Error: usage, with the nearest commands.
Result<FoundCommand> find_command(const std::vector<std::string>& words);

/// Understands the words behind the command. Error: usage.
Result<CommandLine> parse_command_line(const Op& op, const std::vector<std::string>& words);

/// How an option is written in full: "--reply-by".
std::string long_option(const Arg& arg);

/// How an argument is written: "--priority", "-s, --subject".
std::string option_names(const Arg& arg);

}  // namespace townpost
