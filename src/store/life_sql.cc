#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::row_as;
using columns::text;

constexpr auto kPresence = text("SELECT ") + columns::names<Presence>() + " FROM presence WHERE agent = $1";
constexpr Sql kState = "SELECT state FROM presence WHERE agent = $1";
constexpr auto kPresences = text("SELECT ") + columns::names<Presence>() + " FROM presence ORDER BY agent";
constexpr auto kPresencesOfMany =
    text("SELECT ") + columns::names<Presence>() + " FROM presence WHERE agent IN (" ANY_OF_MANY ")";
constexpr auto kSetPresence = columns::upsert<Presence>();

constexpr auto kCare = text("SELECT ") + columns::names<Care>() + " FROM care WHERE agent = $1";
constexpr auto kCares = text("SELECT ") + columns::names<Care>() + " FROM care ORDER BY agent";
constexpr auto kCaresOfMany = text("SELECT ") + columns::names<Care>() + " FROM care WHERE agent IN (" ANY_OF_MANY ")";
constexpr auto kQuarantined = text("SELECT ") + columns::list<Agent, 'a'>() +
                              " FROM care c JOIN agent a ON a.id = c.agent WHERE c.quarantined_at IS NOT NULL"
                              " ORDER BY a.id";
constexpr auto kSetCare = columns::upsert<Care>();

constexpr Sql kWatch = "SELECT awake, watched_at, held_since, hold_until, wakes_told_at FROM watch WHERE id = 1";
constexpr Sql kSetWatch =
    "UPDATE watch SET awake = $1, watched_at = $2, held_since = $3, hold_until = $4, wakes_told_at = $5 WHERE id = 1";

constexpr Sql kAddWake = R"sql(
  INSERT INTO wake (id, agent, at, by_agent, urgent)
  VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM wake), $1, $2, $3, $4))sql";
constexpr Sql kWakesByAgents =
    "SELECT at FROM wake WHERE agent = $1 AND at >= $2 AND at <= $5 AND by_agent = 1 AND urgent = $3"
    " ORDER BY at DESC LIMIT $4";
constexpr Sql kCountByAgents = "SELECT COUNT(*) FROM wake WHERE at >= $1 AND at <= $2 AND by_agent = 1";
constexpr Sql kCountWakes = "SELECT COUNT(*) FROM wake WHERE agent = $1 AND at >= $2 AND at <= $3";
constexpr Sql kWakes = "SELECT agent, at, by_agent, urgent FROM wake WHERE at >= $1 AND at <= $2";
constexpr Sql kForgetWakes = "DELETE FROM wake WHERE at < $1";

std::int64_t number(const Row& row) { return row.integer(0); }

}  // namespace

Result<std::optional<Presence>> SqlLedger::presence(AgentId agent) {
  return first(kPresence, {agent.key}, row_as<Presence>);
}

Result<std::vector<Presence>> SqlLedger::presences() { return all(kPresences, {}, row_as<Presence>); }

Result<std::vector<Presence>> SqlLedger::presences_of(const std::vector<AgentId>& agents) {
  return all_of(agents, kPresence, kPresencesOfMany, row_as<Presence>);
}

Result<> SqlLedger::set_presence(const Presence& p) {
  TRY(before, first(kState, {p.agent.key}, [](const Row& row) { return row.choice<AgentState>(0); }));
  if (before != p.state)
    TRY_VOID(add_event({.at = p.since,
                        .kind = EventKind::agent_state,
                        .agent = p.agent,
                        .detail = std::string(name(p.state)),
                        .audience = Audience::everybody}));
  return run(kSetPresence, columns::values(p));
}

Result<Care> SqlLedger::care(AgentId agent) {
  TRY(found, first(kCare, {agent.key}, row_as<Care>));
  return found.value_or(Care{.agent = agent});
}

Result<std::vector<Care>> SqlLedger::cares() { return all(kCares, {}, row_as<Care>); }

Result<std::vector<Care>> SqlLedger::cares_of(const std::vector<AgentId>& agents) {
  return all_of(agents, kCare, kCaresOfMany, row_as<Care>);
}

Result<std::vector<Agent>> SqlLedger::quarantined_agents() { return all(kQuarantined, {}, row_as<Agent>); }

Result<> SqlLedger::set_care(const Care& s) {
  TRY(before, care(s.agent));
  TRY_VOID(run(kSetCare, columns::values(s)));
  return before.quarantined_at.has_value() == s.quarantined_at.has_value() ? Result<>() : withhold_items(s.agent);
}

Failure SqlLedger::no_watch() {
  return fail(Code::unavailable, "the store is damaged: it no longer knows the town's own time",
              "restore it from a backup; " + next("store.check", {}, " tells more"));
}

void SqlLedger::foresee_watch() { foresee(kWatch, {}); }

Result<Watch> SqlLedger::watch() {
  TRY(found, first(kWatch, {}, [](const Row& row) {
        return Watch{
            {row.instant(0).ms}, row.instant(1), row.maybe_instant(2), row.maybe_instant(3), row.maybe_instant(4)};
      }));
  if (!found) return no_watch();
  return *found;
}

Result<> SqlLedger::set_watch(const Watch& w) {
  TRY(changed, changes(kSetWatch, {w.awake.ms, w.watched_at, w.held_since, w.hold_until, w.wakes_told_at}));
  return changed ? Result<>() : no_watch();
}

Result<> SqlLedger::add_wake(const Wake& w) { return run(kAddWake, {w.agent.key, w.at, w.by_agent, w.urgent}); }

Result<std::vector<Instant>> SqlLedger::wakes_by_agents(AgentId agent, bool urgent, Window window, int most) {
  return all(kWakesByAgents, {agent.key, window.since, urgent, most, window.until},
             [](const Row& row) { return row.instant(0); });
}

Result<std::int64_t> SqlLedger::count_wakes_by_agents(Window window) {
  TRY(found, first(kCountByAgents, {window.since, window.until}, number));
  return found.value_or(0);
}

Result<std::int64_t> SqlLedger::count_wakes(AgentId agent, Window window) {
  TRY(found, first(kCountWakes, {agent.key, window.since, window.until}, number));
  return found.value_or(0);
}

Result<std::vector<Wake>> SqlLedger::wakes(Window window) {
  return all(kWakes, {window.since, window.until}, [](const Row& row) {
    return Wake{.agent = {row.integer(0)},
                .at = row.instant(1),
                .by_agent = row.integer(2) != 0,
                .urgent = row.integer(3) != 0};
  });
}

Result<> SqlLedger::forget_wakes(Instant before) { return run(kForgetWakes, {before}); }

}  // namespace townpost
