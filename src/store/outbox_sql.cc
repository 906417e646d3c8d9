#include <algorithm>

#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::row_as;
using columns::text;

constexpr auto kAdd = columns::insert<Duty>();
constexpr Sql kHasReady = "SELECT 1 FROM outbox WHERE owner = $1 AND ready_at <= $2 LIMIT 1";
// $1 = owner, $2 = now, $3 = end of the lease, $4 = how many. PostgreSQL passes over what another is just taking; in
// SQLite nobody else writes.
template <std::size_t N>
consteval auto lease(const char (&skip_locked)[N]) {
  return text(
             "UPDATE outbox SET attempts = attempts + 1, lease_until = $3, ready_at = $3"
             " WHERE id IN (SELECT id FROM outbox WHERE owner = $1 AND ready_at <= $2"
             "               ORDER BY ready_at, id LIMIT $4") +
         skip_locked + ") RETURNING " + columns::names<Duty>();
}
constexpr auto kLeaseSqlite = lease("");
constexpr auto kLeasePostgres = lease(" FOR UPDATE SKIP LOCKED");
// The end of a lease names it: whoever takes the duty next has a later one.
constexpr Sql kFinish = "DELETE FROM outbox WHERE id = $1 AND lease_until = $2";
constexpr Sql kFail = "UPDATE outbox SET ready_at = $3, lease_until = NULL WHERE id = $1 AND lease_until = $2";
constexpr Sql kPutOff =
    "UPDATE outbox SET ready_at = $3, lease_until = NULL, attempts = attempts - 1 WHERE id = $1 AND lease_until = $2";
constexpr auto kDuties =
    text("SELECT ") + columns::names<Duty>() + " FROM outbox WHERE owner = $1 ORDER BY ready_at, id LIMIT $2";

}  // namespace

Result<> SqlLedger::add_duty(const Duty& duty) {
  TRY_VOID(need_numbers());
  Duty added = duty;
  added.ready_at = duty.due_at;
  return run(kAdd, columns::values(added).with_key(++count_.given->last_duty));
}

Result<bool> SqlLedger::has_ready_duties(DutyOwner owner, Instant now) {
  TRY(found, first(kHasReady, {static_cast<int>(owner), now}, [](const Row&) { return true; }));
  return found.has_value();
}

Result<std::vector<Duty>> SqlLedger::lease_duties(DutyOwner owner, Instant now, Instant until, int most) {
  const auto sql = db_.dialect() == Dialect::sqlite ? Sql(kLeaseSqlite) : Sql(kLeasePostgres);
  TRY(taken, all(sql, {static_cast<int>(owner), now, until, most}, row_as<Duty>));
  std::sort(taken.begin(), taken.end(),
            [](const Duty& a, const Duty& b) { return std::pair(a.due_at, a.id) < std::pair(b.due_at, b.id); });
  return taken;
}

Result<bool> SqlLedger::finish_duty(const Duty& leased) { return changes(kFinish, {leased.id, leased.lease_until}); }

Result<bool> SqlLedger::fail_duty(const Duty& leased, Instant again) {
  return changes(kFail, {leased.id, leased.lease_until, again});
}

Result<bool> SqlLedger::put_off_duty(const Duty& leased, Instant again) {
  return changes(kPutOff, {leased.id, leased.lease_until, again});
}

Result<std::vector<Duty>> SqlLedger::duties(DutyOwner owner, int most) {
  return all(kDuties, {static_cast<int>(owner), most}, row_as<Duty>);
}

}  // namespace townpost
