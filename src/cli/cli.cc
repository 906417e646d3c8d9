#include "cli/cli.h"

#include <algorithm>

#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/render.h"
#include "cli/spell.h"
#include "ops/schema.h"
#include "ops/views.h"

namespace townpost {

namespace {

constexpr std::size_t kMostInput = 4u << 20;  // enough to tell how much over the limit a body is

int report(const Error& error, bool json, const CliHost& host, const Op* op = nullptr) {
  const auto [message, hint] = spelled(error, op);
  host.err(Shown::line(cat("gt: ", message, hint.empty() ? "" : "; ", hint)));
  if (json) {
    auto told = views::error(error);
    auto& problem = told["error"].get_object();
    problem["message"] = message;
    problem["hint"] = hint;
    host.out(Shown::json(to_line(told) + "\n"));
  }
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

/// A pipe is shown the first rows of a mailbox and how many there are: no more need be fetched. A list that is narrowed
/// down has no such number, so it is fetched and counted.
void ask_for_what_is_shown(CommandLine& line) {
  const auto& args = line.op->args;
  const bool has_pages = std::any_of(args.begin(), args.end(), [](const Arg& arg) { return arg.name == "cursor"; });
  const bool is_narrowed = std::any_of(args.begin(), args.end(), [&](const Arg& arg) {
    return arg.kind != ArgKind::flag && !arg.positional && line.args.contains(std::string(arg.name));
  });
  if (!has_pages || is_narrowed || view_key(line.op->result()) != "[message]") return;
  line.args["limit"] = static_cast<std::int64_t>(kPipeRows);
}

/// Hooks must never disturb an agent: trouble leaves one line in a log and nothing else.
int stay_silent(const Error& error, const Op& op, const Request& request, const CliHost& host) {
  if (const auto folder = request.call ? request.call->town_folder() : Result<std::filesystem::path>(fail(error)))
    Log(*folder / "log" / "signal.log", host.clock)
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

/// One command: what was typed, and the request that it became.
struct Run {
  const CommandLine& line;
  const Args& args;
  Request& request;
  bool is_hook;
  const CliHost& host;

  int fail_with(const Error& error) const {
    return is_hook ? stay_silent(error, *line.op, request, host) : report(error, line.json, host, line.op);
  }
};

/// Prints the answer, and says so to whoever wants to know. The exit code, if that went wrong.
std::optional<int> hand_over(const Answer& answer, const Run& run) {
  const auto& [line, args, request, is_hook, host] = run;
  for (const auto& warning : answer.warnings) host.err(Shown::line(cat("gt: ", warning)));
  if (host.out_is_terminal)
    for (const auto& notice : answer.notices) host.err(Shown::line(cat("gt: ", notice)));
  const Screen screen{.terminal = host.out_is_terminal,
                      .colour = host.out_is_terminal && !host.environment.get("NO_COLOR"),
                      .now = host.clock.now()};
  const Shown text = line.json ? json_text(answer) : line.quiet ? render_ids(answer) : render(line, answer, screen);
  // A harness takes what wakes its session from where errors go.
  const auto printed = answer.outcome == Outcome::wake ? (host.err(text), Printed::whole) : host.out(text);
  if (printed == Printed::whole) {
    const auto followed = host.engine.handed_over(request);
    return followed ? std::nullopt : std::optional(run.fail_with(followed.error()));
  }
  if (printed == Printed::lost && !is_hook)
    return report({Code::unavailable,
                   "it was done, but the answer could not be written",
                   "check the disk that the output goes to",
                   {}},
                  false, host);
  return exit_code(answer);
}

int run_op(CommandLine& line, const CliHost& host) {
  const Op& op = *line.op;
  if (auto fetched = fetch_body(line, host); !fetched) return report(fetched.error(), line.json, host, &op);
  if (!line.json && !line.quiet && !host.out_is_terminal) ask_for_what_is_shown(line);
  auto args = Args::check(op.args, line.args);
  if (!args) return always_silent(op) ? kExitDone : report(args.error(), line.json, host, &op);

  const bool is_hook = op.fails_open && op.fails_open(*args);
  const Haste haste = is_hook ? Haste::hook : op.haste;
  Request request{.origin = host.origin(line.town, line.as, haste),
                  .haste = haste,
                  .started_at = host.clock.now(),
                  .input = [&] { return host.read_stdin(kMostInput); },
                  .tell = [&](std::string_view word) { host.err(Shown::line(cat("gt: ", word))); }};
  const Run run{line, *args, request, is_hook, host};
  std::unique_ptr<Engine::Pause> pause;
  while (true) {
    const auto answer = call_until_answered(host.engine, op, *args, request);
    if (!answer) return run.fail_with(answer.error());
    const auto trouble = hand_over(*answer, run);
    if (trouble || !answer->again) return trouble.value_or(exit_code(*answer));
    if (!pause) {
      auto listening = host.engine.pause(*answer->again, request);
      if (!listening) return run.fail_with(listening.error());
      pause = std::move(*listening);
    }
    pause->wait(answer->again->at);
    if (host.out_is_terminal) host.out(Shown::empty_screen());  // the next view takes the place of this one
  }
}

/// `gt docs …`: what the repository and the installation make from the operation table.
std::optional<std::string> document(const std::vector<std::string>& words) {
  if (words.size() != 2 || words[0] != "docs") return std::nullopt;
  if (words[1] == "reference") return reference_markdown();
  if (words[1] == "man") return manual_page();
  if (words[1] == "schema") return to_pretty(schema_document());
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
  if (!line) return always_silent(*found->op) ? kExitDone : report(line.error(), json, host, found->op);
  if (line->help) {
    host.out(help_for(*found->op));
    return kExitDone;
  }
  return run_op(*line, host);
}

}  // namespace townpost
