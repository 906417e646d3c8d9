#include "cli/cli.h"

#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/render.h"
#include "ops/gate.h"
#include "ops/views.h"

namespace townpost {

namespace {

constexpr std::size_t kMostInput = 4u << 20;  // enough to tell how much over the limit a body is

int report(const Error& error, bool json, const CliHost& host) {
  std::string line = cat("gt: ", error.message);
  if (!error.hint.empty()) line += cat("; ", error.hint);
  host.err(Shown::line(line));
  if (json) host.out(Shown::json(to_line(views::error(error)) + "\n"));
  return exit_code(error.code);
}

/// The body, wherever it comes from: `--stdin` drops trailing newlines, `-m` and `-F` nothing.
Result<> fetch_body(CommandLine& line, const CliHost& host) {
  if (line.body_from_stdin) {
    TRY(text, host.read_stdin(kMostInput));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    line.args["body"] = text;
  } else if (line.body_file) {
    TRY(text, read_file_or_pipe(host.environment.working_folder() / *line.body_file, kMostInput));
    line.args["body"] = text;
  }
  return {};
}

/// A pipe is shown the first rows of an inbox and how many there are: no more need be fetched. A list that is narrowed
/// down has no such number, so it is fetched and counted.
void ask_for_what_is_shown(CommandLine& line) {
  const auto& args = line.args;
  if (line.op->name != "mail.inbox" || args.contains("limit") || args.contains("from") || args.contains("type") ||
      args.contains("cursor"))
    return;
  line.args["limit"] = static_cast<std::int64_t>(kPipeRows);
}

/// Hooks must never disturb an agent: trouble leaves one line in a log and nothing else.
int stay_silent(const Error& error, const Op& op, Context& context) {
  if (const auto folder = context.town_folder())
    Log(*folder / "log" / "signal.log", context.clock())
        .line(cat("gt ", op.name, ": ", name(error.code), ": ", error.message));
  return kExitDone;
}

/// Whether it is only ever called by hooks, whose exit code a harness would act on: also words of a later version of
/// the settings must not disturb the agent.
bool always_silent(const Op& op) { return op.fails_open && op.fails_open(Args()); }

Shown json_text(const Answer& answer) {
  if (!answer.as_lines) return Shown::json(to_line(answer.json) + "\n");
  Shown out;
  for (const auto& item : answer.json.get_array()) out += Shown::json(to_line(item) + "\n");
  return out;
}

/// How one run of an operation ended, and whether there is more to come.
struct Told {
  int exit_code = kExitDone;
  std::function<void()> wait_for_more;
};

Told run_once(const CommandLine& line, Call& call, bool hook, const CliHost& host) {
  const Op& op = *line.op;
  auto answer = perform(op, call);
  if (!answer)
    return {hook ? stay_silent(answer.error(), op, call.context) : report(answer.error(), line.json, host), {}};
  for (const auto& warning : answer->warnings) host.err(Shown::line(cat("gt: ", warning)));
  if (host.out_is_terminal)
    for (const auto& notice : call.context.notices()) host.err(Shown::line(cat("gt: ", notice)));
  const Screen screen{.terminal = host.out_is_terminal,
                      .colour = host.out_is_terminal && !host.environment.get("NO_COLOR"),
                      .now = call.context.clock().now()};
  const Shown text = line.json ? json_text(*answer) : line.quiet ? render_ids(*answer) : render(line, *answer, screen);
  const auto printed = answer->wake ? (host.err(text), Printed::whole) : host.out(text);
  const bool handed_over = printed == Printed::whole;
  if (handed_over && answer->confirm)
    if (auto confirmed = answer->confirm(); !confirmed)
      return {hook ? stay_silent(confirmed.error(), op, call.context) : report(confirmed.error(), false, host), {}};
  if (printed == Printed::lost && !hook)
    return {report({Code::unavailable, "it was done, but the answer could not be written",
                    "check the disk that the output goes to", {}},
                   false, host),
            {}};
  return {answer->exit_code.value_or(exit_code(answer->outcome)), handed_over ? answer->wait_for_more : nullptr};
}

int run_op(CommandLine& line, const CliHost& host) {
  const Op& op = *line.op;
  if (auto fetched = fetch_body(line, host); !fetched) return report(fetched.error(), line.json, host);
  if (!line.json && !line.quiet && !host.out_is_terminal) ask_for_what_is_shown(line);
  auto args = Args::check(op.args, line.args);
  if (!args) return always_silent(op) ? kExitDone : report(args.error(), line.json, host);

  const bool hook = op.fails_open && op.fails_open(*args);
  const auto context = host.open(line.town, line.as, hook ? Haste::hook : op.haste);
  Call call{*args, *context};
  while (true) {
    const auto told = run_once(line, call, hook, host);
    if (!told.wait_for_more) return told.exit_code;
    told.wait_for_more();
    if (host.out_is_terminal) host.out(Shown::empty_screen());  // the next view takes the place of this one
  }
}

/// `gt docs …`: what the repository and the installation make from the operation table.
std::optional<std::string> document(const std::vector<std::string>& words) {
  if (words.size() != 2 || words[0] != "docs") return std::nullopt;
  if (words[1] == "reference") return reference_markdown();
  if (words[1] == "man") return manual_page();
  return std::nullopt;
}

}  // namespace

int run_cli(const std::vector<std::string>& words, const CliHost& host) {
  if (words.size() == 1 && words[0] == "--version") {
    host.out("gt (Townpost) " TOWNPOST_VERSION "\n");
    return kExitDone;
  }
  if (const auto text = document(words)) {
    host.out(*text);
    return kExitDone;
  }
  bool json = false;
  for (const auto& word : words) {
    if (word == "--") break;
    json = json || word == "--json";
  }
  auto found = find_command(words);
  if (!found) return report(found.error(), json, host);
  if (!found->op) {
    bool help = words.empty() || (words.size() == 1 && words[0] == "help");
    for (const auto& word : found->rest) help = help || word == "--help" || word == "-h";
    if (help) {
      host.out(help_overview(found->group));
      return kExitDone;
    }
    return report(Error{Code::usage,
                        found->group.empty() ? "a command is missing" : cat("gt ", found->group, " needs a command"),
                        cat("gt ", found->group, found->group.empty() ? "" : " ", "--help lists them"),
                        {}},
                  json, host);
  }
  auto line = parse_command_line(*found->op, found->rest);
  if (!line) return always_silent(*found->op) ? kExitDone : report(line.error(), json, host);
  if (line->help) {
    host.out(help_for(*found->op));
    return kExitDone;
  }
  return run_op(*line, host);
}

}  // namespace townpost
