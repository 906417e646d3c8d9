#include "cli/help.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/parse.h"

namespace townpost {

namespace {

constexpr std::string_view kExitCodes =
    "0 done; 1 nothing found or a negative answer; 2 wrong usage; 3 no town; 4 not found; 5 refused or not allowed; "
    "6 store unavailable; 7 limited; 8 timed out; 9 done in part";

constexpr std::string_view kGroups[][2] = {
    {"", "The town"},        {"mail", "Mail"},    {"group", "Groups"},       {"queue", "Queues"},
    {"channel", "Channels"}, {"nudge", "Nudges"}, {"dnd", "Do not disturb"}, {"protocol", "Typed messages"},
    {"rig", "Rigs"},         {"agent", "Agents"}, {"harness", "Harnesses"},  {"store", "The store"}};

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

std::string usage_of(const Op& op) {
  std::string out = cat("gt ", words_of(op.name));
  for (const auto& arg : op.args) {
    if (!arg.positional) continue;
    const std::string value = cat(arg.value, arg.many ? "…" : "");
    out += arg.required ? cat(" ", value) : cat(" [", value, "]");
  }
  for (const auto& arg : op.args)
    if (!arg.positional && arg.required) {
      if (arg.kind == ArgKind::body)
        out += cat(" -", arg.letter, " ", arg.value);
      else
        out += cat(" ", arg.letter ? cat("-", arg.letter) : long_option(arg), " ", arg.value);
    }
  return out + " [options]";
}

std::string label_of(const Arg& arg) {
  if (arg.positional) return cat(arg.value, arg.many ? "…" : "");
  if (!arg.bare.empty()) return cat(option_names(arg), "[=", arg.value, "]");
  return arg.kind == ArgKind::flag ? option_names(arg) : cat(option_names(arg), " ", arg.value);
}

std::string meaning_of(const Arg& arg) {
  std::string out(arg.help);
  if (!arg.standard.empty()) out += cat(" (", arg.standard, ")");
  return out;
}

std::vector<std::string_view> aliases_of(const Op& op) {
  std::vector<std::string_view> out;
  for (const auto& entry : op_table())
    if (entry.name != op.name && &entry.op() == &op) out.push_back(entry.name);
  return out;
}

struct CommonArg {
  std::string_view label;
  std::string_view meaning;
};
constexpr CommonArg kCommon[] = {{"--json", "Answer as JSON with stable keys"},
                                 {"-q, --quiet", "Print only ids"},
                                 {"--as ADDR", "Act as this registered agent"},
                                 {"--town DIR", "Use the town in this folder"},
                                 {"-h, --help", "Show this"}};

/// Every group of commands with its title, in the order of kGroups; one that nobody gave a title to has its own name.
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

bool is_alias(const OpEntry& entry) { return entry.op().name != entry.name; }

}  // namespace

std::string help_overview(std::string_view group) {
  std::string out;
  if (group.empty())
    out +=
        "gt: the post office of a town of coding agents\n\n"
        "  gt init                                      make a town here\n"
        "  gt mail send mayor/ -s Hello -m \"first mail\"  send\n"
        "  gt mail inbox                                see what arrived\n";
  for (const auto& [name, title] : groups()) {
    if (!group.empty() && group != name && group != cat("mail ", name)) continue;
    out += cat(out.empty() ? "" : "\n", title, "\n");
    for (const auto& entry : op_table())
      if (group_of(entry.name) == name && !is_alias(entry))
        out += cat("  ", padded(words_of(entry.name), 20), " ", entry.op().summary, "\n");
  }
  out += "\ngt COMMAND --help shows a command's arguments and examples. Every command takes --json, --as and --town.\n";
  return out;
}

std::string help_for(const Op& op) {
  std::string out = cat(op.summary, "\n\nUsage: ", usage_of(op), "\n");
  if (const auto aliases = aliases_of(op); !aliases.empty()) {
    out += "Also:";
    for (const auto alias : aliases) out += cat(" gt ", words_of(alias));
    out += "\n";
  }
  std::vector<std::string> below;
  for (const auto& entry : op_table())
    if (group_of(entry.name) == op.name && !is_alias(entry)) below.push_back(cat("gt ", words_of(entry.name)));
  if (!below.empty()) out += cat("Below it: ", join(below, ", "), "\n");
  out += "\n";
  bool body = false;
  for (const auto& arg : op.args) {
    out += cat("  ", padded(label_of(arg), 24), " ", meaning_of(arg), "\n");
    body = body || arg.kind == ArgKind::body;
  }
  if (body)
    out += cat("  ", padded("--stdin", 24), " The text from standard input, without trailing newlines\n", "  ",
               padded("-F, --file FILE", 24), " The text from a file, byte for byte\n");
  if (!op.args.empty()) out += "\n";
  for (const auto& [label, meaning] : kCommon) out += cat("  ", padded(std::string(label), 24), " ", meaning, "\n");
  out += "\nExamples:\n";
  for (const auto& example : op.examples)
    out += cat("  ", example.command, example.what.empty() ? "" : cat("   # ", example.what), "\n");
  out += cat("\nAnswer (--json): ", in_short(op.result()), "\nWho may: ", op.authority.describe(),
             "\nExit codes: ", kExitCodes, "\n");
  return out;
}

std::string reference_markdown() {
  std::string out =
      "# Reference\n\n<!-- made by `gt docs reference`; do not edit -->\n\n"
      "Every command takes `--json` (stable keys), `-q` (only ids), `--as ADDR`, `--town DIR` and `--help`.\n\n";
  out += cat("Exit codes: ", kExitCodes,
             ".\n\nErrors go to stderr as one line; with `--json` also to stdout as "
             "`{\"error\":{\"code\",\"message\",\"hint\"}}` (`limited` adds `retry_after` in seconds). "
             "`argument` names the argument at fault, `next` what to call (`operation`, `arguments`); the hint is the "
             "same as it is typed.\n");
  for (const auto& [group, title] : groups()) {
    out += cat("\n## ", title, "\n");
    for (const auto& entry : op_table()) {
      if (group_of(entry.name) != group || is_alias(entry)) continue;
      const Op& op = entry.op();
      out += cat("\n### `gt ", words_of(op.name), "`\n\n", op.summary, ".\n\n```\n", usage_of(op), "\n```\n");
      if (!op.args.empty()) {
        out += "\n| argument | meaning |\n|---|---|\n";
        auto cell = [](std::string text) {
          for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
          return text;
        };
        for (const auto& arg : op.args) {
          out += cat("| `", cell(label_of(arg)), "` | ", cell(meaning_of(arg)), " |\n");
          if (arg.kind == ArgKind::body)
            out +=
                "| `--stdin` | The text from standard input, without trailing newlines |\n| `-F, --file FILE` | The "
                "text from a file, byte for byte |\n";
        }
      }
      for (const auto alias : aliases_of(op)) out += cat("\nAlso: `gt ", words_of(alias), "`.\n");
      out += "\n```sh\n";
      for (const auto& example : op.examples)
        out += cat(example.command, example.what.empty() ? "" : cat("   # ", example.what), "\n");
      out += cat("```\n\nAnswer: `", in_short(op.result()), "`\n\nWho may: ", op.authority.describe(), ". Runs ",
                 name(op.where), "; ", name(op.effect), ".\n");
    }
  }
  return out;
}

std::string manual_page() {
  auto escaped = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '\\')
        out += "\\e";
      else if (c == '-')
        out += "\\-";
      else
        out += c;
    }
    return out;
  };
  std::string out =
      ".TH TOWNPOST 1 \"\" \"Townpost " TOWNPOST_VERSION
      "\" \"Townpost\"\n.SH NAME\ntownpost, gt \\- the post office of a town of coding agents\n"
      ".SH SYNOPSIS\n.B gt\n.I command\n[arguments] [\\-\\-json] [\\-\\-as ADDR] [\\-\\-town DIR]\n.SH COMMANDS\n";
  for (const auto& entry : op_table()) {
    if (is_alias(entry)) continue;
    const Op& op = entry.op();
    out += cat(".SS ", escaped(usage_of(op)), "\n", escaped(op.summary), ".\n");
    for (const auto& arg : op.args) out += cat(".TP\n", escaped(label_of(arg)), "\n", escaped(meaning_of(arg)), "\n");
  }
  out += cat(".SH EXIT STATUS\n", escaped(kExitCodes), ".\n");
  out +=
      ".SH ENVIRONMENT\nGT_TOWN, GT_ROLE, GT_RIG, GT_POLECAT, GT_CREW, GT_DOG_NAME, MAIL_IDENTITY, BD_ACTOR, "
      "TMUX_PANE, NO_COLOR\n";
  return out;
}

}  // namespace townpost
