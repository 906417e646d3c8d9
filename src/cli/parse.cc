#include "cli/parse.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "cli/option_words.h"
#include "cli/options.h"
#include "cli/spell.h"
#include "cli/suggest.h"

namespace townpost {

namespace {

/// The flags every command takes; only these may stand before the command's words.
bool takes_value(std::string_view word) { return word == "--town" || word == "--as" || word == "--color"; }

/// The words of a command, without the options between them.
std::vector<std::string> without_options(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < words.size() && words[at] != "--"; ++at) {
    if (!words[at].starts_with('-'))
      out.push_back(words[at]);
    else if (takes_value(words[at]))
      ++at;
  }
  return out;
}

/// `known`: how many of the words are those of a group.
Failure unknown_command(const std::vector<std::string>& words, std::size_t known) {
  const auto typed = without_options(words);
  const auto shown = std::min(typed.size(), std::max<std::size_t>(known + 1, 2));
  const auto name = join({typed.begin(), typed.begin() + static_cast<std::ptrdiff_t>(shown)}, " ");
  return fail(Code::usage, cat("unknown command: gt ", for_terminal_line(shorten(to_utf8(name), 80))),
              suggestion_for(typed));
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

/// The options of a command, and everything else that can be typed for them.
class Options {
 public:
  /// Of these words. Most calls of hooks have no option among them: then none is made, and nothing is said of any.
  Options(const Op& op, const std::vector<std::string>& words) : op_(op) {
    if (std::none_of(words.begin(), words.end(), [](const auto& word) { return word.starts_with('-'); })) return;
    for (const auto& arg : op.args)
      if (!arg.positional) options_.push_back(option_of(arg));
    add_common_options(options_, op);
    // What stands at its place may also be named: --to, --id.
    for (const auto& arg : op.args)
      if (arg.positional) add({.name = long_option(arg).substr(2), .takes = Option::Takes::a_value}, "", arg.name);
    for (const auto& word : op.other_words) add_word(word, OfCommand::this_one);
    for (const auto& word : words_of_every_command()) add_word(word, OfCommand::every);
  }

  WordsRead read(const std::vector<std::string>& words) {
    auto out = read_words(options_, words);
    for (const auto& other : others_) {
      const auto values = options_[other.at].values;
      if (values.empty() || other.means.empty()) continue;
      auto* option = find(other.means);
      auto& all = option ? option->values : placed_[std::string(other.means)];
      for (const auto& value : values) all.push_back(other.value.empty() ? value : std::string(other.value));
    }
    return out;
  }

  /// What was said of an option, or by name of what has its place.
  const std::vector<std::string>& said(std::string_view name) {
    if (options_.empty()) return nothing_;
    const auto* option = find(name);
    return option ? option->values : placed_[std::string(name)];
  }

 private:
  struct Other {
    std::size_t at;
    std::string_view value;
    std::string_view means;
  };

  enum class OfCommand { this_one, every };

  Option* find(std::string_view argument) {
    const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option& option) {
      return option.means.empty() && option.instead.empty() && option.name == name_of(argument);
    });
    return found == options_.end() ? nullptr : &*found;
  }

  std::string name_of(std::string_view argument) const {
    if (const auto* arg = find_argument(op_, argument)) return long_option(*arg).substr(2);
    return std::string(argument);
  }

  void add(Option option, std::string_view value, std::string_view means) {
    for (const auto& known : options_)
      if ((!option.name.empty() && (option.name == known.name || option.name == known.also)) ||
          (option.letter != '\0' && option.letter == known.letter))
        return;
    if (option.instead.empty()) option.means = means.empty() ? cat("--", option.name) : cat("--", name_of(means));
    others_.push_back({options_.size(), value, means});
    options_.push_back(std::move(option));
  }

  void add_word(const ArgWord& word, OfCommand whose) {
    const auto* arg = find_argument(op_, word.argument);
    if (!arg && !word.argument.empty() && !find(word.argument)) return;
    const bool stands_alone = !word.value.empty() || word.argument.empty() || (arg && arg->kind == ArgKind::flag);
    // A word of every command comes with a value, or stands alone, wherever it is typed.
    if (arg && whose == OfCommand::every && (arg->kind == ArgKind::flag) == word.value.empty()) return;
    Option option{.name = word.typed.size() > 1 ? std::string(word.typed) : "",
                  .takes = stands_alone ? Option::Takes::nothing : Option::Takes::a_value,
                  .letter = word.typed.size() == 1 ? word.typed.front() : '\0'};
    if (!word.instead.empty()) option.instead = respelled(word.instead);
    add(std::move(option), word.value, word.argument);
  }

  const Op& op_;
  std::vector<Option> options_;
  std::vector<Other> others_;
  std::map<std::string, std::vector<std::string>> placed_;
  const std::vector<std::string> nothing_;
};

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
  if (last_words.size() > 1) line.first_of_words = last_words.front();
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
      const auto* entry = is_word ? find_entry(name) : nullptr;
      found.op = entry ? &entry->op() : nullptr;
      // A command may have others below it: `gt nudge ADDR …` and `gt nudge list`.
      const bool goes_on = found.op && at + 1 < words.size() && find_op(cat(name, ".", words[at + 1])) != nullptr;
      if (found.op && !goes_on) {
        if (entry->lead.starts_with('-'))
          found.rest.emplace_back(entry->lead);
        else
          found.named = entry->lead;
        break;
      }
      found.op = nullptr;
      if (!is_word || !is_group(name)) {
        const auto known = group.empty() ? 0 : split(group, '.').size();
        return unknown_command(words, known);
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

namespace {

bool has_a_gap(std::string_view word) { return word.find_first_of(" \t\n") != std::string_view::npos; }

/// `gt queue list NAME`: what there is about one of them.
NextStep step_for_one(const Op& op, const std::string& name) {
  const auto group = op.name.substr(0, op.name.rfind('.') + 1);
  if (op.name.ends_with(".list"))
    for (const auto* verb : {"messages", "read", "show"})
      if (const auto* one = find_op(cat(group, verb)); one && !one->args.empty() && one->args.front().positional)
        return "for one of them: " + next(std::string(one->name), {{std::string(one->args.front().name), name}});
  return std::string("--help shows what this command takes");
}

/// Addresses that were written as one word: "max,ada".
std::vector<std::string> each_address(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const auto& word : words)
    for (const auto part : split(word, ','))
      if (word.find(',') == std::string::npos || !trim(part).empty())
        out.emplace_back(word.find(',') == std::string::npos ? std::string_view(word) : trim(part));
  return out;
}

/// What stands behind the recipients and is none, because no address has a gap: the text. A list that the name of the
/// command says is the only recipient.
std::size_t recipients_in(const std::vector<std::string>& words, std::string_view named, bool text_is_given) {
  if (!named.empty()) return std::min<std::size_t>(words.size(), 1);
  const bool ends_in_text =
      words.size() > 1 && has_a_gap(words.back()) &&
      std::none_of(words.begin(), words.end() - 1, [](const auto& word) { return has_a_gap(word); });
  return ends_in_text && !text_is_given ? words.size() - 1 : words.size();
}

}  // namespace

Result<CommandLine> parse_command_line(const Op& op, const std::vector<std::string>& words, std::string_view named) {
  const Arg* body = body_of(op);
  // Values are handed on untouched: what they must look like is the operation's business.
  Options options(op, words);
  auto read = options.read(words);

  CommandLine line;
  line.op = &op;
  line.help = !options.said("help").empty();
  if (line.help) return line;  // who asks for help may have typed anything
  TRY_VOID(read.understood);

  line.json = !options.said("json").empty();
  line.quiet = !options.said("quiet").empty();
  line.page = is_list_with_limit(op) && !options.said("page").empty();
  line.json = line.json || line.page;
  if (!options.said("color").empty()) {
    const auto wish = parse_colour_wish(options.said("color").back());
    if (!wish) return fail(Code::usage, "--color does not know this word", "use auto, always or never");
    line.colour = *wish;
  }
  if (!options.said("town").empty()) line.town = options.said("town").back();
  if (!options.said("as").empty()) line.as = options.said("as").back();
  const bool takes_text = body && (body->also_words || body->composed);
  const bool text_is_given =
      body && (!options.said("body").empty() || !options.said("stdin").empty() || !options.said("file").empty());
  if (!named.empty() && !read.positional.empty() && read.positional.front().find(':') == std::string::npos)
    read.positional.front().insert(0, named);
  auto word = read.positional.begin();
  for (const auto& arg : op.args) {
    auto values = options.said(arg.name);
    if (arg.positional && arg.many) {
      const std::vector<std::string> rest(word, read.positional.end());
      const auto count = takes_text ? recipients_in(rest, named, text_is_given) : rest.size();
      values.insert(values.end(), word, word + static_cast<std::ptrdiff_t>(count));
      word += static_cast<std::ptrdiff_t>(count);
    } else if (arg.positional && values.empty() && word != read.positional.end()) {
      values.push_back(*word++);
    }
    if (arg.many && arg.kind == ArgKind::address) values = each_address(values);
    TRY_VOID(put(arg, values, line.args));
  }
  std::vector<std::string> last_words;
  if (takes_text) last_words.assign(std::exchange(word, read.positional.end()), read.positional.end());
  if (word != read.positional.end())
    return fail(Code::usage, cat("unexpected argument \"", for_terminal_line(shorten(to_utf8(*word), 80)), "\""),
                step_for_one(op, *word));
  if (body)
    TRY_VOID(find_text(*body, std::move(last_words), !options.said("stdin").empty(), options.said("file"), line));
  return line;
}

}  // namespace townpost
