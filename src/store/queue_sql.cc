#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::row_as;
using columns::text;

constexpr auto kSelectQueue = text("SELECT ") + columns::names<Queue>();
constexpr auto kSelectItem = text("SELECT ") + columns::names<QueueItem>();

constexpr auto kQueues = kSelectQueue + " FROM queue WHERE deleted_at IS NULL ORDER BY name";
constexpr auto kFindQueue = kSelectQueue + " FROM queue WHERE name = $1 AND deleted_at IS NULL";
constexpr auto kQueue = kSelectQueue + " FROM queue WHERE id = $1";
constexpr auto kQueueOf = kSelectQueue + " FROM queue WHERE id = (SELECT queue FROM queue_item WHERE message = $1)";
constexpr auto kAddQueue = columns::insert_numbered<Queue>();
constexpr auto kUpdateQueue = columns::update<Queue>();
constexpr Sql kDeleteQueue = "UPDATE queue SET deleted_at = $2 WHERE id = $1";

constexpr auto kAddItem = columns::insert<QueueItem>();
constexpr auto kReturning = text(" RETURNING ") + columns::names<QueueItem>();
constexpr auto kItem = kSelectItem + " FROM queue_item WHERE message = $1";

// The order of locks (docs/decisions/0019): whoever changes a row of queue_item has had its turn, so no two of us ever
// wait for each other's rows, and a row needs no lock of its own. What somebody else locks (an administrator, a gt from
// before that decision) is passed over where there is a choice, so that the town does not wait with it.

// $1 = queue, $2 = who claims, $3 = now, $4 = end of the lease.
template <std::size_t N>
consteval auto claim_next(const char (&skip_locked)[N]) {
  return text(
             "UPDATE queue_item SET state = 1, holder = $2, claimed_at = $3, lease_until = $4, attempts = attempts + 1"
             " WHERE message = (SELECT message FROM queue_item i WHERE queue = $1 AND state = 0 AND withheld = 0"
             "                     AND EXISTS (SELECT 1 FROM queue WHERE id = $1 AND state <> 1 AND deleted_at IS NULL)"
             "                     AND EXISTS (SELECT 1 FROM agent WHERE id = $2 AND removed_at IS NULL)"
             "                   ORDER BY rank, message LIMIT 1") +
         skip_locked + ")" + kReturning;
}
constexpr auto kClaimNextSqlite = claim_next("");
// With its message, in one round trip; SQLite has no changes within a question.
constexpr auto kClaimNextPostgres = text("WITH claimed AS (") + claim_next(" FOR UPDATE OF i SKIP LOCKED") +
                                    ") SELECT " + list<QueueItem, 'c'>() + ", " + list<Message, 'm'>() +
                                    " FROM claimed c LEFT JOIN message m ON m.id = c.message";

// $1 = queue, $2 = most attempts, $3 = now. The holder stays noted: it may still complete until somebody else claims.
template <std::size_t N>
consteval auto end_leases(const char (&skip_locked)[N]) {
  return text(
             "UPDATE queue_item SET state = CASE WHEN attempts >= $2 THEN 3 ELSE 0 END,"
             " ended_at = CASE WHEN attempts >= $2 THEN lease_until ELSE NULL END, reason = 'the lease ran out',"
             " lease_until = 0"
             " WHERE message IN (SELECT message FROM queue_item WHERE queue = $1 AND state = 1 AND lease_until <= $3"
             "                    ORDER BY lease_until, message") +
         skip_locked + ")" + kReturning;
}
constexpr auto kEndLeasesSqlite = end_leases("");
constexpr auto kEndLeasesPostgres = end_leases(" FOR UPDATE SKIP LOCKED");
constexpr auto kComplete = text(
                               "UPDATE queue_item SET state = 2, ended_at = $3, lease_until = 0"
                               " WHERE message = $1 AND holder = $2 AND state <> 2") +
                           kReturning;
constexpr auto kRelease =
    text(
        "UPDATE queue_item SET state = 0, attempts = attempts - 1, holder = NULL, claimed_at = NULL, lease_until = 0"
        " WHERE message = $1 AND holder = $2 AND state < 2") +
    kReturning;
constexpr auto kFail =
    text(
        "UPDATE queue_item SET state = CASE WHEN attempts >= $3 THEN 3 ELSE 0 END,"
        " ended_at = CASE WHEN attempts >= $3 THEN CAST($5 AS BIGINT) ELSE NULL END, reason = $4, holder = NULL,"
        " claimed_at = NULL, lease_until = 0"
        " WHERE message = $1 AND holder = $2 AND state < 2") +
    kReturning;
constexpr auto kExtend =
    text("UPDATE queue_item SET state = 1, lease_until = $3 WHERE message = $1 AND holder = $2 AND state < 2") +
    kReturning;
// $1 = they ran then, $2 = how much later they end, $3 = the longest from the claim on. One that was made longer than
// that by whoever holds it stays as it is.
constexpr Sql kMoveLeases =
    "UPDATE queue_item SET lease_until = CASE"
    " WHEN lease_until >= claimed_at + $3 THEN lease_until"
    " WHEN lease_until + $2 > claimed_at + $3 THEN claimed_at + $3"
    " ELSE lease_until + $2 END WHERE state = 1 AND lease_until > $1";
constexpr Sql kRetry =
    "UPDATE queue_item SET state = 0, attempts = 0, holder = NULL, claimed_at = NULL, lease_until = 0, ended_at = NULL"
    " WHERE message = $1 AND state = 3";

constexpr Sql kOldestAvailable = "SELECT MIN(message) FROM queue_item WHERE queue = $1 AND state = 0 AND withheld = 0";
constexpr Sql kCountWithheld = "SELECT count(*) FROM queue_item WHERE queue = $1 AND state = 0 AND withheld = 1";
// $1 = agent: what it sent and is not done yet is withheld while it is in quarantine.
constexpr Sql kWithhold = R"sql(
  UPDATE queue_item SET withheld = (SELECT count(*) FROM care WHERE agent = $1 AND quarantined_at IS NOT NULL)
   WHERE state <> 2 AND message IN (SELECT id FROM message WHERE sender = $1))sql";
constexpr Sql kCountLeased = "SELECT count(*) FROM queue_item WHERE queue = $1 AND state = 1 AND lease_until > $2";
// $1 = queue, $2 = now.
// $2 = now.
template <std::size_t N>
consteval auto stir(const char (&queue)[N]) {
  return text("CASE WHEN EXISTS (SELECT 1 FROM queue_item WHERE queue = ") + queue +
         " AND state = 0 AND withheld = 0) THEN 1 ELSE 0 END,"
         " CASE WHEN EXISTS (SELECT 1 FROM queue_item WHERE queue = " +
         queue + " AND state = 1 AND lease_until <= $2) THEN 1 ELSE 0 END";
}
constexpr auto kStir = text("SELECT ") + stir("$1");
constexpr auto kOffer = text("SELECT ") + list<Queue, 'q'>() + ", " + stir("q.id") +
                        " FROM queue q WHERE q.name = $1 AND q.deleted_at IS NULL";
// Kind and number: leases that ran out count as what they will be (LeaseTime::runs). $1 = queue, $2 = most attempts,
// $3 = now, $4 = when somebody last watched, $5 = older claims are over.
constexpr Sql kCountItems = R"sql(
  SELECT 0, count(*) FROM queue_item WHERE queue = $1 AND state = 0 AND withheld = 0
  UNION ALL SELECT 0, count(*) FROM queue_item WHERE queue = $1 AND state = 0 AND withheld = 1
  UNION ALL SELECT CASE WHEN lease_until > $3 OR (lease_until > $4 AND claimed_at > $5) THEN 1
                        WHEN attempts >= $2 THEN 3 ELSE 0 END, 1
    FROM queue_item WHERE queue = $1 AND state = 1
  UNION ALL SELECT 2, count(*) FROM queue_item WHERE queue = $1 AND state >= 2 AND state = 2
  UNION ALL SELECT 3, count(*) FROM queue_item WHERE queue = $1 AND state >= 2 AND state = 3)sql";
constexpr Sql kNextLeaseEnd = "SELECT MIN(lease_until) FROM queue_item WHERE queue = $1 AND state = 1";
// The state stands in the text, so that SQLite sees which partial index fits.
template <std::size_t N>
consteval auto items_in(const char (&condition)[N]) {
  return kSelectItem + " FROM queue_item WHERE queue = $1 AND " + condition + " ORDER BY rank, message LIMIT $2";
}
constexpr auto kAvailable =
    kSelectItem + " FROM queue_item WHERE queue = $1 AND state = 0 AND withheld = 0 UNION ALL " + kSelectItem +
    " FROM queue_item WHERE queue = $1 AND state = 0 AND withheld = 1"
    " ORDER BY rank, message LIMIT $2";
constexpr auto kLeased = items_in("state = 1");
constexpr auto kCompleted = items_in("state >= 2 AND state = 2");
constexpr auto kDead = items_in("state >= 2 AND state = 3");
constexpr Sql kItemsIn[] = {kAvailable, kLeased, kCompleted, kDead};

}  // namespace

Result<std::vector<Queue>> SqlLedger::queues() { return all(kQueues, {}, row_as<Queue>); }

Result<std::optional<Queue>> SqlLedger::find_queue(std::string_view name) {
  return first(kFindQueue, {name}, row_as<Queue>);
}

Result<std::optional<Queue>> SqlLedger::queue(QueueId id) { return first(kQueue, {id.key}, row_as<Queue>); }

Result<QueueId> SqlLedger::add_queue(const Queue& q) {
  TRY(id, add_numbered(kAddQueue, q));
  return QueueId{id};
}

Result<> SqlLedger::update_queue(const Queue& q) { return run(kUpdateQueue, columns::changing(q)); }

Result<> SqlLedger::delete_queue(QueueId id, Instant now) { return run(kDeleteQueue, {id.key, now}); }

Result<> SqlLedger::add_item(const QueueItem& i) { return run(kAddItem, columns::values(i)); }

Result<std::optional<QueueItem>> SqlLedger::item(MessageId message) {
  return first(kItem, {message.key}, row_as<QueueItem>);
}

Result<std::optional<Queue>> SqlLedger::queue_of(MessageId message) {
  return first(kQueueOf, {message.key}, row_as<Queue>);
}

Result<std::optional<QueueLedger::Claimed>> SqlLedger::claim_next(QueueId queue, AgentId holder, Instant now,
                                                                  Instant until) {
  if (db_.dialect() == Dialect::postgres) {
    constexpr int kMessageAt = columns::count<QueueItem>();
    return first(kClaimNextPostgres, {queue.key, holder.key, now, until}, [](const Row& row) {
      Claimed out{row_as<QueueItem>(row), std::nullopt};
      if (!row.is_null(kMessageAt)) out.message = columns::read<Message>(row, kMessageAt);
      return out;
    });
  }
  TRY(item, changed_item(kClaimNextSqlite, {queue.key, holder.key, now, until}));
  if (!item) return std::optional<Claimed>();
  TRY(message, this->message(item->message, Parts::all));
  return std::optional(Claimed{*item, std::move(message)});
}

Result<std::optional<QueueItem>> SqlLedger::changed_item(Sql sql, std::initializer_list<Param> params) {
  TRY(changed, all(sql, params, row_as<QueueItem>));  // to the end: the statement is done only then
  if (changed.empty()) return std::optional<QueueItem>();
  return std::optional<QueueItem>(std::move(changed.front()));
}

Result<std::vector<QueueItem>> SqlLedger::end_leases(QueueId queue, int max_attempts, Instant now) {
  const auto sql = db_.dialect() == Dialect::sqlite ? Sql(kEndLeasesSqlite) : Sql(kEndLeasesPostgres);
  return all(sql, {queue.key, max_attempts, now}, row_as<QueueItem>);
}

Result<std::optional<QueueItem>> SqlLedger::complete_item(MessageId message, AgentId holder, Instant now) {
  if (access_ == Access::write) return changed_item(kComplete, {message.key, holder.key, now});
  std::optional<QueueItem> done;
  TRY_VOID(take_turn_for({{kComplete, {message.key, holder.key, now}, [&](const Row& row) {
                             done = row_as<QueueItem>(row);
                             return Next::go_on;
                           }}}));
  return done;
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

Result<> SqlLedger::withhold_items(AgentId sender) { return run(kWithhold, {sender.key}); }

Result<std::int64_t> SqlLedger::count_withheld_items(QueueId queue) { return counted(kCountWithheld, {queue.key}); }

Result<std::int64_t> SqlLedger::count_leased(QueueId queue, Instant now) {
  TRY(number, first(kCountLeased, {queue.key, now}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<QueueStir> SqlLedger::stir(QueueId queue, Instant now) {
  TRY(found, first(kStir, {queue.key, now}, [](const Row& row) { return QueueStir{row.flag(0), row.flag(1)}; }));
  return found.value_or(QueueStir());
}

Result<std::optional<QueueOffer>> SqlLedger::find_offer(std::string_view name, Instant now) {
  constexpr int kStirAt = columns::count<Queue>();
  return first(kOffer, {name, now}, [](const Row& row) {
    return QueueOffer{row_as<Queue>(row), {row.flag(kStirAt), row.flag(kStirAt + 1)}};
  });
}

void SqlLedger::foresee_claim(std::string_view caller, std::string_view queue, Instant now) {
  foresee_watch();
  foresee_caller(caller);
  foresee(kOffer, {queue, now});
}

void SqlLedger::foresee_end(std::string_view caller, MessageId message) {
  foresee_watch();
  foresee_caller(caller);
  foresee(kQueueOf, {message.key});
}

Result<QueueCounts> SqlLedger::count_items(QueueId queue, int max_attempts, const LeaseTime& time) {
  QueueCounts counts;
  std::int64_t* const kinds[] = {&counts.available, &counts.processing, &counts.completed, &counts.failed};
  const Instant too_old = time.now - kLongestClaim;
  TRY_VOID(db_.run(kCountItems, {queue.key, max_attempts, time.now, time.watched, too_old}, [&](const Row& row) {
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
  return all(kItemsIn[static_cast<int>(state)], {queue.key, most}, row_as<QueueItem>);
}

}  // namespace townpost
