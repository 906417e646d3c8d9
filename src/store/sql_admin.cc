#include "store/sql_admin.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "post/values/nudge.h"
#include "store/migrations.h"
#include "store/soundness.h"
#include "store/sql_ledger.h"

namespace townpost {

namespace {

constexpr Sql kMessages = "SELECT count(*) FROM message";
constexpr Sql kAgents = "SELECT count(*) FROM agent WHERE removed_at IS NULL";
constexpr Sql kIntegritySqlite = "PRAGMA integrity_check(20)";
constexpr Sql kBytesOfPages = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
constexpr Sql kBytesPostgres = R"sql(
  SELECT CAST(COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS BIGINT)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname = current_schema() AND c.relkind = 'r')sql";
// With one of these off, what was acknowledged may be lost when the server's machine fails.
constexpr Sql kUnsafePostgres =
    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'"
    " ORDER BY name";

// What the program never leaves behind; each counts rows that break a promise.
struct Promise {
  Sql sql;
  std::string_view broken;
};
constexpr Promise kPromises[] = {
    // Of the last week, counted from the newest event: what could not be done (post/duties.cc).
    {"SELECT count(*) FROM event WHERE kind = 'left undone' AND agent = (SELECT id FROM agent WHERE address = "
     "'townpost')"
     " AND at > (SELECT at FROM event ORDER BY seq DESC LIMIT 1) - 604800000",
     "things that were due could not be done; `status` lists them"},
    {"SELECT count(*) FROM delivery d WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.id = d.message)",
     "copies without a message"},
    {"SELECT count(*) FROM message m WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.message = m.id)"
     " AND NOT EXISTS (SELECT 1 FROM queue_item i WHERE i.message = m.id)"
     " AND NOT EXISTS (SELECT 1 FROM channel_post p WHERE p.message = m.id)",
     "messages that are in no mailbox, queue or channel"},
    {"SELECT count(*) FROM queue_item i WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.id = i.message)",
     "queue items without a message"},
    {"SELECT count(*) FROM channel_post p WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.id = p.message)",
     "channel posts without a message"},
    {"SELECT count(*) FROM delivery d WHERE NOT EXISTS (SELECT 1 FROM agent a WHERE a.id = d.mailbox)",
     "copies in a mailbox that nobody owns"},
    {"SELECT count(*) FROM message m WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.message = m.id)",
     "messages without a history"},
    {"SELECT abs(count(*) - 1) FROM log_state", "rows too many or too few for how far the log has come"},
    {"SELECT count(*) FROM event WHERE seq > (SELECT MAX(last_event) FROM log_state)",
     "events with a number that was never given"},
    {"SELECT count(*) FROM outbox WHERE id > (SELECT MAX(last_duty) FROM log_state)",
     "duties with a number that was never given"},
    {"SELECT abs(count(*) - 1) FROM watch", "rows too many or too few for the town's own time"},
    {"SELECT abs(count(*) - 1) FROM search_progress", "rows too many or too few for how far the search index has come"},
};

// $1 = deleted before, $2 = go on behind this one. The messages of a queue go with it, because it counts what it has
// done; so do a channel's posts. The newest message stays: its key is what the next one is counted from.
constexpr Sql kPurgeable = R"sql(
  SELECT m.id FROM message m
   WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.message = m.id AND (d.deleted_at IS NULL OR d.deleted_at >= $1))
     AND NOT EXISTS (SELECT 1 FROM queue_item i JOIN queue q ON q.id = i.queue
                      WHERE i.message = m.id AND (q.deleted_at IS NULL OR q.deleted_at >= $1))
     AND NOT EXISTS (SELECT 1 FROM channel_post p JOIN channel c ON c.id = p.channel
                      WHERE p.message = m.id AND (c.deleted_at IS NULL OR c.deleted_at >= $1))
     AND m.id < (SELECT MAX(id) FROM message) AND m.id > $2
   ORDER BY m.id LIMIT 1000)sql";
constexpr Sql kPurgeEvents = "DELETE FROM event WHERE message = $1 RETURNING seq";
constexpr Sql kForgetKeys = "DELETE FROM idempotency_key WHERE at < $1";
constexpr Sql kForgetWakes = "DELETE FROM wake WHERE at < $1";
// Those that retention has passed already; it sees to the others.
constexpr Sql kForgetNudgeEvents = R"sql(
  DELETE FROM event WHERE nudge IN (SELECT id FROM nudge WHERE ended_at IS NOT NULL AND ended_at < $1)
     AND seq <= (SELECT swept FROM log_state WHERE id = 1))sql";
constexpr Sql kForgetNudges = "DELETE FROM nudge WHERE ended_at IS NOT NULL AND ended_at < $1";

}  // namespace

Result<std::int64_t> SqlAdmin::number(Sql sql) {
  std::int64_t out = 0;
  TRY_VOID(database_->run(sql, {}, [&](const Row& row) {
    out = row.integer(0);
    return Next::stop;
  }));
  return out;
}

Result<std::int64_t> SqlAdmin::bytes() {
  if (database_->dialect() == Dialect::postgres) return number(kBytesPostgres);
  std::int64_t out = 0;
  for (const auto* suffix : {"", "-wal"}) {
    std::error_code none;
    const auto size = std::filesystem::file_size(place_ + suffix, none);
    if (!none) out += static_cast<std::int64_t>(size);
  }
  return out;
}

Result<StoreInfo> SqlAdmin::info() {
  StoreInfo info{.kind = database_->dialect() == Dialect::sqlite ? "sqlite" : "postgres",
                 .place = place_,
                 .newest_schema = migrations().back().version};
  TRY(schema, database_->schema_version());
  TRY(size, bytes());
  info.schema = schema;
  info.bytes = size;
  if (schema < 1) return info;
  TRY(messages, number(kMessages));
  TRY(agents, number(kAgents));
  info.messages = messages;
  info.agents = agents;
  return info;
}

Result<std::vector<std::string>> SqlAdmin::check() {
  std::vector<std::string> problems;
  if (database_->dialect() == Dialect::sqlite)
    TRY_VOID(database_->run(kIntegritySqlite, {}, [&](const Row& row) {
      if (row.text(0) != "ok") problems.push_back(row.string(0));
      return Next::go_on;
    }));
  else
    TRY_VOID(database_->run(kUnsafePostgres, {}, [&](const Row& row) {
      problems.push_back(cat("the server's setting ", row.text(0), " is off: mail may be lost when its machine fails"));
      return Next::go_on;
    }));
  TRY_VOID(check_schema(*database_));
  for (const auto& promise : kPromises) {
    TRY(broken, number(promise.sql));
    if (broken > 0) problems.push_back(cat(broken, " ", promise.broken));
  }
  TRY(damaged, damaged_values(*database_));
  problems.insert(problems.end(), damaged.begin(), damaged.end());
  return problems;
}

Result<std::int64_t> SqlAdmin::forget(Instant now) {
  TRY_VOID(check_schema(*database_));
  const std::pair<Sql, Instant> steps[] = {{kForgetKeys, now - kKeyLife},
                                           {kForgetWakes, now - std::chrono::hours(24)},
                                           {kForgetNudgeEvents, now - kNudgeMemory},
                                           {kForgetNudges, now - kNudgeMemory}};
  std::int64_t forgotten = 0;
  TRY_VOID(database_->begin(Access::write));
  for (const auto& [sql, before] : steps) {
    auto gone = database_->run(sql, {before});
    if (!gone) {
      database_->rollback();
      return Failure(gone.error());
    }
    forgotten += *gone;
  }
  TRY_VOID(database_->commit());
  return forgotten;
}

Result<> SqlAdmin::migrate() {
  TRY(version, database_->schema_version());
  if (version > migrations().back().version) return check_schema(*database_);
  return townpost::migrate(*database_);
}

/// What the content of the store takes up, whether or not it was written from the log to its file yet.
Result<std::int64_t> SqlAdmin::content_bytes() {
  return number(database_->dialect() == Dialect::postgres ? Sql(kBytesPostgres) : Sql(kBytesOfPages));
}

Result<Purged> SqlAdmin::purge(Instant before) {
  TRY_VOID(check_schema(*database_));
  TRY(bytes_before, content_bytes());
  Purged purged;
  std::int64_t behind = 0;
  while (true) {  // a share at a time, so that others can write in between and an interruption loses nothing
    std::vector<std::int64_t> ids;
    TRY_VOID(database_->begin(Access::write));
    auto share = [&]() -> Result<> {
      TRY_VOID(database_->run(kPurgeable, {before, behind}, [&](const Row& row) {
        ids.push_back(row.integer(0));
        return Next::go_on;
      }));
      SqlLedger ledger(*database_, Access::write);
      std::int64_t last_event = 0;
      for (const auto id : ids) {
        TRY_VOID(ledger.erase_message({id}));
        TRY_VOID(database_->run(kPurgeEvents, {id}, [&](const Row& row) {
          last_event = std::max(last_event, row.integer(0));
          return Next::go_on;
        }));
      }
      return ledger.note_events_gone(last_event);
    };
    if (auto done = share(); !done) {
      database_->rollback();
      return Failure(done.error());
    }
    TRY_VOID(database_->commit());
    purged.messages += static_cast<std::int64_t>(ids.size());
    if (ids.empty()) break;
    behind = ids.back();
  }
  if (purged.messages == 0) return purged;
  TRY_VOID(database_->give_back_space());
  TRY(bytes_after, content_bytes());
  purged.bytes = std::max(bytes_before - bytes_after, std::int64_t(0));  // others wrote meanwhile
  return purged;
}

}  // namespace townpost
