#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/screen.h"
#include "ops/op.h"

namespace townpost {

/// Where the text of a command comes from that takes one.
enum class TextFrom {
  nowhere,         ///< nothing was said about it
  words,           ///< it was typed: `-m TEXT`, or as the last words
  input,           ///< `--stdin`, `-m -`: standard input, without the newlines at its end
  input_as_it_is,  ///< `-F -`
  file,            ///< `-F FILE`
};

/// What was typed, understood as far as grammar goes.
struct CommandLine {
  const Op* op = nullptr;
  JsonObject args;  ///< for Args::check
  TextFrom text_from = TextFrom::nowhere;
  std::string text_file;
  std::string first_of_words;  ///< of a text that was typed as several words; empty: it was one, or an option
  std::optional<std::string> town;
  std::optional<std::string> as;
  bool json = false;
  bool page = false;  ///< with JSON: a list in an object that says how far it goes
  bool quiet = false;
  ColourWish colour = ColourWish::as_fits;
  bool help = false;
};

/// Where the words of the command end: `gt mail send …` → the operation and the remaining words.
struct FoundCommand {
  const Op* op = nullptr;
  std::vector<std::string> rest;
  std::string group;            ///< "mail" if only a group was named; then `op` is null
  std::string_view named = {};  ///< what the name says already of the first word: "queue:"
};

/// Error: usage, with the nearest commands.
Result<FoundCommand> find_command(const std::vector<std::string>& words);

/// Understands the words behind the command. Error: usage.
Result<CommandLine> parse_command_line(const Op& op, const std::vector<std::string>& words,
                                       std::string_view named = {});

/// Whether the answer is a list of which only a part may be shown.
bool is_list_with_limit(const Op& op);

/// The argument that is a long text, if the command takes one.
const Arg* body_of(const Op& op);

/// How an option is written in full: "--reply-by".
std::string long_option(const Arg& arg);

/// How an argument is written: "--priority", "-s, --subject".
std::string option_names(const Arg& arg);

}  // namespace townpost
