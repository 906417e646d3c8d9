#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/child.h"
#include "base/files.h"
#include "base/log.h"
#include "base/private_files.h"
#include "base/signals.h"
#include "base/text.h"
#include "delivery/dispatcher.h"
#include "delivery/orphans.h"
#include "delivery/supervisor.h"
#include "delivery/tmux/session_lock.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/people/registry.h"
#include "post/people/resolve.h"
#include "post/town/presences.h"

namespace townpost::ops {

namespace {

constexpr Millis kTimeToLeave = std::chrono::seconds(15);
constexpr Millis kTrouble = std::chrono::seconds(5);

void sleep_for(Millis time) { std::this_thread::sleep_for(time); }

int number_of(const Watcher& watcher) { return std::atoi(watcher.process.c_str()); }

/// Asks a running watcher to leave and waits until it has.
Result<> end_watcher(const Watcher& watcher) {
  if (watcher.process.empty())
    return fail(Code::refused, "somebody watches over this town whose process is not to be seen from here",
                "end it where it runs: another container, perhaps");
  ::kill(number_of(watcher), SIGTERM);
  const auto until = std::chrono::steady_clock::now() + kTimeToLeave;
  while (process_runs(watcher.process)) {
    if (std::chrono::steady_clock::now() > until)
      return fail(Code::timeout, cat("the watcher ", watcher.process, " does not leave"),
                  cat("look at it, or end it: kill -9 ", number_of(watcher)));
    std::this_thread::sleep_for(Millis(20));
  }
  return {};
}

Result<Answer> detach(Call& call, const std::filesystem::path& folder) {
  std::vector<std::string> command = {call.host.own_program(), "up", "--town", folder.parent_path().string()};
  if (call.args.flag("replace")) command.emplace_back("--replace");
  const auto log = folder / "log" / "up.log";
  TRY(child, Child::start({.command = command, .ends = ChildPlan::Ends::log, .log = log.string(), .detached = true}));
  // It is up once it says so, or it ends with a reason.
  for (int looks = 0; looks < 500; ++looks) {
    if (child.exit_code()) return fail(Code::unavailable, "gt up did not stay", cat("see ", to_utf8(log.string())));
    if (const auto watcher = watcher_of(folder); watcher && number_of(*watcher) == child.pid()) break;
    std::this_thread::sleep_for(Millis(20));
  }
  JsonObject out;
  out["pid"] = child.pid();
  out["log"] = to_utf8(log.string());
  return Answer{.json = std::move(out)};
}

}  // namespace

const Op& up() {
  static const Op op{
      .name = "up",
      .summary = "Watch over this host's agents: carry nudges, end what is too old, tell who is blocked",
      .args = {flag("detach", "In the background; gt down ends it"), flag("replace", "Take over from one that runs")},
      .authority = not_in_quarantine(by_coordinators()),
      .where = Where::this_host,
      .effect = Effect::changes,
      .result =
          [] {
            return shape::object("watcher",
                                 {shape::always("pid", shape::integer()), shape::maybe("log", shape::text())});
          },
      .examples = {{"gt up", "in a terminal of its own"}, {"gt up --detach", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(folder, call.town_folder());
        if (const auto watcher = watcher_of(folder)) {
          if (!call.args.flag("replace"))
            return fail(
                Code::refused,
                cat("somebody watches already", watcher->process.empty() ? "" : cat(": process ", number_of(*watcher))),
                "gt up --replace takes over; gt down ends it");
          if (!call.args.flag("detach")) TRY_VOID(end_watcher(*watcher));
        }
        if (call.args.flag("detach")) return detach(call, folder);
        const auto lock = SessionLock::take(folder / "run" / "lock", watcher_name(), kTimeToLeave, sleep_for);
        if (!lock) return Failure(lock.error());
        TRY(town, call.town());
        const SignalInbox signals({SIGTERM, SIGINT, SIGHUP});
        const std::string own = process_name(::getpid());
        TRY_VOID(write_file_lightly(watcher_file(folder), own));
        const auto starter = call.host.starter(folder);
        Dispatcher dispatcher(*town, call.doors(), *starter, host_name());
        const Log log(folder / "log" / "up.log", town->clock);
        for (const auto& warning : town->settings.warnings) {
          call.request.tell(cat("warning: ", warning));
          log.line(cat("warning: ", warning));
        }
        call.request.tell(cat("watching over ", town->settings.town_name, "; Ctrl-C ends it"));
        while (signals.read().empty()) {
          auto next = dispatcher.round();
          if (!next) {
            log.line(cat(name(next.error().code), ": ", next.error().message));
            dispatcher.wait_until(town->clock.now() + kTrouble, signals.fd());
            continue;
          }
          dispatcher.wait_until(*next, signals.fd());
        }
        remove_private_file(watcher_file(folder));
        JsonObject out;
        out["pid"] = ::getpid();
        return Answer{.json = std::move(out)};
      },
      .haste = Haste::service};
  return op;
}

const Op& down() {
  static const Op op{.name = "down",
                     .summary = "End the watcher of this host (exit 1 if there is none)",
                     .args = {},
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::this_host,
                     .effect = Effect::idempotent,
                     .result = [] { return shape::object("ended", {shape::always("ended", shape::flag())}); },
                     .examples = {{"gt down", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(folder, call.town_folder());
                       JsonObject out;
                       const auto watcher = watcher_of(folder);
                       out["ended"] = watcher.has_value();
                       if (!watcher) return Answer{.json = std::move(out), .outcome = Outcome::nothing};
                       TRY_VOID(end_watcher(*watcher));
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_run() {
  static const Op op{
      .name = "agent.run",
      .summary = "Start an agent, keep it available for nudges, and stop it when it has been idle for long",
      .args = {maybe_many("command", "COMMAND", "The program and its arguments, behind --"),
               one_of({"terminal", "stream", "lines", "opencode"},
                      option("adapter", "A", "terminal, stream, lines or opencode; told from the command if left out")),
               option("idle_timeout", "2m", "Instead of its role's; 0 is never", ArgKind::duration)},
      .authority = by_itself(),
      .where = Where::this_terminal,
      .effect = Effect::changes,
      .result =
          [] {
            return shape::object("ended_program", {shape::always("address", shape::text()),
                                                   shape::always("exit_code", shape::integer())});
          },
      .examples = {{"gt agent run --as coder -- claude", "in this terminal"},
                   {"gt agent run --as coder -- opencode serve --port 4096", ""},
                   {"gt agent run --as coder -- claude -p --input-format stream-json --output-format stream-json "
                    "--verbose --replay-user-messages",
                    "without a terminal"}},
      .run = [](Call& call) -> Result<Answer> {
        SupervisorPlan plan{.idle_timeout = call.args.duration("idle_timeout"), .command = call.args.list("command")};
        if (plan.command.empty()) return fail(Code::usage, "a command is missing", "gt agent run --as ADDR -- COMMAND");
        plan.adapter = adapter_of(plan.command);
        if (call.args.has("adapter")) plan.adapter = *find_adapter(call.args.text("adapter"));
        TRY(town, call.town());
        TRY(caller, call.caller());
        if (caller.is_person())
          return fail(Code::usage, "which agent is this?", "gt agent run --as ADDR -- COMMAND; gt agent add makes one");
        TRY(agent, Registry(*town).add_agent({.address = caller.address.str()}, caller));
        // One session at a time: the second of two starts is refused.
        auto lock = SessionLock::take(town->folder / "run" / "lock", cat("run-", agent.id.key), Millis(0), sleep_for);
        if (!lock) return fail(Code::refused, cat(agent.address.str(), " runs already"), "gt status shows where");
        const SignalInbox signals({SIGTERM, SIGHUP, SIGCHLD, kDrain});
        keep_orphans();
        ::signal(SIGINT, SIG_IGN);  // the terminal sends it to the agent, too
        ::signal(SIGQUIT, SIG_IGN);
        const SupervisionNote note(call.host.process_notes(), agent.address.str(), town->folder);
        Supervisor supervisor(*town, agent, plan, host_name());
        TRY(code, supervisor.run(signals));
        JsonObject out;
        out["address"] = views::shown(agent.address.str(), town->settings);
        out["exit_code"] = code;
        return Answer{.json = std::move(out), .outcome = Outcome::exited};
      },
      .haste = Haste::service};
  return op;
}

const Op& agent_drain() {
  static const Op op{
      .name = "agent.drain",
      .summary = "Tell a supervised agent to finish: it ends ten seconds after its last work",
      .args = {one("agent", "ADDR", "Whom", ArgKind::address)},
      .authority = by_owner("agent"),
      .where = Where::this_host,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::object("draining",
                                 {shape::always("address", shape::text()), shape::always("state", shape::text())});
          },
      .examples = {{"gt agent drain coder", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(agent,
            read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, call.args.text("agent")); }));
        const auto supervisor = call.host.process_notes().supervisor_of(agent.address.str(), town->folder);
        if (!supervisor)
          return fail(Code::not_found, cat("no gt agent run has ", agent.address.str(), " on this host"),
                      "gt status shows who runs where");
        ::kill(*supervisor, kDrain);
        JsonObject out;
        out["address"] = views::shown(agent.address.str(), town->settings);
        out["state"] = name(AgentState::draining);
        return Answer{.json = std::move(out)};
      }};
  return op;
}

}  // namespace townpost::ops
