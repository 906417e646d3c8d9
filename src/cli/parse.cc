#include "cli/parse.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/options.h"

namespace townpost {

namespace {

/// The flags every command takes; only these may stand before the command's words.
bool takes_value(std::string_view word) { return word == "--town" || word == "--as" || word == "--color"; }

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
                                                : Takes::a_duration_or_none,
             .letter = arg.letter,
             .alone = arg.bare};
  if (arg.kind != ArgKind::body) return out;
  out.also = "body";
  return out;
}

/// What every command takes, and what those with a body take besides.
void add_common_options(std::vector<Option>& options, const Op& op) {
  using Takes = Option::Takes;
  options.push_back({.name = "town", .takes = Takes::a_value});
  options.push_back({.name = "as", .takes = Takes::a_value});
  options.push_back({.name = "json"});
  options.push_back({.name = "quiet", .letter = 'q'});
  options.push_back({.name = "color", .takes = Takes::a_value, .also = "colour"});
  options.push_back({.name = "help", .letter = 'h'});
  if (is_list_with_limit(op)) options.push_back({.name = "page"});
  if (!body_of(op)) return;
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

/// The text as it was typed, and where else it is to come from. Error: usage, for more than one place.
Result<> find_text(const Arg& body, std::vector<std::string> last_words, bool from_stdin,
                   const std::vector<std::string>& files, CommandLine& line) {
  const bool by_option = line.args.contains("body");
  if (!last_words.empty() && by_option)
    return fail(Code::usage, "the text was given twice", cat("as words or with -", body.letter, ", not both"));
  if (!last_words.empty()) line.args["body"] = join(last_words, " ");
  const auto* text = line.args.if_contains("body");
  const auto choose = [](std::string_view one, std::string_view other) {
    return fail(Code::usage, cat("cannot use ", one, " with ", other), "choose one");
  };
  if (from_stdin && text) return choose("--stdin", "--message/-m");
  if (!files.empty() && text) return choose("--file/-F", "--message/-m");
  if (!files.empty() && from_stdin) return choose("--stdin", "--file/-F");
  const bool dash = text && text->get_string() == "-";
  if (dash) line.args.erase("body");
  if (dash || from_stdin) {
    line.text_from = TextFrom::input;
  } else if (!files.empty()) {
    line.text_file = files.back();
    line.text_from = line.text_file == "-" ? TextFrom::input_as_it_is : TextFrom::file;
  } else if (text) {
    line.text_from = TextFrom::words;
  }
  return {};
}

}  // namespace

bool is_list_with_limit(const Op& op) { return find_argument(op, "limit") != nullptr; }

const Arg* body_of(const Op& op) {
  const auto found =
      std::find_if(op.args.begin(), op.args.end(), [](const Arg& arg) { return arg.kind == ArgKind::body; });
  return found == op.args.end() ? nullptr : &*found;
}

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
  const Arg* body = body_of(op);
  // Values are handed on untouched: what they must look like is the operation's business.
  std::vector<Option> options;
  for (const auto& arg : op.args)
    if (!arg.positional) options.push_back(option_of(arg));
  add_common_options(options, op);
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
  line.page = is_list_with_limit(op) && !said("page").empty();
  line.json = line.json || line.page;
  if (!said("color").empty()) {
    const auto wish = parse_colour_wish(said("color").back());
    if (!wish) return fail(Code::usage, "--color does not know this word", "use auto, always or never");
    line.colour = *wish;
  }
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
  std::vector<std::string> last_words;
  if (body && body->also_words) last_words.assign(std::exchange(word, read.positional.end()), read.positional.end());
  if (word != read.positional.end())
    return fail(Code::usage, cat("unexpected argument \"", for_terminal_line(shorten(to_utf8(*word), 80)), "\""),
                "--help shows what this command takes");
  if (body) TRY_VOID(find_text(*body, std::move(last_words), !said("stdin").empty(), said("file"), line));
  return line;
}

}  // namespace townpost
