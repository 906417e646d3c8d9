#include "store/sql_ledger.h"

namespace townpost {

namespace {

#define QUEUE_COLUMNS "id, name, rig, claimers, sorting, max_concurrency, lease_ms, max_attempts, state, created_at"
#define ITEM_COLUMNS "message, queue, state, rank, attempts, holder, claimed_at, lease_until, ended_at, reason"

constexpr std::string_view kQueues = "SELECT " QUEUE_COLUMNS " FROM queue WHERE deleted_at IS NULL ORDER BY name";
constexpr std::string_view kFindQueue = "SELECT " QUEUE_COLUMNS " FROM queue WHERE name = $1 AND deleted_at IS NULL";
constexpr std::string_view kQueue = "SELECT " QUEUE_COLUMNS " FROM queue WHERE id = $1";
constexpr std::string_view kAddQueue = "INSERT INTO queue (" QUEUE_COLUMNS R"sql()
  VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM queue), $1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id)sql";
constexpr std::string_view kUpdateQueue = R"sql(
  UPDATE queue SET claimers = $2, sorting = $3, max_concurrency = $4, lease_ms = $5, max_attempts = $6, state = $7
   WHERE id = $1)sql";
constexpr std::string_view kDeleteQueue = "UPDATE queue SET deleted_at = $2 WHERE id = $1";
constexpr std::string_view kLockQueuePostgres = "SELECT id FROM queue WHERE id = $1 FOR UPDATE";

constexpr std::string_view kAddItem =
    "INSERT INTO queue_item (" ITEM_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
constexpr std::string_view kItem = "SELECT " ITEM_COLUMNS " FROM queue_item WHERE message = $1";

// $1 = queue, $2 = who claims, $3 = now, $4 = end of the lease. PostgreSQL passes over what another claim is just
// taking; in SQLite nobody else writes.
#define CLAIM_NEXT(skip_locked)                                                                              \
  "UPDATE queue_item SET state = 1, holder = $2, claimed_at = $3, lease_until = $4, attempts = attempts + 1" \
  " WHERE message = (SELECT message FROM queue_item i WHERE queue = $1 AND state = 0"                        \
  "                     AND NOT EXISTS (SELECT 1 FROM message m JOIN care q ON q.agent = m.sender"           \
  "                                      WHERE m.id = i.message AND q.quarantined_at IS NOT NULL)"           \
  "                   ORDER BY rank, message LIMIT 1" skip_locked ") RETURNING " ITEM_COLUMNS
constexpr std::string_view kClaimNextSqlite = CLAIM_NEXT("");
constexpr std::string_view kClaimNextPostgres = CLAIM_NEXT(" FOR UPDATE OF i SKIP LOCKED");
#undef CLAIM_NEXT

// Almost always there is none, and looking costs less than changing nothing. $1 = queue, $2 = now.
constexpr std::string_view kHasEndedLease =
    "SELECT 1 FROM queue_item WHERE queue = $1 AND state = 1 AND lease_until <= $2 LIMIT 1";
// $1 = queue, $2 = most attempts, $3 = now. The holder stays noted: it may still complete until somebody else claims.
constexpr std::string_view kEndLeases =
    "UPDATE queue_item SET state = CASE WHEN attempts >= $2 THEN 3 ELSE 0 END,"
    " ended_at = CASE WHEN attempts >= $2 THEN lease_until ELSE NULL END, reason = 'the lease ran out', lease_until = 0"
    " WHERE queue = $1 AND state = 1 AND lease_until <= $3 RETURNING " ITEM_COLUMNS;
constexpr std::string_view kComplete =
    "UPDATE queue_item SET state = 2, ended_at = $3, lease_until = 0"
    " WHERE message = $1 AND holder = $2 AND state <> 2 RETURNING " ITEM_COLUMNS;
constexpr std::string_view kRelease =
    "UPDATE queue_item SET state = 0, attempts = attempts - 1, holder = NULL, claimed_at = NULL, lease_until = 0"
    " WHERE message = $1 AND holder = $2 AND state < 2 RETURNING " ITEM_COLUMNS;
constexpr std::string_view kFail =
    "UPDATE queue_item SET state = CASE WHEN attempts >= $3 THEN 3 ELSE 0 END,"
    " ended_at = CASE WHEN attempts >= $3 THEN CAST($5 AS BIGINT) ELSE NULL END, reason = $4, holder = NULL,"
    " claimed_at = NULL, lease_until = 0"
    " WHERE message = $1 AND holder = $2 AND state < 2 RETURNING " ITEM_COLUMNS;
constexpr std::string_view kExtend =
    "UPDATE queue_item SET state = 1, lease_until = $3 WHERE message = $1 AND holder = $2 AND state < 2"
    " RETURNING " ITEM_COLUMNS;
// $1 = they ran then, $2 = how much later they end, $3 = the longest from the claim on. One that was made longer than
// that by whoever holds it stays as it is.
constexpr std::string_view kMoveLeases =
    "UPDATE queue_item SET lease_until = CASE"
    " WHEN lease_until >= claimed_at + $3 THEN lease_until"
    " WHEN lease_until + $2 > claimed_at + $3 THEN claimed_at + $3"
    " ELSE lease_until + $2 END WHERE state = 1 AND lease_until > $1";
constexpr std::string_view kRetry =
    "UPDATE queue_item SET state = 0, attempts = 0, holder = NULL, claimed_at = NULL, lease_until = 0, ended_at = NULL"
    " WHERE message = $1 AND state = 3";

constexpr std::string_view kOldestAvailable = "SELECT MIN(message) FROM queue_item WHERE queue = $1 AND state = 0";
constexpr std::string_view kCountLeased =
    "SELECT count(*) FROM queue_item WHERE queue = $1 AND state = 1 AND lease_until > $2";
// Kind and number: leases that ran out count as what they will be. $1 = queue, $2 = most attempts, $3 = now.
constexpr std::string_view kCountItems = R"sql(
  SELECT 0, count(*) FROM queue_item WHERE queue = $1 AND state = 0
  UNION ALL SELECT CASE WHEN lease_until > $3 THEN 1 WHEN attempts >= $2 THEN 3 ELSE 0 END, 1
    FROM queue_item WHERE queue = $1 AND state = 1
  UNION ALL SELECT 2, count(*) FROM queue_item WHERE queue = $1 AND state >= 2 AND state = 2
  UNION ALL SELECT 3, count(*) FROM queue_item WHERE queue = $1 AND state >= 2 AND state = 3)sql";
constexpr std::string_view kNextLeaseEnd = "SELECT MIN(lease_until) FROM queue_item WHERE queue = $1 AND state = 1";
// The state stands in the text, so that SQLite sees which partial index fits.
#define ITEMS_IN(condition) \
  "SELECT " ITEM_COLUMNS " FROM queue_item WHERE queue = $1 AND " condition " ORDER BY rank, message LIMIT $2"
constexpr std::string_view kItemsIn[] = {ITEMS_IN("state = 0"), ITEMS_IN("state = 1"),
                                         ITEMS_IN("state >= 2 AND state = 2"), ITEMS_IN("state >= 2 AND state = 3")};
#undef ITEMS_IN

Queue queue_row(const Row& row) {
  return {.id = {row.integer(0)},
          .name = row.string(1),
          .rig = row.string(2),
          .claimers = row.string(3),
          .order = row.choice<QueueOrder>(4),
          .max_concurrency = row.count(5),
          .lease = row.length(6),
          .max_attempts = row.count(7),
          .state = row.choice<QueueState>(8),
          .created_at = row.instant(9)};
}

QueueItem item_row(const Row& row) {
  QueueItem item{.message = {row.integer(0)},
                 .queue = {row.integer(1)},
                 .state = row.choice<ItemState>(2),
                 .rank = row.count(3),
                 .attempts = row.count(4),
                 .claimed_at = row.maybe_instant(6),
                 .lease_until = row.instant(7),
                 .ended_at = row.maybe_instant(8),
                 .reason = row.words(9)};
  if (!row.is_null(5)) item.holder = AgentId{row.integer(5)};
  return item;
}

}  // namespace

Result<std::vector<Queue>> SqlLedger::queues() { return all(kQueues, {}, queue_row); }

Result<std::optional<Queue>> SqlLedger::find_queue(std::string_view name) {
  return first(kFindQueue, {name}, queue_row);
}

Result<std::optional<Queue>> SqlLedger::queue(QueueId id) { return first(kQueue, {id.key}, queue_row); }

Result<QueueId> SqlLedger::add_queue(const Queue& q) {
  TRY(id, first(kAddQueue,
                {q.name, q.rig, q.claimers, static_cast<int>(q.order), q.max_concurrency, q.lease.count(),
                 q.max_attempts, static_cast<int>(q.state), q.created_at},
                [](const Row& row) { return row.integer(0); }));
  return QueueId{id.value_or(0)};
}

Result<> SqlLedger::update_queue(const Queue& q) {
  return run(kUpdateQueue, {q.id.key, q.claimers, static_cast<int>(q.order), q.max_concurrency, q.lease.count(),
                            q.max_attempts, static_cast<int>(q.state)});
}

Result<> SqlLedger::delete_queue(QueueId id, Instant now) { return run(kDeleteQueue, {id.key, now}); }

Result<> SqlLedger::lock_queue(QueueId id) {
  if (db_.dialect() == Dialect::sqlite) return {};
  return run(kLockQueuePostgres, {id.key});
}

Result<> SqlLedger::add_item(const QueueItem& i) {
  std::optional<std::int64_t> holder;
  if (i.holder) holder = i.holder->key;
  return run(kAddItem, {i.message.key, i.queue.key, static_cast<int>(i.state), i.rank, i.attempts, holder, i.claimed_at,
                        i.lease_until, i.ended_at, i.reason});
}

Result<std::optional<QueueItem>> SqlLedger::item(MessageId message) { return first(kItem, {message.key}, item_row); }

Result<std::optional<QueueItem>> SqlLedger::claim_next(QueueId queue, AgentId holder, Instant now, Instant until) {
  const auto sql = db_.dialect() == Dialect::sqlite ? kClaimNextSqlite : kClaimNextPostgres;
  return changed_item(sql, {queue.key, holder.key, now, until});
}

Result<std::optional<QueueItem>> SqlLedger::changed_item(std::string_view sql, std::initializer_list<Param> params) {
  TRY(changed, all(sql, params, item_row));  // to the end: the statement is done only then
  if (changed.empty()) return std::optional<QueueItem>();
  return std::optional<QueueItem>(std::move(changed.front()));
}

Result<std::vector<QueueItem>> SqlLedger::end_leases(QueueId queue, int max_attempts, Instant now) {
  TRY(some, first(kHasEndedLease, {queue.key, now}, [](const Row&) { return true; }));
  if (!some) return std::vector<QueueItem>();
  return all(kEndLeases, {queue.key, max_attempts, now}, item_row);
}

Result<std::optional<QueueItem>> SqlLedger::complete_item(MessageId message, AgentId holder, Instant now) {
  return changed_item(kComplete, {message.key, holder.key, now});
}

Result<std::optional<QueueItem>> SqlLedger::release_item(MessageId message, AgentId holder) {
  return changed_item(kRelease, {message.key, holder.key});
}

Result<std::optional<QueueItem>> SqlLedger::fail_item(MessageId message, AgentId holder, int max_attempts,
                                                      std::string_view reason, Instant now) {
  return changed_item(kFail, {message.key, holder.key, max_attempts, reason, now});
}

Result<std::optional<QueueItem>> SqlLedger::extend_lease(MessageId message, AgentId holder, Instant until) {
  return changed_item(kExtend, {message.key, holder.key, until});
}

Result<> SqlLedger::move_leases(Instant since, Millis by, Millis longest) {
  return run(kMoveLeases, {since, by.count(), longest.count()});
}

Result<bool> SqlLedger::retry_item(MessageId message) { return changes(kRetry, {message.key}); }

Result<std::optional<MessageId>> SqlLedger::oldest_available(QueueId queue) {
  TRY(oldest, first(kOldestAvailable, {queue.key}, [](const Row& row) { return row.is_null(0) ? 0 : row.integer(0); }));
  if (!oldest || *oldest == 0) return std::optional<MessageId>();
  return std::optional<MessageId>(MessageId{*oldest});
}

Result<std::int64_t> SqlLedger::count_leased(QueueId queue, Instant now) {
  TRY(number, first(kCountLeased, {queue.key, now}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<QueueCounts> SqlLedger::count_items(QueueId queue, int max_attempts, Instant now) {
  QueueCounts counts;
  std::int64_t* const kinds[] = {&counts.available, &counts.processing, &counts.completed, &counts.failed};
  TRY_VOID(db_.run(kCountItems, {queue.key, max_attempts, now}, [&](const Row& row) {
    *kinds[row.integer(0)] += row.integer(1);
    return Next::go_on;
  }));
  return counts;
}

Result<std::optional<Instant>> SqlLedger::next_lease_end(QueueId queue) {
  TRY(end, first(kNextLeaseEnd, {queue.key}, [](const Row& row) { return row.maybe_instant(0); }));
  return end.value_or(std::nullopt);
}

Result<std::vector<QueueItem>> SqlLedger::items(QueueId queue, ItemState state, int most) {
  return all(kItemsIn[static_cast<int>(state)], {queue.key, most}, item_row);
}

}  // namespace townpost
