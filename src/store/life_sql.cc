#include "store/sql_ledger.h"

namespace townpost {

namespace {

#define PRESENCE_COLUMNS                                                                                         \
  "agent, state, pid, started_at, since, last_activity, tool_running, supervised, continuations, active_awake, " \
  "incarnation, harness, "                                                                                       \
  "session, host, transcript, detail"

constexpr std::string_view kPresence = "SELECT " PRESENCE_COLUMNS " FROM presence WHERE agent = $1";
constexpr std::string_view kPresences = "SELECT " PRESENCE_COLUMNS " FROM presence ORDER BY agent";
constexpr std::string_view kSetPresence = "INSERT INTO presence (" PRESENCE_COLUMNS R"sql(
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  ON CONFLICT (agent) DO UPDATE SET state = excluded.state, pid = excluded.pid, started_at = excluded.started_at,
    since = excluded.since,
    last_activity = excluded.last_activity, tool_running = excluded.tool_running, supervised = excluded.supervised,
    continuations = excluded.continuations, active_awake = excluded.active_awake,
    incarnation = excluded.incarnation, harness = excluded.harness,
    session = excluded.session, host = excluded.host, transcript = excluded.transcript, detail = excluded.detail)sql";

#define CARE_COLUMNS \
  "agent, dnd_until, held_since, hold_until, quarantined_at, blocked_told_at, warned, warned_awake, hook"
constexpr std::string_view kCare = "SELECT " CARE_COLUMNS " FROM care WHERE agent = $1";
constexpr std::string_view kCares = "SELECT " CARE_COLUMNS " FROM care ORDER BY agent";
constexpr std::string_view kSetCare = "INSERT INTO care (" CARE_COLUMNS R"sql(
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (agent) DO UPDATE SET dnd_until = excluded.dnd_until, held_since = excluded.held_since,
    hold_until = excluded.hold_until,
    quarantined_at = excluded.quarantined_at, blocked_told_at = excluded.blocked_told_at, warned = excluded.warned,
    warned_awake = excluded.warned_awake, hook = excluded.hook)sql";

constexpr std::string_view kWatch =
    "SELECT awake, watched_at, held_since, hold_until, wakes_told_at FROM watch WHERE id = 1";
constexpr std::string_view kSetWatch =
    "UPDATE watch SET awake = $1, watched_at = $2, held_since = $3, hold_until = $4, wakes_told_at = $5 WHERE id = 1";

constexpr std::string_view kAddWake = R"sql(
  INSERT INTO wake (id, agent, at, by_agent, urgent)
  VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM wake), $1, $2, $3, $4))sql";
constexpr std::string_view kWakesByAgents =
    "SELECT at FROM wake WHERE agent = $1 AND at >= $2 AND at <= $5 AND by_agent = 1 AND urgent = $3"
    " ORDER BY at DESC LIMIT $4";
constexpr std::string_view kCountByAgents = "SELECT COUNT(*) FROM wake WHERE at >= $1 AND at <= $2 AND by_agent = 1";
constexpr std::string_view kCountWakes = "SELECT COUNT(*) FROM wake WHERE agent = $1 AND at >= $2 AND at <= $3";
constexpr std::string_view kForgetWakes = "DELETE FROM wake WHERE at < $1";

Presence presence_row(const Row& r) {
  return {.agent = {r.integer(0)},
          .state = r.choice<AgentState>(1),
          .incarnation = r.words(10),
          .harness = r.words(11),
          .session = r.words(12),
          .host = r.words(13),
          .pid = r.count(2),
          .transcript = r.words(14),
          .detail = r.words(15),
          .started_at = r.instant(3),
          .since = r.instant(4),
          .last_activity = r.instant(5),
          .tool_running = r.flag(6),
          .supervised = r.flag(7),
          .continuations = r.count(8),
          .active_at = {r.instant(9).ms}};
}

Care care_row(const Row& r) {
  Care s{.agent = {r.integer(0)},
         .dnd_until = r.maybe_instant(1),
         .held_since = r.maybe_instant(2),
         .hold_until = r.maybe_instant(3),
         .quarantined_at = r.maybe_instant(4),
         .hook = r.string(8),
         .blocked_told_at = r.maybe_instant(5),
         .warned = r.count(6)};
  if (!r.is_null(7)) s.warned_at = AwakeTime{r.instant(7).ms};
  return s;
}

std::int64_t number(const Row& row) { return row.integer(0); }

}  // namespace

Result<std::optional<Presence>> SqlLedger::presence(AgentId agent) {
  return first(kPresence, {agent.key}, presence_row);
}

Result<std::vector<Presence>> SqlLedger::presences() { return all(kPresences, {}, presence_row); }

Result<> SqlLedger::set_presence(const Presence& p) {
  return run(kSetPresence, {p.agent.key, static_cast<int>(p.state), p.pid, p.started_at, p.since, p.last_activity,
                            p.tool_running, p.supervised, p.continuations, p.active_at.ms, p.incarnation, p.harness,
                            p.session, p.host, p.transcript, p.detail});
}

Result<Care> SqlLedger::care(AgentId agent) {
  TRY(found, first(kCare, {agent.key}, care_row));
  return found.value_or(Care{.agent = agent});
}

Result<std::vector<Care>> SqlLedger::cares() { return all(kCares, {}, care_row); }

Result<> SqlLedger::set_care(const Care& s) {
  std::optional<std::int64_t> warned_awake;
  if (s.warned_at) warned_awake = s.warned_at->ms;
  return run(kSetCare, {s.agent.key, s.dnd_until, s.held_since, s.hold_until, s.quarantined_at, s.blocked_told_at,
                        s.warned, warned_awake, s.hook});
}

Failure SqlLedger::no_watch() {
  return fail(Code::unavailable, "the store is damaged: it does not know the town's own time any more",
              "gt store check tells more; restore it from a backup");
}

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

Result<> SqlLedger::forget_wakes(Instant before) { return run(kForgetWakes, {before}); }

}  // namespace townpost
