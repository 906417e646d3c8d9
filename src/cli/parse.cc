#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "base/text.h"

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

const Op* op_named(std::string_view name) {
  for (const auto& entry : op_table())
    if (entry.name == name) return &entry.op();
  return nullptr;
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

Failure unknown_option(std::string_view word, const CLI::App& app) {
  std::vector<std::string> known;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  const auto near = nearest(word, known);
  return fail(Code::usage, cat("unknown option \"", for_terminal_line(shorten(to_utf8(word), 80)), "\""),
              near.empty() ? "--help shows what this command takes" : cat("did you mean ", near.front(), "?"));
}

/// The word "--" that ends the options, if it is not the value of one (`-m --`).
std::vector<std::string>::iterator find_end_of_options(std::vector<std::string>& words, const CLI::App& app) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--") return word;
    const auto* option = word->starts_with("-") ? app.get_option_no_throw(*word) : nullptr;
    const bool takes_next = option != nullptr && option->get_items_expected_max() > 0;
    if (takes_next && word + 1 != words.end()) ++word;
  }
  return words.end();
}

}  // namespace

std::string option_names(const Arg& arg) {
  const std::string_view name = arg.kind == ArgKind::body ? "message" : arg.name;
  return arg.letter ? cat("-", arg.letter, ", --", name) : cat("--", name);
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
      if (is_word) found.op = op_named(name);
      // A command may have others below it: `gt nudge ADDR …` and `gt nudge list`.
      const bool goes_on = found.op && at + 1 < words.size() && op_named(cat(name, ".", words[at + 1])) != nullptr;
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

Result<CommandLine> parse_command_line(const Op& op, std::vector<std::string> words) {
  CommandLine line;
  line.op = &op;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();  // what is no option is a positional argument; CLI11 would take "[a,b]" for two of them
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);

  // Values are collected here and handed on untouched: what they must look like is the operation's business.
  struct Slot {
    const Arg* arg;
    CLI::Option* option;
    std::vector<std::string> values;
  };
  std::deque<Slot> slots;
  bool has_body = false;
  for (const auto& arg : op.args) {
    auto& slot = slots.emplace_back(Slot{&arg, nullptr, {}});
    if (arg.kind == ArgKind::flag) {
      slot.option = app.add_flag(cat("--", arg.name));
    } else if (arg.positional) {
      continue;  // filled in below
    } else {
      std::string names = arg.kind == ArgKind::body ? "--message,--body" : cat("--", arg.name);
      if (arg.letter) names = cat("-", arg.letter, ",", names);
      // One value each time it is written; repeating it is checked below.
      slot.option = app.add_option(names, slot.values)->expected(1)->allow_extra_args(false);
    }
    has_body = has_body || arg.kind == ArgKind::body;
  }
  std::string town, as, file;
  auto* town_option = app.add_option("--town", town)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  auto* as_option = app.add_option("--as", as)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  auto* json = app.add_flag("--json");
  auto* quiet = app.add_flag("-q,--quiet");
  auto* help = app.add_flag("-h,--help");
  CLI::Option* from_stdin = has_body ? app.add_flag("--stdin") : nullptr;
  CLI::Option* from_file =
      has_body ? app.add_option("-F,--file", file)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast) : nullptr;

  // `--wait` alone has a meaning of its own, so the next word is never its value.
  for (auto& word : words) {
    if (word == "--") break;
    for (const auto& arg : op.args)
      if (!arg.bare.empty() && word == cat("--", arg.name)) word += cat("=", arg.bare);
  }

  // CLI11 takes `--priority=` for one without a value.
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with("--") || !words[i].ends_with('=')) continue;
    words[i].pop_back();
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(++i), "");
  }

  const bool wants_help = std::find(words.begin(), words.end(), "--help") != words.end() ||
                          std::find(words.begin(), words.end(), "-h") != words.end();
  // Behind "--" everything is positional, also what looks like an option.
  const auto end_of_options = find_end_of_options(words, app);
  std::vector<std::string> positional;
  if (end_of_options != words.end()) positional.assign(end_of_options + 1, words.end());
  words.erase(end_of_options, words.end());
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes a vector from its end
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (!wants_help) return fail(Code::usage, for_terminal_line(error.what()), "--help shows what this command takes");
  }
  auto extras = app.remaining();
  for (const auto& word : extras)
    if (word.size() > 1 && word.front() == '-' && !wants_help) return unknown_option(word, app);
  positional.insert(positional.begin(), extras.begin(), extras.end());
  std::size_t taken = 0;
  for (auto& slot : slots)
    for (; slot.arg->positional && taken < positional.size() && (slot.arg->many || slot.values.empty()); ++taken)
      slot.values.push_back(positional[taken]);
  if (taken < positional.size() && !wants_help)
    return fail(Code::usage,
                cat("unexpected argument \"", for_terminal_line(shorten(to_utf8(positional[taken]), 80)), "\""),
                "--help shows what this command takes");

  line.help = wants_help && help->count() > 0;
  line.json = json->count() > 0;
  line.quiet = quiet->count() > 0;
  if (town_option->count() > 0) line.town = town;
  if (as_option->count() > 0) line.as = as;
  line.body_from_stdin = from_stdin && from_stdin->count() > 0;
  if (from_file && from_file->count() > 0) line.body_file = file;

  for (const auto& slot : slots) {
    const auto& arg = *slot.arg;
    if (arg.positional ? slot.values.empty() : slot.option->count() == 0) continue;
    const boost::json::string_view key(arg.name.data(), arg.name.size());
    if (arg.kind == ArgKind::flag) {
      line.args[key] = true;
    } else if (arg.many) {
      line.args[key] = JsonArray(slot.values.begin(), slot.values.end());
    } else if (slot.values.size() > 1) {
      return fail(Code::usage, cat(option_names(arg), " was given ", slot.values.size(), " times"), "give it once");
    } else if (!slot.values.empty()) {
      line.args[key] = slot.values.front();
    }
  }
  if (has_body) {
    const bool text = line.args.contains("body");
    if (line.body_from_stdin && text) return fail(Code::usage, "cannot use --stdin with --message/-m", "choose one");
    if (line.body_file && text) return fail(Code::usage, "cannot use --file/-F with --message/-m", "choose one");
    if (line.body_file && line.body_from_stdin)
      return fail(Code::usage, "cannot use --stdin with --file/-F", "choose one");
  }
  return line;
}

}  // namespace townpost
