#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "ops/carrying.h"
#include "ops/gate.h"
#include "ops/nudge_views.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/nudge/cares.h"
#include "post/nudge/reach.h"
#include "post/nudge/reports.h"
#include "post/people/resolve.h"
#include "post/town/presences.h"

namespace townpost::ops {

namespace {

Result<Answer> shown_care(Call& call, Town& town, const Care& care) {
  TRY(agent, read_value(town.store, [&](Ledger& ledger) { return ledger.agent(care.agent); }));
  return Answer{
      .json = views::care(care, agent ? views::shown(agent->address.str(), town.settings) : "", call.clock().now())};
}

std::optional<std::string> whom(const Args& args) { return args.maybe_text("agent"); }

/// Whoever may be disturbed again is told now: `whom`, or everybody for whom something waits.
Result<> carry_what_waits(Call& call, Town& town, std::optional<AgentId> whom) {
  std::vector<std::pair<Agent, ReachFacts>> those;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    those.clear();
    TRY(waiting, ledger.agents_with_nudges());
    for (const auto id : waiting) {
      TRY(agent, ledger.agent(id));
      if (!agent || (whom && id != *whom)) continue;
      TRY(facts, reach_facts(town, ledger, id));
      those.emplace_back(*agent, std::move(facts));
    }
    return {};
  }));
  std::vector<std::string> addresses;
  HostLook host(town);
  for (const auto& [agent, facts] : those)
    if (host.reach(agent, facts).from_outside) addresses.push_back(agent.address.str());
  have_carried(call, addresses);
  return {};
}

Result<Answer> hold_or_release(Call& call, bool hold) {
  const bool all = call.args.flag("all");
  if (all == whom(call.args).has_value())
    return fail_argument(
        "agent", "name an agent, or all of them",
        "for example " + (hold ? next("hold", {{"all", "true"}, {"for", "8h"}}) : next("release", {{"all", "true"}})));
  TRY(town, call.town());
  TRY(caller, call.caller());
  Cares cares(*town);
  if (hold)
    TRY_VOID(cares.hold(whom(call.args), call.args.duration("for"), caller));
  else
    TRY_VOID(cares.release(whom(call.args), caller));
  if (!hold) TRY_VOID(carry_what_waits(call, *town, std::nullopt));
  TRY(watch, read_value(town->store, [](Ledger& ledger) { return ledger.watch(); }));
  JsonObject out;
  out["held"] = hold || watch.held(town->clock.now());  // the town's own hold goes on when an agent's ends
  out["whom"] = all ? "everybody" : *whom(call.args);
  return Answer{.json = std::move(out)};
}

}  // namespace

const Op& dnd_on() {
  static const Op op{.name = "dnd.on",
                     .summary = "Turn on do-not-disturb: only forced nudges reach the agent; mail is stored",
                     .args = {maybe_one("agent", "ADDR", "The agent (default: you)", ArgKind::address),
                              option("for", "1h", "End it after this time", ArgKind::duration)},
                     .authority = by_owner("agent"),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::care(); },
                     .examples = {{"gt dnd on --for 1h", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(care, Cares(*town).disturb_not(whom(call.args), call.args.duration("for"), caller));
                       return shown_care(call, *town, care);
                     }};
  return op;
}

const Op& dnd_off() {
  static const Op op{.name = "dnd.off",
                     .summary = "Turn off do-not-disturb: what waited is delivered",
                     .args = {maybe_one("agent", "ADDR", "The agent (default: you)", ArgKind::address)},
                     .authority = by_owner("agent"),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::care(); },
                     .examples = {{"gt dnd off", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(care, Cares(*town).disturb_again(whom(call.args), caller));
                       TRY_VOID(carry_what_waits(call, *town, care.agent));
                       return shown_care(call, *town, care);
                     }};
  return op;
}

const Op& dnd_status() {
  static const Op op{.name = "dnd.status",
                     .summary = "Show if do-not-disturb is on",
                     .args = {maybe_one("agent", "ADDR", "The agent (default: you)", ArgKind::address)},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shapes::care(); },
                     .examples = {{"gt dnd status coder", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(care, Cares(*town).care_of(whom(call.args), caller));
                       return shown_care(call, *town, care);
                     }};
  return op;
}

const Op& hold() {
  static const Op op{
      .name = "hold",
      .summary = "Pause an agent or the whole town: mail is stored, nothing is delivered, timers stop",
      .args = {maybe_one("agent", "ADDR", "The agent", ArgKind::address), flag("all", "The whole town"),
               option("for", "8h", "End it after this time", ArgKind::duration)},
      .authority = by_people(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::object("hold", {shape::always("held", shape::flag()), shape::always("whom", shape::text())});
          },
      .examples = {{"gt hold --all --for 8h", "for the night"}, {"gt hold coder", ""}},
      .run = [](Call& call) -> Result<Answer> { return hold_or_release(call, true); }};
  return op;
}

const Op& release() {
  static const Op op{
      .name = "release",
      .summary = "End a pause made with `hold`: what waited is delivered (claimed work: `mail.release`)",
      .args = {maybe_one("agent", "ADDR", "The agent", ArgKind::address), flag("all", "The whole town")},
      .authority = by_people(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::object("hold", {shape::always("held", shape::flag()), shape::always("whom", shape::text())});
          },
      .examples = {{"gt release --all", ""}},
      .run = [](Call& call) -> Result<Answer> { return hold_or_release(call, false); }};
  return op;
}

const Op& agent_quarantine() {
  static const Op op{
      .name = "agent.quarantine",
      .summary = "Quarantine an agent: nothing it sends is delivered or wakes anyone until lifted",
      .args = {one("agent", "ADDR", "The agent", ArgKind::address), flag("lift", "End the quarantine")},
      .authority = by_people(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result = [] { return shapes::care(); },
      .examples = {{"gt agent quarantine coder", ""}, {"gt agent quarantine coder --lift", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        Cares cares(*town);
        const auto name = call.args.text("agent");
        TRY(care, call.args.flag("lift") ? cares.lift_quarantine(name, caller) : cares.quarantine(name, caller));
        return shown_care(call, *town, care);
      }};
  return op;
}

const Op& agent_hook() {
  static const Op op{
      .name = "agent.hook",
      .summary =
          "Record which bead an agent works on: long silence is then reported, and mail for the name's previous holder "
          "is hidden",
      .args = {one("agent", "ADDR", "The agent", ArgKind::address),
               maybe_one("bead", "BEAD", "The bead (default: none)")},
      .authority = not_in_quarantine(by_itself("agent")),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result = [] { return shapes::care(); },
      .examples = {{"gt agent hook gp/nux gp-12", ""}, {"gt agent hook gp/nux", "it is done"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(care, Cares(*town).set_hook(call.args.text("agent"), call.args.text("bead"), caller));
        return shown_care(call, *town, care);
      }};
  return op;
}

const Op& agent_report() {
  static const Op op{
      .name = "agent.report",
      .summary = "Report how an agent is that a program of yours runs: what waits for it goes by that",
      .args = {one("agent", "ADDR", "The agent", ArgKind::address),
               one_of(reported_names(), one("event", "EVENT", "started, busy, idle, exited or heartbeat")),
               option("detail", "TEXT", "What it does, for people")},
      .authority = by_itself("agent"),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::object(
                "reported", {shape::always("address", shape::text()), shape::always("state", shapes::agent_state()),
                             shape::always("since", shape::instant())});
          },
      .examples = {{"gt agent report coder idle", "its turn has ended: what waited may reach it now"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(agent,
            read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, call.args.text("agent")); }));
        TRY(presence,
            report(*town, agent, *find_reported(lower_ascii(call.args.text("event"))), call.args.text("detail")));
        JsonObject out;
        out["address"] = views::shown(agent.address.str(), town->settings);
        out["state"] = std::string(name(presence.state));
        out["since"] = rfc3339(presence.since);
        return Answer{.json = std::move(out)};
      }};
  return op;
}

}  // namespace townpost::ops
