#include <algorithm>

#include "base/advice.h"
#include "base/number.h"
#include "base/program_path.h"
#include "base/text.h"
#include "delivery/session_doors.h"
#include "delivery/tmux/harness_profile.h"
#include "delivery/tmux/window.h"
#include "ops/harness_hooks.h"
#include "ops/services.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/people/list_names.h"
#include "post/people/registry.h"
#include "post/people/resolve.h"
#include "post/town/listening.h"
#include "post/town/presences.h"

namespace townpost::ops {

namespace {

constexpr int kMostAtOnce = 20;
constexpr Millis kTimeToStart = std::chrono::seconds(10);
constexpr Millis kMoment = std::chrono::milliseconds(300);  ///< a program that cannot start has ended by then

/// What is to be started: by which names, and with which program.
struct Plan {
  std::vector<Address> agents;
  std::vector<std::string> command;
  std::string program;  ///< the command's first word, without its folder
};

Result<> is_in_path(const Environment& environment, const std::string& program, NextStep otherwise) {
  if (program_path(environment, program)) return {};
  return fail(Code::not_found, cat("there is no program ", for_terminal_line(program), " in your PATH"),
              std::move(otherwise));
}

/// So many names that nobody has, made of the program's: claude-1, claude-2 …
Result<std::vector<Address>> free_names(Town& town, const std::string& program, std::int64_t count) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<std::vector<Address>> {
    std::vector<Address> out;
    for (int number = 1; static_cast<std::int64_t>(out.size()) < count; ++number) {
      const auto name = cat(program, "-", number);
      TRY(address, Address::parse(name));
      TRY(known, ledger.find_agent(name));
      if (!known && check_new_flat_name(ledger, name)) out.push_back(address);
    }
    return out;
  });
}

/// The agent of this name, or its name to be.
Result<Address> name_of(Town& town, const std::string& text) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<Address> {
    auto meant = resolve_one(ledger, text);
    if (meant) return meant->address;
    if (meant.error().code != Code::not_found) return Failure(meant.error());
    return Address::parse(text);
  });
}

Result<> is_free(Town& town, const Address& address) {
  StoredPresence stored;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    stored = {};
    TRY(agent, ledger.find_agent(address.str()));
    if (!agent) return {};
    TRY(presence, stored_presence(ledger, agent->id));
    stored = std::move(presence);
    return {};
  }));
  const auto seen = stored.agent.key == 0 ? std::nullopt : seen_presence(town, stored);
  if (!seen || is_over(seen->state) || !is_live(*seen)) return {};
  return fail(Code::refused, cat(address.str(), " runs already"),
              next("agent.show", {{"address", address.str()}}, " shows where"));
}

Result<Plan> plan_of(Call& call, Town& town) {
  Plan out;
  out.command = call.args.list("command");
  if (out.command.empty()) out.command = {"claude"};
  out.program = std::filesystem::path(out.command.front()).filename().string();
  const auto whom = call.args.text("agent");
  if (const auto count = whole_number(whom)) {
    if (*count < 1 || *count > kMostAtOnce)
      return fail_argument("agent", cat("cannot start ", whom, " agents at once"), cat("start 1 to ", kMostAtOnce));
    TRY(names, free_names(town, out.program, *count));
    out.agents = std::move(names);
  } else {
    TRY(name, name_of(town, whom));
    out.agents = {name};
  }
  TRY_VOID(is_in_path(call.environment(), out.command.front(),
                      out.program == "claude" ? "install Claude Code, or name another program after --"
                                              : "install it, or name another program after --"));
  TRY_VOID(is_in_path(call.environment(), "tmux",
                      next("agent.run", {{"as", out.agents.front().str()}}, " -- COMMAND starts one without tmux")));
  for (const auto& agent : out.agents) TRY_VOID(is_free(town, agent));
  return out;
}

/// Somebody has to watch over those who have no hooks, and over what waits for its time.
Result<Json> dispatcher_of(Call& call, const std::filesystem::path& folder) {
  JsonObject out;
  const auto watcher = watcher_of(folder);
  out["started"] = !watcher.has_value();
  if (watcher) {
    if (!watcher->process.empty()) out["pid"] = watcher->pid();
    return Json(std::move(out));
  }
  TRY(started, call.host.services().watch_in_background(folder, call.host.own_program(), Services::Other::refuse, ""));
  out["pid"] = started.pid;
  return Json(std::move(out));
}

/// Error: unavailable, with its last words, if what runs in the window has ended.
Result<> still_runs(const Agent& agent, const OpenedWindow& window) {
  SystemProcesses processes;
  const auto pane = look_at_pane(window, processes);
  if (pane.there && !pane.dead) return {};
  const auto words = pane.text.empty() ? "" : cat(": ", for_terminal_line(shorten(to_utf8(pane.text), 300)));
  return fail(Code::unavailable, cat(agent.address.str(), " ended at once", words),
              next("agent.run", {{"as", agent.address.str()}}, " -- COMMAND shows more"));
}

/// Returns once the agent's program runs, and has not ended in its first moment.
Result<> await_start(Call& call, Town& town, const Agent& agent, const OpenedWindow& window) {
  const PresenceFiles files(town.folder);
  const auto listener = town.bell.listen({agent.id}, {files.ears(agent.id)});
  const Instant until = town.clock.now() + kTimeToStart;
  while (true) {
    TRY_VOID(call.request.check(town.clock.now()));
    const auto presence = files.read(agent.id);
    if (presence && !is_over(presence->state) && is_live(*presence)) break;
    TRY_VOID(still_runs(agent, window));
    if (town.clock.now() >= until)
      return fail(Code::timeout, cat(agent.address.str(), " has not started yet"),
                  next("status", {}, " shows if it runs"));
    listener->wait({}, kMoment);
  }
  sleep_at({}, {}, kMoment);
  return still_runs(agent, window);
}

Result<JsonObject> start_one(Call& call, Town& town, const Plan& plan, const Address& address, const Caller& caller) {
  TRY(agent, Registry(town).add_agent({.address = address.str()}, caller));
  const auto place = town.folder.parent_path().string();
  WindowPlan window{
      .name = address.str(),
      .session = cat("town@", town.settings.town_name),
      .folder = call.environment().working_folder().string(),
      .command = {call.host.own_program(), "agent", "run", "--town", place, "--as", address.str(), "--pane", "--"},
      .environment = {}};
  for (auto& c : window.session)
    if (c == '.' || c == ':') c = '-';
  window.command.insert(window.command.end(), plan.command.begin(), plan.command.end());
  SystemProcesses processes;
  TRY(opened, open_window(window, call.environment(), processes));
  TRY_VOID(await_start(call, town, agent, opened));
  JsonObject out;
  out["address"] = views::shown(agent.address.str(), town.settings);
  out["session"] = opened.uri;
  out["tmux_session"] = to_utf8(opened.session);
  return out;
}

/// What reads lines and is no agent that we know gets none typed, until a person says what it is.
std::string doubt_about(Call& call, const Plan& plan, const JsonObject& started) {
  const std::string session(started.at("session").get_string());
  if (harness_profile(plan.program) || call.doors().is_agents(session)) return {};
  const std::string name(started.at("address").get_string());
  return cat(
      "no nudge is typed into ", for_terminal_line(plan.program), ", which is not a known agent; if it reads lines, ",
      called("agent.add", {{"address", name}, {"session", session}, {"harness", "raw"}}), " has them typed there");
}

}  // namespace

const Op& start() {
  static const Op op{
      .name = "start",
      .summary = "Start agents, each in its own tmux window, with a name and hooks, and the dispatcher if none runs",
      .args = {one("agent", "NAME|COUNT", "The agent's name, or how many to start"),
               maybe_many("command", "COMMAND", "The program and its arguments (default: claude)")},
      .authority = by_people(),
      .where = Where::this_terminal,
      .effect = Effect::changes,
      .result =
          [] {
            return shape::object(
                "started_agents",
                {shape::always("agents", shape::list_of(shape::object("started_agent",
                                                                      {shape::always("address", shape::text()),
                                                                       shape::always("session", shape::text()),
                                                                       shape::always("tmux_session", shape::text())}))),
                 shape::maybe("hooks", shapes::hooks()),
                 shape::always("dispatcher", shape::object("dispatcher", {shape::always("started", shape::flag()),
                                                                          shape::maybe("pid", shape::integer())}))});
          },
      .examples = {{"gt start coder", "Claude Code, as coder"},
                   {"gt start 3", "three of them: claude-1, claude-2, claude-3"},
                   {"gt start reviewer -- claude --model opus", ""},
                   {"gt start helper -- codex", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(plan, plan_of(call, *town));
        JsonObject out;
        if (plan.program == "claude") {
          TRY(hooks, install_hooks(call, HooksFor::this_folder));
          out["hooks"] = std::move(hooks);
        }
        TRY(dispatcher, dispatcher_of(call, town->folder));
        out["dispatcher"] = std::move(dispatcher);
        JsonArray started;
        std::vector<std::string> warnings;
        for (const auto& address : plan.agents) {
          auto one = start_one(call, *town, plan, address, caller);
          if (!one && started.empty()) return Failure(one.error());
          if (!one) {
            warnings.push_back(one.error().message);
            Answer answer{.outcome = Outcome::partial, .warnings = std::move(warnings)};
            out["agents"] = std::move(started);
            answer.json = std::move(out);
            return answer;
          }
          call.request.tell(cat("started ", address.str()));
          if (auto doubt = doubt_about(call, plan, *one); !doubt.empty()) warnings.push_back(std::move(doubt));
          started.push_back(std::move(*one));
        }
        out["agents"] = std::move(started);
        return Answer{.json = std::move(out), .warnings = std::move(warnings)};
      },
      .haste = Haste::service};
  return op;
}

}  // namespace townpost::ops
