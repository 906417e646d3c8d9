#include "cli/help_topics.h"

#include <array>

#include "base/text.h"
#include "ops/setting_rows.h"

namespace townpost {

namespace {

constexpr std::array<ExitCode, 10> kExitCodes = {{{0, "done"},
                                                  {1, "nothing is there, or the answer is no (an empty list is 0)"},
                                                  {2, "wrong usage"},
                                                  {3, "no town"},
                                                  {4, "not found"},
                                                  {5, "refused or not allowed"},
                                                  {6, "store unavailable"},
                                                  {7, "limited"},
                                                  {8, "timed out"},
                                                  {9, "done in part"}}};

constexpr std::array<Variable, 25> kVariables = {{
    {"GT_TOWN", "the town's folder, instead of the nearest above; also GT_TOWN_ROOT"},
    {"GT_STORE", "the town's store, instead of [store] url: sqlite, sqlite:FILE or postgres://HOST/DATABASE"},
    {"GT_SERVER",
     "the server of a town on another machine, https://HOST:PORT; off: the command does its work itself, though a "
     "server runs"},
    {"GT_TOKEN", "the token for that server"},
    {"GT_TOKEN_FILE", "the file of tokens, instead of ~/.config/townpost/tokens: lines of \"URL TOKEN\", mode 0600"},
    {"GT_CA_FILE", "the certificates (PEM) that vouch for that server, instead of the system's"},
    {"MAIL_IDENTITY", "the name of the agent that a session runs as"},
    {"GT_ROLE",
     "the agent by its role: an address with a slash, or mayor, deacon, witness, refinery, polecat, crew, dog"},
    {"GT_RIG", "the rig of that role"},
    {"GT_POLECAT", "the name of a polecat"},
    {"GT_CREW", "the name of a crew member"},
    {"GT_DOG_NAME", "the name of a dog"},
    {"BD_ACTOR", "the same as MAIL_IDENTITY, if nothing else is set"},
    {"VISUAL", "your editor"},
    {"EDITOR", "your editor, if VISUAL is not set"},
    {"GT_PAGER, PAGER", "the pager for long output at a terminal, instead of less -FRX; cat turns it off"},
    {"NO_COLOR", "no colours, unless --color asks for them"},
    {"CLICOLOR_FORCE", "colours even into a pipe"},
    {"TERM", "dumb: no colours"},
    {"COLUMNS", "the width of the screen, if the terminal does not report it"},
    {"XDG_CONFIG_HOME", "where the list of your trusted towns is, instead of ~/.config"},
    {"CLAUDE_CONFIG_DIR", "Claude Code's folder, instead of ~/.claude"},
    {"TMUX, TMUX_PANE, TMUX_TMPDIR", "set by tmux: which server and which pane we are in"},
    {"GT_NOTIFY_TEXT, GT_NOTIFY_AGENT, GT_NOTIFY_WHY",
     "set for notify.command: the text, the agent it is about, and why (blocked, stalled, deaf, dead, held, mail)"},
    {"PGPASSWORD, PGPASSFILE", "read by the PostgreSQL client"},
}};

std::string in_a_cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

}  // namespace

std::span<const ExitCode> exit_codes() { return kExitCodes; }

std::string_view other_exit_codes() {
  return "`gt agent run` exits as its program does, and a hook with 2 where that wakes its session.";
}

std::string exit_codes_in_a_line() {
  std::vector<std::string> out;
  for (const auto& [code, meaning] : kExitCodes) out.push_back(cat(code, " ", meaning));
  return join(out, "; ");
}

std::span<const Variable> variables() { return kVariables; }

std::string help_topic(std::string_view word, std::size_t width) {
  std::string out;
  if (word == "exit-codes")
    for (const auto& [code, meaning] : kExitCodes) out += cat(code, "  ", meaning, "\n");
  if (word == "exit-codes") out += cat(other_exit_codes(), "\n");
  if (word == "environment")
    for (const auto& [name, meaning] : kVariables) out += cat(name, "\n    ", wrapped(meaning, width, 4), "\n");
  return out;
}

std::string configuration_markdown() {
  std::string out = R"(# Configuration

<!-- made by `gt docs configuration`; do not edit -->

Settings are in `.town/town.toml`. `gt config list` shows them, `gt config get KEY` where one comes from, `gt config set KEY VALUE` changes one and leaves the rest of the file alone, `gt config edit` opens it in your editor. A running `gt up` picks up changes.

| setting | default | what it does |
|---|---|---|
)";
  for (const auto& [key, standard, what] : setting_rows())
    out += cat("| `", key, "` | `", in_a_cell(standard), "` | ", in_a_cell(what), " |\n");
  out +=
      "\n`[roles.NAME]` is there for each role: crew, dog, session, witness, refinery, deacon, mayor. Message types of "
      "your "
      "own: [protocol.md](protocol.md).\n\n## Environment variables\n\n| variable | meaning |\n|---|---|\n";
  for (const auto& [name, meaning] : kVariables) out += cat("| `", name, "` | ", in_a_cell(meaning), " |\n");
  out += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const auto& [code, meaning] : kExitCodes) out += cat("| ", code, " | ", meaning, " |\n");
  return out + cat("\n", other_exit_codes(), "\n");
}

}  // namespace townpost
