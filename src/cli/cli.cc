#include "cli/cli.h"

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/local_time.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/completion.h"
#include "cli/compose.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/help_topics.h"
#include "cli/manual.h"
#include "cli/other_reading.h"
#include "cli/own_commands.h"
#include "cli/parse.h"
#include "cli/prose.h"
#include "cli/render.h"
#include "cli/render_text.h"
#include "cli/short_names.h"
#include "cli/spell.h"
#include "cli/text_given.h"
#include "cli/top/run_top.h"
#include "ops/contract.h"
#include "ops/schema.h"
#include "ops/views.h"

namespace townpost {

namespace {

/// As wide as the terminal, if a person reads there. Where errors go to is taken for the same one.
Screen screen_of_notes(const CliHost& host) {
  Screen out{.terminal = host.out_is_terminal, .now = host.clock.now()};
  if (out.terminal) out.width = screen_width(host.window(), host.environment);
  return out;
}

int report(const Error& error, bool json, const CliHost& host, const Op* op = nullptr) {
  hold_to_contract(op, error);
  const auto [message, hint] = spelled(error, op);
  const auto text = cat("gt: ", message, hint.empty() ? "" : "; ", hint);
  host.err(json ? Shown::line(text) : prose(with_local_moments(text, host.clock.now()), screen_of_notes(host)));
  if (json) {
    auto told = views::error(error);
    auto& problem = told["error"].get_object();
    problem["message"] = message;
    problem["hint"] = hint;
    host.out(Shown::json(to_line(told) + "\n"));
  }
  return exit_code(error.code);
}

/// A pipe is shown the first rows of a list and how many there are: no more need be fetched.
void ask_for_what_is_shown(CommandLine& line) {
  if (is_list_with_limit(*line.op) && is_shown_in_rows(*line.op) && !line.args.contains("limit"))
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

/// `--page`: the list, how many there are altogether and behind it, and where that begins.
Shown page_of(const Answer& answer) {
  const auto size = static_cast<std::int64_t>(answer.json.get_array().size());
  const auto extent = answer.extent.value_or(Extent{.total = size});
  JsonObject page;
  page["items"] = answer.json;
  page["total"] = extent.total;
  page["more"] = extent.more;
  page["cursor"] = extent.cursor ? Json(*extent.cursor) : Json(nullptr);
  return Shown::json(to_line(page) + "\n");
}

Screen screen_of(const CommandLine& line, const CliHost& host) {
  Screen out{.terminal = host.out_is_terminal,
             .colour = uses_colour(line.colour, host.out_is_terminal, host.environment),
             .now = host.clock.now()};
  if (!out.terminal) return out;
  const auto window = host.window();
  out.width = screen_width(window, host.environment);
  out.height = screen_height(window, host.environment);
  return out;
}

Shown json_line(const Json& item) { return Shown::json(to_line(item) + "\n"); }

Shown json_text(const CommandLine& line, const Answer& answer) {
  if (line.page) return page_of(answer);
  if (!answer.as_lines) return Shown::json(to_line(answer.json) + "\n");
  Shown out;
  for (const auto& item : answer.json.get_array()) out += json_line(item);
  return out;
}

std::size_t list_size(const Answer& answer) { return answer.json.is_array() ? answer.json.get_array().size() : 0; }

/// What a person reads on a terminal; asked of the town only if somebody's name is to be shown.
class ShortNames {
 public:
  ShortNames(const CommandLine& line, const CliHost& host) : line_(line), host_(host) {}
  std::string of(std::string_view address) {
    if (!known_) known_ = short_names(addresses());
    const auto found = known_->find(std::string(address));
    return found == known_->end() ? std::string(address) : found->second;
  }

 private:
  /// Whatever goes wrong, addresses are shown as they are.
  std::vector<std::string> addresses() const {
    const Op* op = find_op("agent.list");
    const auto args = Args::check(op->args, {});
    Request request{.origin = host_.origin(line_.town, line_.as, Haste::none),
                    .started_at = host_.clock.now(),
                    .input = [] { return Result<std::string>(std::string()); },
                    .tell = [](std::string_view) {}};
    const auto answer = args ? host_.engine.call(*op, *args, request) : Result<Answer>(fail(args.error()));
    std::vector<std::string> out;
    if (!answer || !answer->json.is_array()) return out;
    for (const auto& one : answer->json.get_array())
      if (const auto* address = one.get_object().if_contains("address"); address && address->is_string())
        out.emplace_back(address->get_string());
    return out;
  }
  const CommandLine& line_;
  const CliHost& host_;
  std::optional<std::map<std::string, std::string>> known_;
};

/// More lines than the terminal has.
bool is_longer_than(const Shown& text, const Screen& screen) {
  const auto& bytes = text.bytes();
  return screen.terminal && static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) >= screen.height;
}

Printed print(const Shown& text, const CliHost& host, const Screen& screen) {
  if (is_longer_than(text, screen) && host.in_is_terminal && host.page(text)) return Printed::whole;
  return host.out(text);
}

/// What can be written to; nothing, where that cannot be found out.
std::vector<std::string> known_addresses(const CommandLine& line, const CliHost& host) {
  const Op* op = find_op("mail.directory");
  const auto args = Args::check(op->args, {});
  Request request{.origin = host.origin(line.town, line.as, Haste::none),
                  .started_at = host.clock.now(),
                  .input = [] { return Result<std::string>(std::string()); },
                  .tell = [](std::string_view) {}};
  const auto answer = args ? host.engine.call(*op, *args, request) : Result<Answer>(fail(args.error()));
  std::vector<std::string> out;
  if (!answer || !answer->json.is_array()) return out;
  for (const auto& one : answer->json.get_array()) out.push_back(text_of(one.get_object(), "address"));
  return out;
}

/// The error as it is told whoever typed the line.
int report_line(const Error& error, const CommandLine& line, const CliHost& host) {
  return report(with_other_reading(error, line, [&] { return known_addresses(line, host); }), line.json, host, line.op);
}

/// One command: what was typed, and the request that it became.
struct Run {
  const CommandLine& line;
  const Args& args;
  Request& request;
  bool is_hook;
  const CliHost& host;

  int fail_with(const Error& error) const {
    return is_hook ? stay_silent(error, *line.op, request, host) : report_line(error, line, host);
  }
};

void say_aside(const std::string& text, const Run& run) {
  const auto said = cat("gt: ", respelled(text));
  run.host.err(run.line.json ? Shown::line(said)
                             : prose(with_local_moments(said, run.host.clock.now()), screen_of_notes(run.host)));
}

/// Prints the answer, and says so to whoever wants to know. The exit code, if that went wrong.
std::optional<int> hand_over(const Answer& answer, const Run& run) {
  const auto& [line, args, request, is_hook, host] = run;
  for (const auto& warning : answer.warnings) say_aside(warning, run);
  if (host.out_is_terminal)
    for (const auto& notice : answer.notices) say_aside(notice, run);
  // A list that was cut says so where it cannot say so itself; a page does.
  if ((line.json && !line.page) || (line.quiet && !line.args.contains("limit")))
    if (const auto more = how_it_goes_on(line, answer, list_size(answer)); !more.empty())
      host.err(Shown::line(cat("gt: ", more)));
  auto screen = screen_of(line, host);
  ShortNames names(line, host);
  if (screen.terminal) screen.short_name = [&names](std::string_view address) { return names.of(address); };
  const Shown text = line.json    ? json_text(line, answer)
                     : line.quiet ? render_ids(answer)
                                  : render(line, answer, screen);
  // A harness takes what wakes its session from where errors go.
  const bool is_read = !answer.again && !line.json && !line.quiet;
  const auto printed = answer.outcome == Outcome::wake ? (host.err(text), Printed::whole)
                       : is_read                       ? print(text, host, screen)
                                                       : host.out(text);
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

/// Answers, and again as long as somebody watches.
int answer_and_go_on(const Run& run, std::optional<Draft>& draft) {
  const auto& [line, args, request, is_hook, host] = run;
  std::unique_ptr<Engine::Pause> pause;
  while (true) {
    const auto answer = call_until_answered(host.engine, *line.op, args, request);
    if (!answer) return run.fail_with(answer.error());
    draft.reset();
    const auto trouble = hand_over(*answer, run);
    if (trouble || !answer->again) return trouble.value_or(exit_code(*answer));
    const bool goes_on = answer->again->what == Again::For::what_follows;
    if (!pause) {
      auto listening = host.engine.pause(*answer->again, request);
      if (!listening) return run.fail_with(listening.error());
      pause = std::move(*listening);
      if (goes_on) continue;  // what rang before anybody listened was not heard
    }
    pause->wait(answer->again->at);
    if (!goes_on && host.out_is_terminal) host.out(Shown::empty_screen());  // the next view takes the place of this one
  }
}

int run_with_text(CommandLine& line, const CliHost& host, std::optional<Draft>& draft) {
  const Op& op = *line.op;
  if (!line.json && !line.quiet && !host.out_is_terminal) ask_for_what_is_shown(line);
  auto args = Args::check(op.args, line.args);
  if (!args) return always_silent(op) ? kExitDone : report_line(args.error(), line, host);

  const bool is_hook = op.fails_open && op.fails_open(*args);
  const Haste haste = is_hook ? Haste::hook : op.haste;
  Request request{.origin = host.origin(line.town, line.as, haste),
                  .haste = haste,
                  .started_at = host.clock.now(),
                  .input = [&] { return host.read_stdin(kMostInput, nullptr); },
                  .tell = [&](std::string_view word) { host.err(Shown::line(cat("gt: ", word))); },
                  .show =
                      [&](const Json& item) {
                        if (!line.quiet)
                          host.out(line.json ? json_line(item) : render_item(item, screen_of(line, host)));
                      }};
  const Run run{line, *args, request, is_hook, host};
  return answer_and_go_on(run, draft);
}

int run_op(CommandLine& line, const CliHost& host) {
  std::optional<Draft> draft;
  if (is_full_screen(line, host)) return run_top(line, host);
  const auto origin = [&] { return host.origin(line.town, line.as, line.op->haste); };
  if (const auto meant = check_text_is_no_target(line, [&] { return known_addresses(line, host); }); !meant)
    return report(meant.error(), line.json, host, line.op);
  const auto fetched = fetch_text(line, origin, host, draft);
  const int code = fetched ? run_with_text(line, host, draft) : report_line(fetched.error(), line, host);
  if (draft) keep_draft(*draft, host);
  return code;
}

/// `gt docs …`: what the repository and the installation make from the operation table.
std::optional<std::string> document(const std::vector<std::string>& words) {
  if (words.size() < 2 || words.size() > 3 || words[0] != "docs") return std::nullopt;
  if (words[1] == "man" && words.size() == 3)
    return words[2] == "--list" ? join(manual_pages(), "\n") + "\n" : manual_page(words[2]);
  if (words.size() != 2) return std::nullopt;
  if (words[1] == "reference") return reference_markdown();
  if (words[1] == "configuration") return configuration_markdown();
  if (words[1] == "man") return manual_page("townpost");
  if (words[1] == "schema") return to_pretty(schema_document());
  return std::nullopt;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Prose of more columns than this is hard to read.
constexpr std::size_t kWidestHelp = 100;

HelpLook look_of(const CliHost& host) {
  if (!host.out_is_terminal) return {.compact = true};
  return {.width = std::clamp<std::size_t>(screen_width(host.window(), host.environment), 40, kWidestHelp)};
}

/// Help is as long as it is: at a terminal page by page.
int show_help(const Shown& text, const CliHost& host) {
  Screen screen{.terminal = host.out_is_terminal};
  if (screen.terminal) screen.height = screen_height(host.window(), host.environment);
  print(text, host, screen);
  return kExitDone;
}

/// `gt help [WORDS…]`.
int run_help(const std::vector<std::string>& words, const CliHost& host) {
  if (words.empty()) return show_help(help_start(), host);
  if (words.size() == 1 && words[0] == "all") return show_help(help_overview("", look_of(host).width), host);
  if (!words.empty())
    if (const auto* own = find_own_command(words[0])) return show_help(help_for(*own, look_of(host)), host);
  if (words.size() == 1)
    if (const auto topic = help_topic(words[0], look_of(host).width); !topic.empty()) return show_help(topic, host);
  const auto found = find_command(words);
  if (!found) return report(found.error(), false, host);
  return show_help(found->op ? help_for(*found->op, look_of(host)) : help_overview(found->group, look_of(host).width),
                   host);
}

/// `gt version --help`, `gt docs help`: of what the command line answers by itself.
const OwnCommand* own_help(const std::vector<std::string>& words) {
  const auto* own = words.size() > 1 ? find_own_command(words[0]) : nullptr;
  return own && is_one_of(words[1], {"--help", "-h", "help"}) ? own : nullptr;
}

/// `gt mail send help`: no text, and hardly an agent of that name.
bool asks_for_help(const FoundCommand& found) {
  if (found.rest.size() != 1 || found.rest[0] != "help") return false;
  const auto& args = found.op->args;
  return args.empty() || !args.front().positional || args.front().kind != ArgKind::text;
}

/// `gt mail help`, `gt mail help send`: as with `help` before it.
std::optional<std::vector<std::string>> asked_within(const std::vector<std::string>& words) {
  const auto at = std::find(words.begin(), words.end(), "help");
  if (at == words.begin() || at == words.end() || at - words.begin() > 2) return std::nullopt;
  const auto group = find_command({words.begin(), at});
  if (!group || group->op || !group->rest.empty()) return std::nullopt;
  std::vector<std::string> out(words.begin(), at);
  out.insert(out.end(), at + 1, words.end());
  return out;
}

}  // namespace

int run_cli(const std::vector<std::string>& words, const CliHost& host) {
  if (const auto* own = own_help(words)) return show_help(help_for(*own, look_of(host)), host);
  if (words.size() == 1 && is_one_of(words[0], {"--version", "-V", "version"})) {
    host.out("gt (Townpost) " TOWNPOST_VERSION "\n");
    return kExitDone;
  }
  if (words.size() == 2 && is_one_of(words[0], {"--version", "-V", "version"}) && words[1] == "--json") {
    host.out(Shown::json(to_line(JsonObject{{"version", TOWNPOST_VERSION}}) + "\n"));
    return kExitDone;
  }
  if (const auto text = document(words)) {
    host.out(*text);
    return kExitDone;
  }
  if (!words.empty() && words[0] == "docs")
    return report({Code::usage,
                   words.size() == 1 ? "which document?" : cat("there is no such document: ", words[1]),
                   "gt help docs lists them",
                   {}},
                  false, host);
  if (const auto code = run_completion(words, host)) return *code;
  if (words.empty() || is_one_of(words[0], {"help", "--help", "-h"}))
    return run_help({words.begin() + (words.empty() ? 0 : 1), words.end()}, host);
  if (const auto asked = asked_within(words)) return run_help(*asked, host);
  bool json = false;
  for (const auto& word : words) {
    if (word == "--") break;
    json = json || word == "--json";
  }
  auto found = find_command(words);
  if (!found) return report(found.error(), json, host);
  if (!found->op) {
    bool help = found->rest.empty();
    for (const auto& word : found->rest) help = help || word == "--help" || word == "-h";
    if (help) {
      return show_help(help_overview(found->group, look_of(host).width), host);
    }
    return report(Error{Code::usage,
                        found->group.empty() ? "a command is missing" : cat("gt ", found->group, " needs a command"),
                        cat("gt ", found->group, found->group.empty() ? "" : " ", "--help lists them"),
                        {}},
                  json, host);
  }
  if (asks_for_help(*found)) return host.out(help_for(*found->op, look_of(host))), kExitDone;
  auto line = parse_command_line(*found->op, found->rest, found->named);
  if (!line) return always_silent(*found->op) ? kExitDone : report(line.error(), json, host, found->op);
  if (line->help) {
    return show_help(help_for(*found->op, look_of(host)), host);
  }
  return run_op(*line, host);
}

}  // namespace townpost
