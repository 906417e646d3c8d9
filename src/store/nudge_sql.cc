#include "store/rows.h"
#include "store/sql_ledger.h"

namespace townpost {

namespace {

#define NUDGE_COLUMNS                                                                                             \
  "id, target, sender, state, urgent, place, mode, source, kind, grade, ephemeral, forced, hops, attempts, "      \
  "created_at, deliver_after, expires_awake, escalate_awake, lease_awake, retry_awake, handed_at, delivered_at, " \
  "ended_at, sent_from, held_by, leased_for, leased_by, coalesce_key, thread, refs, bead, evidence, last_error, body"

constexpr std::string_view kNextSeq = "UPDATE watch SET nudges = nudges + 1 WHERE id = 1 RETURNING nudges";
constexpr std::string_view kAdd = "INSERT INTO nudge (" NUDGE_COLUMNS
                                  ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
                                  "$17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, "
                                  "$33, $34)";
// Who sent it, to whom and what it says stays as it was; all else may change while it waits.
constexpr std::string_view kUpdate = R"sql(
  UPDATE nudge SET target = $2, state = $3, urgent = $4, place = $5, mode = $6, hops = $7, attempts = $8,
                   deliver_after = $9, expires_awake = $10, escalate_awake = $11, lease_awake = $12, retry_awake = $13,
                   handed_at = $14, delivered_at = $15, ended_at = $16, held_by = $17, leased_for = $18, refs = $19,
                   evidence = $20, last_error = $21, sender = $22, sent_from = $23, source = $24, grade = $25,
                   leased_by = $26
   WHERE id = $1)sql";
constexpr std::string_view kNudge = "SELECT " NUDGE_COLUMNS " FROM nudge WHERE id = $1";
constexpr std::string_view kPending =
    "SELECT " NUDGE_COLUMNS " FROM nudge WHERE target = $1 AND ended_at IS NULL ORDER BY urgent DESC, place";
constexpr std::string_view kAgentsWithNudges = "SELECT DISTINCT target FROM nudge WHERE ended_at IS NULL ORDER BY 1";
constexpr std::string_view kAll = "SELECT " NUDGE_COLUMNS " FROM nudge ORDER BY id DESC LIMIT $1";
constexpr std::string_view kOfTarget =
    "SELECT " NUDGE_COLUMNS " FROM nudge WHERE target = $2 ORDER BY id DESC LIMIT $1";
constexpr std::string_view kInState = "SELECT " NUDGE_COLUMNS " FROM nudge WHERE state = $2 ORDER BY id DESC LIMIT $1";
constexpr std::string_view kOfTargetInState =
    "SELECT " NUDGE_COLUMNS " FROM nudge WHERE target = $2 AND state = $3 ORDER BY id DESC LIMIT $1";
constexpr std::string_view kOutlived =
    "SELECT " NUDGE_COLUMNS
    " FROM nudge WHERE ended_at IS NULL AND expires_awake IS NOT NULL AND expires_awake <= $1"
    " ORDER BY expires_awake LIMIT $2";
constexpr std::string_view kOverdue =
    "SELECT " NUDGE_COLUMNS
    " FROM nudge WHERE ended_at IS NULL AND escalate_awake IS NOT NULL AND escalate_awake <= $1"
    " ORDER BY escalate_awake LIMIT $2";
constexpr std::string_view kNextOutlived =
    "SELECT MIN(expires_awake) FROM nudge WHERE ended_at IS NULL AND expires_awake IS NOT NULL";
constexpr std::string_view kNextOverdue =
    "SELECT MIN(escalate_awake) FROM nudge WHERE ended_at IS NULL AND escalate_awake IS NOT NULL";
constexpr std::string_view kTimesOfSender =
    "SELECT created_at FROM nudge WHERE sender = $1 AND kind = 0 AND created_at >= $2 AND created_at <= $4"
    " ORDER BY id DESC LIMIT $3";
constexpr std::string_view kTimesOfPair =
    "SELECT created_at FROM nudge WHERE sender = $1 AND kind = 0 AND created_at >= $2 AND created_at <= $4 AND target "
    "= $5"
    " ORDER BY id DESC LIMIT $3";
constexpr std::string_view kOldEnded =
    "SELECT id FROM nudge WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2";
constexpr std::string_view kErase = "DELETE FROM nudge WHERE id = $1";
constexpr std::string_view kEraseEvents = "DELETE FROM nudge_event WHERE nudge = $1";
constexpr std::string_view kAddEvent = R"sql(
  INSERT INTO nudge_event (nudge, nr, at, kind, detail)
  VALUES ($1, (SELECT COALESCE(MAX(nr), 0) + 1 FROM nudge_event WHERE nudge = $1), $2, $3, $4))sql";
constexpr std::string_view kEvents = "SELECT nudge, at, kind, detail FROM nudge_event WHERE nudge = $1 ORDER BY nr";

std::optional<AwakeTime> maybe_awake(const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return AwakeTime{row.instant(column).ms};
}

std::optional<std::int64_t> number(const std::optional<AwakeTime>& at) {
  if (!at) return std::nullopt;
  return at->ms;
}

Nudge nudge_row(const Row& r) {
  Nudge n;
  n.id = {r.integer(0)};
  n.target = {r.integer(1)};
  n.sender = {r.integer(2)};
  n.state = r.choice<NudgeState>(3);
  n.urgent = r.flag(4);
  n.place = r.integer(5);
  n.mode = r.choice<NudgeMode>(6);
  n.source = r.choice<NudgeSource>(7);
  n.kind = r.choice<NudgeKind>(8);
  n.grade = r.choice<Grade>(9);
  n.ephemeral = r.flag(10);
  n.forced = r.flag(11);
  n.hops = r.count(12);
  n.attempts = r.count(13);
  n.created_at = r.instant(14);
  n.deliver_after = r.instant(15);
  n.expires_at = maybe_awake(r, 16);
  n.escalate_at = maybe_awake(r, 17);
  n.lease_until = maybe_awake(r, 18);
  n.retry_at = maybe_awake(r, 19);
  n.handed_at = r.maybe_instant(20);
  n.delivered_at = r.maybe_instant(21);
  n.ended_at = r.maybe_instant(22);
  n.from = r.string(23);
  n.held_by = r.string(24);
  n.leased_for = r.words(25);
  n.leased_by = r.words(26);
  n.coalesce_key = r.string(27);
  n.thread = r.string(28);
  n.refs = rows::unpack(r.string(29));
  n.bead = r.string(30);
  n.evidence = r.words(31);
  n.last_error = r.words(32);
  n.text = r.string(33);
  return n;
}

}  // namespace

Result<std::int64_t> SqlLedger::next_nudge_seq() {
  TRY(numbers, all(kNextSeq, {}, [](const Row& row) { return row.integer(0); }));
  if (numbers.empty()) return no_watch();
  return numbers.front();
}

Result<> SqlLedger::add_nudge(const Nudge& n) {
  const std::string refs = rows::pack(n.refs);
  return run(kAdd, {n.id.key,
                    n.target.key,
                    n.sender.key,
                    static_cast<int>(n.state),
                    n.urgent,
                    n.place,
                    static_cast<int>(n.mode),
                    static_cast<int>(n.source),
                    static_cast<int>(n.kind),
                    static_cast<int>(n.grade),
                    n.ephemeral,
                    n.forced,
                    n.hops,
                    n.attempts,
                    n.created_at,
                    n.deliver_after,
                    number(n.expires_at),
                    number(n.escalate_at),
                    number(n.lease_until),
                    number(n.retry_at),
                    n.handed_at,
                    n.delivered_at,
                    n.ended_at,
                    n.from,
                    n.held_by,
                    n.leased_for,
                    n.leased_by,
                    n.coalesce_key,
                    n.thread,
                    refs,
                    n.bead,
                    n.evidence,
                    n.last_error,
                    n.text});
}

Result<> SqlLedger::update_nudge(const Nudge& n) {
  const std::string refs = rows::pack(n.refs);
  return run(kUpdate, {n.id.key,
                       n.target.key,
                       static_cast<int>(n.state),
                       n.urgent,
                       n.place,
                       static_cast<int>(n.mode),
                       n.hops,
                       n.attempts,
                       n.deliver_after,
                       number(n.expires_at),
                       number(n.escalate_at),
                       number(n.lease_until),
                       number(n.retry_at),
                       n.handed_at,
                       n.delivered_at,
                       n.ended_at,
                       n.held_by,
                       n.leased_for,
                       refs,
                       n.evidence,
                       n.last_error,
                       n.sender.key,
                       n.from,
                       static_cast<int>(n.source),
                       static_cast<int>(n.grade),
                       n.leased_by});
}

Result<std::optional<Nudge>> SqlLedger::nudge(NudgeId id) { return first(kNudge, {id.key}, nudge_row); }

Result<std::vector<Nudge>> SqlLedger::pending_nudges(AgentId target) { return all(kPending, {target.key}, nudge_row); }

Result<std::vector<AgentId>> SqlLedger::agents_with_nudges() {
  return all(kAgentsWithNudges, {}, [](const Row& row) { return AgentId{row.integer(0)}; });
}

Result<std::vector<Nudge>> SqlLedger::nudges(const NudgeQuery& query) {
  const int state = query.state ? static_cast<int>(*query.state) : 0;
  if (query.target && query.state) return all(kOfTargetInState, {query.limit, query.target->key, state}, nudge_row);
  if (query.target) return all(kOfTarget, {query.limit, query.target->key}, nudge_row);
  if (query.state) return all(kInState, {query.limit, state}, nudge_row);
  return all(kAll, {query.limit}, nudge_row);
}

Result<std::vector<Nudge>> SqlLedger::outlived_nudges(AwakeTime now, int most) {
  return all(kOutlived, {now.ms, most}, nudge_row);
}

Result<std::vector<Nudge>> SqlLedger::overdue_nudges(AwakeTime now, int most) {
  return all(kOverdue, {now.ms, most}, nudge_row);
}

Result<std::optional<AwakeTime>> SqlLedger::next_nudge_deadline() {
  std::optional<AwakeTime> soonest;
  for (const auto sql : {kNextOutlived, kNextOverdue}) {
    TRY(found, first(sql, {}, [](const Row& row) { return maybe_awake(row, 0); }));
    const auto at = found.value_or(std::nullopt);
    if (at && (!soonest || *at < *soonest)) soonest = at;
  }
  return soonest;
}

Result<std::vector<Instant>> SqlLedger::nudge_times(AgentId sender, std::optional<AgentId> target, Window window,
                                                    int most) {
  auto instant = [](const Row& row) { return row.instant(0); };
  if (target) return all(kTimesOfPair, {sender.key, window.since, most, window.until, target->key}, instant);
  return all(kTimesOfSender, {sender.key, window.since, most, window.until}, instant);
}

Result<> SqlLedger::erase_ended_nudges(Instant before, int most) {
  TRY(old, all(kOldEnded, {before, most}, [](const Row& row) { return row.integer(0); }));
  for (const auto key : old) {
    TRY_VOID(run(kEraseEvents, {key}));
    TRY_VOID(run(kErase, {key}));
  }
  return {};
}

Result<> SqlLedger::add_nudge_event(const NudgeEvent& event) {
  return run(kAddEvent, {event.nudge.key, event.at, event.kind, event.detail});
}

Result<std::vector<NudgeEvent>> SqlLedger::nudge_events(NudgeId nudge) {
  return all(kEvents, {nudge.key}, [](const Row& row) {
    return NudgeEvent{{row.integer(0)}, row.instant(1), row.string(2), row.words(3)};
  });
}

}  // namespace townpost
