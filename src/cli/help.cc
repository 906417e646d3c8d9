#include "cli/help.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/help_topics.h"
#include "cli/own_commands.h"
#include "cli/parse.h"
#include "cli/render.h"
#include "cli/spell.h"

namespace townpost {

namespace {

constexpr std::string_view kGroups[][2] = {{"", "The town"},
                                           {"mail", "Mail"},
                                           {"group", "Groups"},
                                           {"queue", "Queues"},
                                           {"channel", "Channels"},
                                           {"nudge", "Nudges"},
                                           {"dnd", "Do not disturb"},
                                           {"protocol", "Typed messages"},
                                           {"rig", "Rigs"},
                                           {"agent", "Agents"},
                                           {"harness", "Harnesses"},
                                           {"config", "Settings"},
                                           {"token", "Tokens"},
                                           {"store", "The store"},
                                           {"service", "The service of systemd"}};

std::string words_of(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '.', ' ');
  return out;
}

std::string_view group_of(std::string_view name) {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string padded(std::string text, std::size_t width) {
  const auto length = length_in_characters(text);
  if (length < width) text.append(width - length, ' ');
  return text;
}

/// Its other names, as they are typed. A name that says more than the command's is for its own list.
std::vector<std::string> aliases_of(const Op& op) {
  std::vector<std::string> out;
  for (const auto& entry : op_table())
    if (entry.name != op.name && entry.lead.empty() && &entry.op() == &op)
      out.push_back(cat("gt ", words_of(entry.name)));
  return out;
}

struct CommonArg {
  std::string_view label;
  std::string_view meaning;
};
constexpr CommonArg kPage = {"--page", "With --json: an object of items, total, more and cursor"};
constexpr std::string_view kCommonInShort = "Also: --json, -q, --as ADDR, --town DIR, -h";
constexpr CommonArg kCommon[] = {
    {"--json", "Print JSON, with stable keys"},    {"-q, --quiet", "Print only ids"},
    {"--as ADDR", "Act as this registered agent"}, {"--town DIR", "Use the town in this folder"},
    {"--color WHEN", "auto, always or never"},     {"-h, --help", "Show this"}};

/// Where else the text of a command may come from.
std::vector<CommonArg> text_sources(const Op& op) {
  std::vector<CommonArg> out = {
      {"--stdin, -m -", "Read the text from standard input, without its last newlines; so does a pipe"},
      {"-F, --file FILE", "Read the text from a file, or from standard input (-), byte for byte"}};
  if (body_of(op)->composed) out.push_back({"(none of these)", "Your editor opens (at a terminal)"});
  return out;
}

bool is_alias(const OpEntry& entry) { return entry.op().name != entry.name; }

}  // namespace

std::vector<std::pair<std::string, std::string>> groups() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, title] : kGroups) out.emplace_back(name, title);
  for (const auto& entry : op_table()) {
    const auto name = group_of(entry.name);
    if (entry.op().name == entry.name &&
        std::none_of(out.begin(), out.end(), [&](const auto& known) { return known.first == name; }))
      out.emplace_back(name, name);
  }
  return out;
}

std::string usage_of(const Op& op) {
  std::string out = cat("gt ", words_of(op.name));
  for (const auto& arg : op.args) {
    if (!arg.positional) continue;
    const std::string value = cat(arg.value, arg.many ? "…" : "");
    out += arg.required ? cat(" ", value) : cat(" [", value, "]");
  }
  for (const auto& arg : op.args) {
    if (arg.positional || !arg.required) continue;
    const auto named = cat(arg.letter ? cat("-", arg.letter) : long_option(arg), " ", arg.value);
    if (arg.kind == ArgKind::body)
      out += cat(" [", arg.also_words ? cat(arg.value, "… | ") : "", named, " | --stdin | -F FILE]");
    else
      out += cat(" ", named);
  }
  return out + " [options]";
}

std::string label_of(const Arg& arg) {
  if (arg.positional) return cat(arg.value, arg.many ? "…" : "");
  if (!arg.bare.empty()) return cat(option_names(arg), " [", arg.value, "]");
  return arg.kind == ArgKind::flag ? option_names(arg) : cat(option_names(arg), " ", arg.value);
}

std::string meaning_of(const Op& op, const Arg& arg) {
  std::string out = spelled(arg.help, op);
  const bool fewer_into_a_pipe = arg.name == "limit" && is_shown_in_rows(op);
  if (!arg.standard.empty())
    out += cat(" (default: ", arg.standard, fewer_into_a_pipe ? cat(", or ", kPipeRows, " into a pipe") : "", ")");
  return out;
}

std::vector<const Op*> commands_of(std::string_view group) {
  std::vector<const Op*> out;
  for (const auto& row : op_table())
    if (group_of(row.name) == group && !is_alias(row)) out.push_back(&row.op());
  return out;
}

namespace {

/// A label and its meaning: side by side, the meaning over several lines; or behind each other, for whoever counts
/// every character.
std::string entry(const std::string& label, const std::string& meaning, std::size_t column, const HelpLook& look) {
  if (look.compact) return cat(label, "  ", meaning, "\n");
  const auto fits = length_in_characters(label) + 3 <= column;
  auto out = cat("  ", fits ? padded(label, column - 2) : label);
  if (!fits) out += cat("\n", std::string(column, ' '));
  return out + wrapped(meaning, look.width, column) + "\n";
}

constexpr std::size_t kArguments = 26;
constexpr std::size_t kCommands = 24;

}  // namespace

std::string help_entry(const std::string& label, const std::string& meaning, const HelpLook& look) {
  return entry(label, meaning, kArguments, look);
}

std::string help_start() {
  return R"(gt: the post office of a town of coding agents

Start here
  gt init                          create a town in this folder
  gt start coder                   start Claude Code as an agent, in tmux
  gt status                        who works, who is idle, who needs you

Every day
  gt mail send ADDR -s S -m TEXT   send mail; text also from a pipe or editor
  gt mail inbox                    your mail
  gt mail read ID                  read a message
  gt mail reply ID -m TEXT         answer it
  gt nudge ADDR TEXT               wake a session with a few words
  gt mail claim QUEUE              take work from a queue
  gt todo                          what is waiting for you
  gt why ID                        why a message or an agent is stuck

More
  gt help COMMAND                  its arguments and examples
  gt help mail                     also nudge, group, queue, channel, agent …
  gt help all                      every command
  gt help exit-codes, environment  what scripts need to know
  gt doctor                        what is wrong here, and its cure
)";
}

std::string help_overview(std::string_view group, std::size_t width) {
  std::string out;
  for (const auto& [name, title] : groups()) {
    if (!group.empty() && group != name && group != cat("mail ", name)) continue;
    out += cat(out.empty() ? "" : "\n", title, "\n");
    for (const auto& row : op_table())
      if (group_of(row.name) == name && !is_alias(row))
        out += entry(words_of(row.name), spelled(row.op().summary, row.op()), kCommands, {.width = width});
  }
  if (group.empty()) out += "\nThe program itself\n";
  if (group.empty())
    for (const auto& command : own_commands())
      out += entry(std::string(command.name), std::string(command.summary), kCommands, {.width = width});
  return out + "\ngt COMMAND --help shows a command's arguments and examples.\n";
}

std::string help_for(const Op& op, const HelpLook& look) {
  std::string out =
      cat(wrapped(spelled(op.summary, op), look.width, 0), "\n\nUsage: ", wrapped(usage_of(op), look.width, 7), "\n");
  if (const auto aliases = aliases_of(op); !aliases.empty() && !look.compact)
    out += cat("Also:  ", wrapped(join(aliases, ", "), look.width, 7), "\n");
  std::vector<std::string> below;
  for (const auto& row : op_table())
    if (group_of(row.name) == op.name && !is_alias(row)) below.push_back(cat("gt ", words_of(row.name)));
  if (!below.empty() && !look.compact) out += cat("Below it: ", wrapped(join(below, ", "), look.width, 10), "\n");
  out += "\n";
  for (const auto& arg : op.args) {
    out += entry(label_of(arg), meaning_of(op, arg), kArguments, look);
    if (arg.kind != ArgKind::body) continue;
    if (look.compact)
      out += entry("--stdin, -F FILE", "Read it from standard input (also a pipe), or a file", kArguments, look);
    else
      for (const auto& [label, meaning] : text_sources(op))
        out += entry(std::string(label), std::string(meaning), kArguments, look);
  }
  if (is_list_with_limit(op)) out += entry(std::string(kPage.label), std::string(kPage.meaning), kArguments, look);
  if (look.compact) {
    out += cat(kCommonInShort, "\n");
  } else {
    if (!op.args.empty()) out += "\n";
    for (const auto& [label, meaning] : kCommon)
      out += entry(std::string(label), std::string(meaning), kArguments, look);
  }
  out += "\nExamples:\n";
  std::size_t shown = 0;
  for (const auto& example : op.examples) {
    if (look.compact && ++shown > 2) break;
    const bool says = !example.what.empty() && !look.compact;
    out += cat("  ", example.command, says ? cat("   # ", example.what) : "", "\n");
  }
  return out;
}

std::string reference_markdown() {
  std::string out =
      "# Reference\n\n<!-- made by `gt docs reference`; do not edit -->\n\n"
      "Every command takes `--json` (stable keys), `-q` (only ids), `--as ADDR`, `--town DIR`, `--color WHEN` and "
      "`--help`.\n\n";
  out += cat("Exit codes: ", exit_codes_in_a_line(), ". ", other_exit_codes(),
             "\n\nErrors go to stderr as one line; with `--json` also to stdout as "
             "`{\"error\":{\"code\",\"message\",\"hint\"}}` (`limited` adds `retry_after` in seconds). "
             "`argument` names the argument at fault, `next` what to call (`operation`, `arguments`); the hint is the "
             "same as it is typed.\n");
  for (const auto& [group, title] : groups()) {
    out += cat("\n## ", title, "\n");
    for (const auto& entry : op_table()) {
      if (group_of(entry.name) != group || is_alias(entry)) continue;
      const Op& op = entry.op();
      out +=
          cat("\n### `gt ", words_of(op.name), "`\n\n", spelled(op.summary, op), ".\n\n```\n", usage_of(op), "\n```\n");
      if (!op.args.empty()) {
        out += "\n| argument | meaning |\n|---|---|\n";
        auto cell = [](std::string text) {
          for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
          return text;
        };
        for (const auto& arg : op.args) {
          out += cat("| `", cell(label_of(arg)), "` | ", cell(meaning_of(op, arg)), " |\n");
          if (arg.kind == ArgKind::body)
            for (const auto& [label, meaning] : text_sources(op)) out += cat("| `", label, "` | ", meaning, " |\n");
        }
      }
      if (is_list_with_limit(op)) out += cat("| `", kPage.label, "` | ", kPage.meaning, " |\n");
      if (const auto aliases = aliases_of(op); !aliases.empty()) out += cat("\nAlso: `", join(aliases, "`, `"), "`.\n");
      out += "\n```sh\n";
      for (const auto& example : op.examples)
        out += cat(example.command, example.what.empty() ? "" : cat("   # ", example.what), "\n");
      out += cat(
          "```\n\nAnswer: `", in_short(op.result()), "`\n\nWho may: ", who_may(op), ". Runs ", name(op.where), "; ",
          name(op.effect),
          op.changes_with.empty() ? "" : cat(" (changes with `", label_of(*find_argument(op, op.changes_with)), "`)"),
          ".\n");
    }
  }
  return out + own_commands_markdown();
}

}  // namespace townpost
