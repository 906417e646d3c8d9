#include "cli/parse.h"

#include <algorithm>

#include "base/text.h"
#include "cli/options.h"

namespace townpost {

namespace {

/// The flags every command takes; only these may stand before the command's words.
bool takes_value(std::string_view word) { return word == "--town" || word == "--as"; }

std::vector<std::string> command_names(std::string_view group) {
  std::vector<std::string> out;
  for (const auto& entry : op_table()) {
    std::string name(entry.name);
    std::replace(name.begin(), name.end(), '.', ' ');
    if (group.empty() || name.starts_with(cat(group, " "))) out.push_back(name);
  }
  return out;
}

Failure unknown_command(std::string_view typed, std::string_view group) {
  const auto near = nearest(typed, command_names(group));
  return fail(Code::usage, cat("unknown command: gt ", for_terminal_line(shorten(to_utf8(typed), 80))),
              near.empty() ? cat("gt ", group, group.empty() ? "" : " ", "--help lists the commands")
                           : cat("did you mean gt ", near.front(), "?"));
}

/// "mail queue" for "mail.queue".
std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '.', ' ');
  return name;
}

bool is_group(std::string_view word) {
  return std::any_of(op_table().begin(), op_table().end(),
                     [&](const OpEntry& entry) { return entry.name.starts_with(cat(word, ".")); });
}

/// How the option of an argument is read.
Option option_of(const Arg& arg) {
  using Takes = Option::Takes;
  Option out{.name = long_option(arg).substr(2),
             .takes = arg.kind == ArgKind::flag ? Takes::nothing
                      : arg.bare.empty()        ? Takes::a_value
                                                : Takes::a_value_by_equals,
             .letter = arg.letter,
             .alone = arg.bare};
  if (arg.kind != ArgKind::body) return out;
  out.also = "body";
  return out;
}

/// What every command takes, and what those with a body take besides.
void add_common_options(std::vector<Option>& options, bool has_body) {
  using Takes = Option::Takes;
  options.push_back({.name = "town", .takes = Takes::a_value});
  options.push_back({.name = "as", .takes = Takes::a_value});
  options.push_back({.name = "json"});
  options.push_back({.name = "quiet", .letter = 'q'});
  options.push_back({.name = "help", .letter = 'h'});
  if (!has_body) return;
  options.push_back({.name = "stdin"});
  options.push_back({.name = "file", .takes = Takes::a_value, .letter = 'F'});
}

/// The values of one argument, as an operation wants to be given them.
Result<> put(const Arg& arg, const std::vector<std::string>& values, JsonObject& args) {
  if (values.empty()) return {};
  const boost::json::string_view key(arg.name.data(), arg.name.size());
  if (arg.kind == ArgKind::flag)
    args[key] = true;
  else if (arg.many)
    args[key] = JsonArray(values.begin(), values.end());
  else if (values.size() > 1)
    return fail(Code::usage, cat(option_names(arg), " was given ", values.size(), " times"), "give it once");
  else
    args[key] = values.front();
  return {};
}

}  // namespace

std::string long_option(const Arg& arg) {
  std::string name(arg.kind == ArgKind::body ? "message" : arg.name);
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::string option_names(const Arg& arg) {
  return arg.letter ? cat("-", arg.letter, ", ", long_option(arg)) : long_option(arg);
}

Result<FoundCommand> find_command(const std::vector<std::string>& words) {
  FoundCommand found;
  std::size_t at = 0;
  std::string group;  // the words so far: "mail", "mail.queue"
  for (; at < words.size(); ++at) {
    const auto& word = words[at];
    if (word.empty() || word.front() != '-') {
      const bool is_word = !word.empty() && word.find('.') == std::string::npos;
      const std::string name = group.empty() ? word : cat(group, ".", word);
      if (is_word) found.op = find_op(name);
      // A command may have others below it: `gt nudge ADDR …` and `gt nudge list`.
      const bool goes_on = found.op && at + 1 < words.size() && find_op(cat(name, ".", words[at + 1])) != nullptr;
      if (found.op && !goes_on) break;
      found.op = nullptr;
      if (!is_word || !is_group(name)) {
        const bool has_verb = group.empty() && at + 1 < words.size() && !words[at + 1].starts_with("-");
        return unknown_command(
            cat(spaced(group), group.empty() ? "" : " ", word, has_verb ? " " : "", has_verb ? words[at + 1] : ""),
            spaced(group));
      }
      group = name;
      continue;
    }
    found.rest.push_back(word);
    if (takes_value(word) && at + 1 < words.size()) found.rest.push_back(words[++at]);
  }
  if (!found.op) {
    found.group = spaced(group);
    return found;
  }
  found.rest.insert(found.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
  return found;
}

Result<CommandLine> parse_command_line(const Op& op, const std::vector<std::string>& words) {
  const bool has_body =
      std::any_of(op.args.begin(), op.args.end(), [](const Arg& arg) { return arg.kind == ArgKind::body; });
  // Values are handed on untouched: what they must look like is the operation's business.
  std::vector<Option> options;
  for (const auto& arg : op.args)
    if (!arg.positional) options.push_back(option_of(arg));
  add_common_options(options, has_body);
  const auto read = read_words(options, words);
  const auto said = [&](std::string_view name) -> const std::vector<std::string>& {
    return std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.name == name; })
        ->values;
  };

  CommandLine line;
  line.op = &op;
  line.help = !said("help").empty();
  if (line.help) return line;  // who asks for help may have typed anything
  TRY_VOID(read.understood);

  line.json = !said("json").empty();
  line.quiet = !said("quiet").empty();
  if (!said("town").empty()) line.town = said("town").back();
  if (!said("as").empty()) line.as = said("as").back();
  auto option = options.begin();
  auto word = read.positional.begin();
  for (const auto& arg : op.args) {
    std::vector<std::string> values;
    if (!arg.positional) values = (option++)->values;
    while (arg.positional && word != read.positional.end() && (arg.many || values.empty())) values.push_back(*word++);
    TRY_VOID(put(arg, values, line.args));
  }
  if (word != read.positional.end())
    return fail(Code::usage, cat("unexpected argument \"", for_terminal_line(shorten(to_utf8(*word), 80)), "\""),
                "--help shows what this command takes");
  if (!has_body) return line;

  line.body_from_stdin = !said("stdin").empty();
  if (!said("file").empty()) line.body_file = said("file").back();
  const bool text = line.args.contains("body");
  if (line.body_from_stdin && text) return fail(Code::usage, "cannot use --stdin with --message/-m", "choose one");
  if (line.body_file && text) return fail(Code::usage, "cannot use --file/-F with --message/-m", "choose one");
  if (line.body_file && line.body_from_stdin)
    return fail(Code::usage, "cannot use --stdin with --file/-F", "choose one");
  return line;
}

}  // namespace townpost
