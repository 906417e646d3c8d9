#include <signal.h>
#include <unistd.h>

#include <thread>

#include "base/advice.h"
#include "base/text.h"
#include "ops/feed_views.h"
#include "ops/notifier.h"
#include "ops/server_place.h"
#include "ops/services.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/people/registry.h"
#include "post/people/resolve.h"
#include "post/town/presences.h"

namespace townpost::ops {

namespace {

Result<Answer> in_background(Call& call, const std::filesystem::path& folder) {
  const auto other = call.args.flag("replace") ? Services::Other::replace : Services::Other::refuse;
  TRY(started,
      call.host.services().watch_in_background(folder, call.host.own_program(), other, call.args.text("listen")));
  JsonObject out;
  out["pid"] = started.pid;
  out["log"] = to_utf8(started.log.string());
  Answer answer;
  if (const auto url = url_of_server(folder); !url.empty()) {
    out["url"] = url;
    if (auto danger = danger_of(url); !danger.empty()) answer.warnings.push_back(std::move(danger));
  }
  answer.json = std::move(out);
  return answer;
}

/// What happens while somebody watches, shown as `feed` shows it.
class News {
 public:
  static Result<News> from_now_on(Call& call, Town& town, const Caller& reader) {
    TRY(newest, Feed(town).newest());
    return News(call, town, reader, newest);
  }
  Result<> tell() {
    TRY(page, Feed(town_).after(come_to_, {}, reader_));
    come_to_ = page.upto;
    for (const auto& entry : page.entries) {
      auto item = views::feed_entry(entry, town_.settings);
      if (notifier_.tell_of(entry)) item["alarm"] = true;
      if (call_.request.show) call_.request.show(item);
    }
    return {};
  }

 private:
  News(Call& call, Town& town, const Caller& reader, std::int64_t come_to)
      : call_(call),
        town_(town),
        reader_(reader),
        come_to_(come_to),
        notifier_(town, call.environment(), [&call](std::string_view word) { call.request.tell(word); }) {}
  Call& call_;
  Town& town_;
  Caller reader_;
  std::int64_t come_to_;
  Notifier notifier_;
};

/// Who watches already. One that was killed holds its lock for a moment longer than it lives.
std::optional<Watcher> other_watcher(const std::filesystem::path& folder) {
  constexpr Millis kToDie = std::chrono::seconds(1);
  constexpr Millis kLookAgain(20);
  auto watcher = watcher_of(folder);
  for (Millis left = kToDie; watcher && watcher->process.empty() && left > Millis(0); left -= kLookAgain) {
    std::this_thread::sleep_for(kLookAgain);
    watcher = watcher_of(folder);
  }
  return watcher;
}

Result<Answer> watch(Call& call) {
  call.host.services().hand_over();
  TRY(folder, call.town_folder());
  if (const auto watcher = other_watcher(folder)) {
    if (!call.args.flag("replace"))
      return fail(Code::refused,
                  cat("a dispatcher runs already", watcher->process.empty() ? "" : cat(": process ", watcher->pid())),
                  next("", {{"replace", "true"}}, " takes over"));
    if (!call.args.flag("detach"))
      TRY_VOID(call.host.services().end_watch(folder, *watcher, Services::Next::this_process));
  }
  if (call.args.flag("detach")) return in_background(call, folder);
  TRY(town, call.town());
  const auto starter = call.host.starter(folder);
  TRY(caller, call.caller());
  TRY(news, News::from_now_on(call, *town, caller));
  const auto listen = call.args.maybe_text("listen").value_or(town->settings.http.listen);
  TRY_VOID(call.host.services().watch({.town = *town,
                                       .doors = call.doors(),
                                       .starter = *starter,
                                       .tell = [&](std::string_view line) { call.request.tell(line); },
                                       .renew_settings = [&] { call.renew_settings(); },
                                       .tell_news = [&] { return news.tell(); },
                                       .listen = listen == "off" ? "" : listen,
                                       .any_port = !call.args.has("listen"),
                                       .must_serve = call.args.has("listen")}));
  JsonObject out;
  out["pid"] = ::getpid();
  return Answer{.json = std::move(out)};
}

/// What the store and this host say of an agent's session, if it can still be spoken to.
Result<std::optional<Presence>> live_presence(Town& town, const Agent& agent) {
  TRY(stored, read_value(town.store, [&](Ledger& ledger) { return stored_presence(ledger, agent.id); }));
  auto seen = seen_presence(town, stored);
  return seen && !is_over(seen->state) && is_live(*seen) ? std::move(seen) : std::nullopt;
}

/// What nobody started here, nobody ends from here: it may be a person's own session.
Failure not_started_here(const Agent& agent, const std::optional<Presence>& session) {
  const auto& name = agent.address.str();
  if (session && session->host == this_host())
    return fail(Code::refused, cat(name, " was not started by ", called("start"), ": end it in its own session"),
                next("attach", {{"agent", name}}, " goes there"));
  return fail(Code::not_found, cat("nobody runs ", name, " on this host"), next("status", {}, " shows who runs where"));
}

}  // namespace

const Op& up() {
  static const Op op{
      .name = "up",
      .summary = "Run the dispatcher and the server: deliver nudges, report blocked agents, answer commands and HTTP",
      .args = {flag("detach", "Run in the background, until `down`"), flag("replace", "Replace a running one"),
               option("listen", "ADDR:PORT", "Answer HTTP there, or fail (default: the setting http.listen)")},
      .authority = not_in_quarantine(by_coordinators()),
      .where = Where::this_host,
      .effect = Effect::changes,
      .result =
          [] {
            return shape::object("watcher", {shape::always("pid", shape::integer()), shape::maybe("log", shape::text()),
                                             shape::maybe("url", shape::text(), "where HTTP is answered")});
          },
      .examples = {{"gt up", "in a terminal of its own"},
                   {"gt up --detach", ""},
                   {"gt serve --listen 127.0.0.1:9000", "the same, at another address"}},
      .run = watch,
      .haste = Haste::service};
  return op;
}

const Op& down() {
  static const Op op{.name = "down",
                     .summary = "Stop the dispatcher (exit 1 if none runs)",
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
                       TRY_VOID(call.host.services().end_watch(folder, *watcher, Services::Next::nobody));
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_run() {
  static const Op op{
      .name = "agent.run",
      .summary = "Run an agent under supervision: nudges reach it, and it stops when idle for long",
      .args = {maybe_many("command", "COMMAND", "The program and its arguments"),
               one_of({"terminal", "stream", "lines", "opencode"},
                      option("adapter", "A", "terminal, stream, lines or opencode (default: from the command)")),
               option("idle_timeout", "2m", "Stop it after this long idle; 0 is never, the default at a terminal",
                      ArgKind::duration),
               flag("pane", "Make this tmux pane the agent's: without hooks, text is typed into it")},
      .authority = by_itself(),
      .where = Where::this_terminal,
      .effect = Effect::changes,
      .result =
          [] {
            return shape::object("ended_program",
                                 {shape::always("address", shape::text()), shape::always("exit_code", shape::integer()),
                                  shape::maybe("stopped", shape::text())});
          },
      .examples = {{"gt agent run --as coder -- claude", "in this terminal"},
                   {"gt agent run --as coder -- opencode serve --port 4096", ""},
                   {"gt agent run --as coder -- claude -p --input-format stream-json "
                    "--output-format stream-json --verbose --replay-user-messages",
                    "without a terminal"}},
      .run = [](Call& call) -> Result<Answer> {
        SupervisorPlan plan{.idle_timeout = call.args.duration("idle_timeout"), .command = call.args.list("command")};
        if (plan.command.empty())
          return fail_argument("command", "a command is missing", next("agent.run", {{"as", "ADDR"}}, " -- COMMAND"));
        plan.adapter = adapter_of(plan.command);
        if (call.args.has("adapter")) plan.adapter = *find_adapter(call.args.text("adapter"));
        TRY(town, call.town());
        call.request.origin.identity.flag_may_be_new = true;
        TRY(caller, call.caller());
        if (caller.is_person())
          return fail_argument("as", "this agent has no name",
                               "give it one: " + next("agent.run", {{"as", "ADDR"}}, " -- COMMAND"));
        Registry::NewAgent wanted{.address = caller.address.str()};
        const auto pane = call.args.flag("pane") ? town->machine.own_pane() : std::nullopt;
        if (pane) {
          wanted.session = pane->uri();
          wanted.host = this_host();
          wanted.pane_process = process_name(pane->pid);
        }
        TRY(known, read_value(town->store, [&](Ledger& ledger) { return ledger.find_agent(wanted.address); }));
        TRY(agent, Registry(*town).add_agent(wanted, caller));
        if (!known) call.request.tell(cat(views::shown(agent.address.str(), town->settings), " is registered now"));
        plan.used_by_person = plan.adapter == Adapter::terminal && call.request.origin.at_terminal();
        TRY(ended, call.host.services().run_agent(*town, agent, plan, call.host.process_notes()));
        JsonObject out;
        out["address"] = views::shown(agent.address.str(), town->settings);
        out["exit_code"] = ended.exit_code;
        if (!ended.stopped.empty()) out["stopped"] = ended.stopped;
        return Answer{.json = std::move(out), .outcome = Outcome::exited};
      },
      .haste = Haste::service};
  return op;
}

const Op& stop() {
  static const Op op{
      .name = "stop",
      .summary = "Stop an agent that `start` or `agent.run` began: it ends ten seconds after its last work",
      .args = {if_missing("the agent is missing; the dispatcher is stopped by `down`",
                          one("agent", "ADDR", "The agent", ArgKind::address)),
               flag("now", "End its program at once, also in the middle of its work")},
      .authority = by_owner("agent"),
      .where = Where::this_host,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::object("stopping",
                                 {shape::always("address", shape::text()), shape::always("state", shape::text()),
                                  shape::always("now", shape::flag(), "its program was told to end")});
          },
      .examples = {{"gt stop coder", "when it is done"}, {"gt stop coder --now", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(agent,
            read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, call.args.text("agent")); }));
        const auto supervisor = call.host.process_notes().supervisor_of(agent.address.str(), town->folder);
        TRY(session, live_presence(*town, agent));
        if (!supervisor) return not_started_here(agent, session);
        const bool now = call.args.flag("now");
        ::kill(*supervisor, now ? SIGTERM : kDrain);
        JsonObject out;
        out["address"] = views::shown(agent.address.str(), town->settings);
        out["state"] = name(AgentState::draining);
        out["now"] = now;
        Answer answer{.json = std::move(out)};
        if (!now && session && session->harness.is(Harness::Kind::terminal))
          answer.warnings.push_back(cat(agent.address.str(), " does not say when it is idle, so it may not end; ",
                                        called("stop", {{"agent", agent.address.str()}, {"now", "true"}}),
                                        " ends it at once"));
        return answer;
      }};
  return op;
}

}  // namespace townpost::ops
