#include "cli/manual.h"

#include <algorithm>

#include "base/text.h"
#include "cli/help.h"
#include "cli/help_topics.h"
#include "cli/own_commands.h"
#include "cli/spell.h"

namespace townpost {

namespace {

constexpr std::string_view kName = "townpost";

/// Text as roff takes it: nothing in it is a command.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string heading(std::string_view page, std::string_view what) {
  std::string upper(page);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return cat(".TH ", upper, " 1 \"\" \"Townpost " TOWNPOST_VERSION "\" \"Townpost\"\n.SH NAME\n", roff(page), " \\- ",
             what, "\n");
}

std::string tagged(std::string_view tag, std::string_view text) {
  return cat(".TP\n.B ", roff(tag), "\n", roff(text), "\n");
}

std::string command(const Op& op) {
  auto out = cat(".SS ", roff(usage_of(op)), "\n", roff(spelled(op.summary, op)), ".\n");
  for (const auto& arg : op.args) out += tagged(label_of(arg), meaning_of(op, arg));
  if (!op.examples.empty()) out += ".PP\nExamples:\n.nf\n";
  for (const auto& example : op.examples)
    out += cat(roff(cat("  ", example.command, example.what.empty() ? "" : cat("   # ", example.what))), "\n");
  return out + (op.examples.empty() ? "" : ".fi\n");
}

std::string command(const OwnCommand& own) {
  auto out = cat(".SS gt ", roff(own.usage), "\n", roff(own.summary), ".\n");
  for (const auto& [label, meaning] : own.lines) out += tagged(label, meaning);
  out += ".PP\nExamples:\n.nf\n";
  for (const auto& [call, what] : own.examples)
    out += cat(roff(cat("  ", call, what.empty() ? "" : cat("   # ", what))), "\n");
  return out + ".fi\n";
}

std::string closing() {
  std::string out = ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes()) out += tagged(std::to_string(code), meaning);
  return out;
}

std::string page_name(std::string_view group) { return group.empty() ? std::string(kName) : cat(kName, "-", group); }

std::string main_page() {
  auto out = heading(kName, "the post office of a town of coding agents");
  out +=
      ".SH SYNOPSIS\n.B gt\n.I command\n[arguments] [\\-\\-json] [\\-\\-as ADDR] [\\-\\-town DIR]\n.SH DESCRIPTION\n";
  out += cat(".nf\n", roff(help_start()), ".fi\n.SH COMMANDS\n");
  for (const auto* op : commands_of("")) out += command(*op);
  for (const auto& own : own_commands()) out += command(own);
  out += closing();
  out += ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : variables()) out += tagged(name, meaning);
  out += ".SH FILES\n";
  out += tagged(".town/town.toml", "the town's settings; gt config list shows them");
  out += tagged(".town/town.db", "its store, unless that is on a server");
  out += tagged(".town/log", "what hooks and the dispatcher could not do; refusals");
  out += tagged(".town/run", "bells and hints; safe to lose");
  out += tagged("~/.config/townpost/towns", "the towns that you made or trust");
  out += tagged(".claude/settings.local.json", "where gt harness install puts the hooks of Claude Code");
  out += ".SH SEE ALSO\n";
  std::vector<std::string> others;
  for (const auto& [group, title] : groups())
    if (!group.empty()) others.push_back(cat(".BR ", roff(page_name(group)), " (1)"));
  return out + join(others, ",\n") + "\n";
}

}  // namespace

std::vector<std::string> manual_pages() {
  std::vector<std::string> out;
  for (const auto& [group, title] : groups()) out.push_back(page_name(group));
  return out;
}

std::string manual_page(std::string_view name) {
  if (name == kName) return main_page();
  for (const auto& [group, title] : groups()) {
    if (group.empty() || page_name(group) != name) continue;
    auto out = cat(heading(name, cat("Townpost: ", lower_ascii(title))), ".SH COMMANDS\n");
    for (const auto* op : commands_of(group)) out += command(*op);
    return out + closing() + ".SH SEE ALSO\n.BR townpost (1)\n";
  }
  return "";
}

}  // namespace townpost
