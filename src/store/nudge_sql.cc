#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::row_as;
using columns::text;

constexpr Sql kNextSeq = "UPDATE watch SET nudges = nudges + $1 WHERE id = 1 RETURNING nudges";
constexpr auto kAdd = columns::insert<Nudge>();
constexpr auto kUpdate = columns::update<Nudge>();
constexpr auto kSelect = text("SELECT ") + columns::names<Nudge>();
constexpr auto kNudge = kSelect + " FROM nudge WHERE id = $1";
constexpr auto kPending = kSelect + " FROM nudge WHERE target = $1 AND ended_at IS NULL ORDER BY urgent DESC, place";
constexpr auto kPendingOfMany =
    kSelect + " FROM nudge WHERE ended_at IS NULL AND target IN (" ANY_OF_MANY ") ORDER BY target, urgent DESC, place";
constexpr Sql kAgentsWithNudges = "SELECT DISTINCT target FROM nudge WHERE ended_at IS NULL ORDER BY 1";
constexpr auto kAll = kSelect + " FROM nudge ORDER BY id DESC LIMIT $1";
constexpr auto kOfTarget = kSelect + " FROM nudge WHERE target = $2 ORDER BY id DESC LIMIT $1";
constexpr auto kInState = kSelect + " FROM nudge WHERE state = $2 ORDER BY id DESC LIMIT $1";
constexpr auto kOfTargetInState = kSelect + " FROM nudge WHERE target = $2 AND state = $3 ORDER BY id DESC LIMIT $1";
constexpr auto kOutlived = kSelect +
                           " FROM nudge WHERE ended_at IS NULL AND expires_awake IS NOT NULL AND expires_awake <= $1"
                           " ORDER BY expires_awake LIMIT $2";
constexpr auto kOverdue = kSelect +
                          " FROM nudge WHERE ended_at IS NULL AND escalate_awake IS NOT NULL AND escalate_awake <= $1"
                          " ORDER BY escalate_awake LIMIT $2";
// Two walks to the first entry of an index, in one statement: every write asks for this.
constexpr Sql kNextDeadlines =
    "SELECT (SELECT MIN(expires_awake) FROM nudge WHERE ended_at IS NULL AND expires_awake IS NOT NULL),"
    "       (SELECT MIN(escalate_awake) FROM nudge WHERE ended_at IS NULL AND escalate_awake IS NOT NULL)";
constexpr Sql kTimesOfSender =
    "SELECT created_at FROM nudge WHERE sender = $1 AND kind = 0 AND created_at >= $2 AND created_at <= $4"
    " ORDER BY id DESC LIMIT $3";
constexpr Sql kTimesOfPair =
    "SELECT created_at FROM nudge WHERE sender = $1 AND kind = 0 AND created_at >= $2 AND created_at <= $4 AND target "
    "= $5"
    " ORDER BY id DESC LIMIT $3";
constexpr Sql kOldEnded =
    "SELECT id FROM nudge WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2";
constexpr Sql kErase = "DELETE FROM nudge WHERE id = $1";
// Those that retention has passed already; it sees to the others.
constexpr Sql kEraseOldEvents =
    "DELETE FROM event WHERE nudge = $1 AND seq <= (SELECT swept FROM log_state WHERE id = 1)";
std::optional<AwakeTime> maybe_awake(const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return AwakeTime{row.instant(column).ms};
}

}  // namespace

Result<std::int64_t> SqlLedger::next_nudge_seq(std::int64_t count) {
  TRY(numbers, all(kNextSeq, {count}, [](const Row& row) { return row.integer(0); }));
  if (numbers.empty()) return no_watch();
  return numbers.front() - count + 1;
}

Result<> SqlLedger::add_nudge(const Nudge& n) { return run(kAdd, columns::values(n)); }

Result<> SqlLedger::update_nudge(const Nudge& n) { return run(kUpdate, columns::changing(n)); }

Result<std::optional<Nudge>> SqlLedger::nudge(NudgeId id) { return first(kNudge, {id.key}, row_as<Nudge>); }

Result<std::vector<Nudge>> SqlLedger::pending_nudges(AgentId target) {
  return all(kPending, {target.key}, row_as<Nudge>);
}

Result<std::vector<Nudge>> SqlLedger::pending_nudges_of(const std::vector<AgentId>& targets) {
  return all_of(targets, kPending, kPendingOfMany, row_as<Nudge>);
}

Result<std::vector<AgentId>> SqlLedger::agents_with_nudges() {
  return all(kAgentsWithNudges, {}, [](const Row& row) { return AgentId{row.integer(0)}; });
}

Result<std::vector<Nudge>> SqlLedger::nudges(const NudgeQuery& query) {
  const int state = query.state ? static_cast<int>(*query.state) : 0;
  if (query.target && query.state) return all(kOfTargetInState, {query.limit, query.target->key, state}, row_as<Nudge>);
  if (query.target) return all(kOfTarget, {query.limit, query.target->key}, row_as<Nudge>);
  if (query.state) return all(kInState, {query.limit, state}, row_as<Nudge>);
  return all(kAll, {query.limit}, row_as<Nudge>);
}

Result<std::vector<Nudge>> SqlLedger::outlived_nudges(AwakeTime now, int most) {
  return all(kOutlived, {now.ms, most}, row_as<Nudge>);
}

Result<std::vector<Nudge>> SqlLedger::overdue_nudges(AwakeTime now, int most) {
  return all(kOverdue, {now.ms, most}, row_as<Nudge>);
}

Result<std::optional<AwakeTime>> SqlLedger::next_nudge_deadline() {
  TRY(found,
      first(kNextDeadlines, {}, [](const Row& row) { return std::pair(maybe_awake(row, 0), maybe_awake(row, 1)); }));
  if (!found) return std::optional<AwakeTime>();
  const auto& [outlived, overdue] = *found;
  return outlived && overdue ? std::min(outlived, overdue) : outlived ? outlived : overdue;
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
    TRY_VOID(run(kEraseOldEvents, {key}));
    TRY_VOID(run(kErase, {key}));
  }
  return {};
}

}  // namespace townpost
