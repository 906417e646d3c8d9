#include "store/sql_admin.h"

#include "base/text.h"
#include "store/migrations.h"
#include "store/sql_ledger.h"

namespace townpost {

namespace {

constexpr std::string_view kMessages = "SELECT count(*) FROM message";
constexpr std::string_view kAgents = "SELECT count(*) FROM agent WHERE removed_at IS NULL";
constexpr std::string_view kIntegritySqlite = "PRAGMA integrity_check(20)";

// What the program never leaves behind; each counts rows that break a promise.
struct Promise {
  std::string_view sql;
  std::string_view broken;
};
constexpr Promise kPromises[] = {
    {"SELECT count(*) FROM delivery d WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.id = d.message)",
     "copies without a message"},
    {"SELECT count(*) FROM message m WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.message = m.id)",
     "messages without any copy"},
    {"SELECT count(*) FROM delivery d WHERE NOT EXISTS (SELECT 1 FROM agent a WHERE a.id = d.mailbox)",
     "copies in a mailbox that nobody owns"},
    {"SELECT count(*) FROM message m WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.message = m.id)",
     "messages without a history"},
};

// $1 = deleted before. The newest message stays: its key is what the next one is counted from.
constexpr std::string_view kPurgeable = R"sql(
  SELECT m.id FROM message m
   WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.message = m.id AND (d.deleted_at IS NULL OR d.deleted_at >= $1))
     AND m.id < (SELECT MAX(id) FROM message)
   ORDER BY m.id LIMIT 1000)sql";
constexpr std::string_view kPurgeEvents = "DELETE FROM event WHERE message = $1";

}  // namespace

Result<std::int64_t> SqlAdmin::number(std::string_view sql) {
  std::int64_t out = 0;
  TRY_VOID(database_->run(sql, {}, [&](const Row& row) {
    out = row.integer(0);
    return Next::stop;
  }));
  return out;
}

Result<StoreInfo> SqlAdmin::info() {
  StoreInfo info{.kind = "sqlite", .place = file_.string(), .newest_schema = migrations().back().version};
  TRY(schema, database_->schema_version());
  info.schema = schema;
  for (const auto* suffix : {"", "-wal"}) {
    std::error_code none;
    const auto size = std::filesystem::file_size(file_.string() + suffix, none);
    if (!none) info.bytes += static_cast<std::int64_t>(size);
  }
  if (schema < 1) return info;
  TRY(messages, number(kMessages));
  TRY(agents, number(kAgents));
  info.messages = messages;
  info.agents = agents;
  return info;
}

Result<std::vector<std::string>> SqlAdmin::check() {
  std::vector<std::string> problems;
  TRY_VOID(database_->run(kIntegritySqlite, {}, [&](const Row& row) {
    if (row.text(0) != "ok") problems.push_back(row.string(0));
    return Next::go_on;
  }));
  TRY_VOID(check_schema(*database_));
  for (const auto& promise : kPromises) {
    TRY(broken, number(promise.sql));
    if (broken > 0) problems.push_back(cat(broken, " ", promise.broken));
  }
  return problems;
}

Result<> SqlAdmin::migrate() {
  TRY(version, database_->schema_version());
  if (version > migrations().back().version) return check_schema(*database_);
  return townpost::migrate(*database_);
}

Result<std::int64_t> SqlAdmin::purge(Instant before) {
  TRY_VOID(check_schema(*database_));
  std::int64_t purged = 0;
  while (true) {  // a share at a time, so that others can write in between and an interruption loses nothing
    std::vector<std::int64_t> ids;
    TRY_VOID(database_->begin(Access::write));
    auto share = [&]() -> Result<> {
      TRY_VOID(database_->run(kPurgeable, {before}, [&](const Row& row) {
        ids.push_back(row.integer(0));
        return Next::go_on;
      }));
      SqlLedger ledger(*database_);
      for (const auto id : ids) {
        TRY_VOID(ledger.erase_message({id}));
        TRY_VOID(database_->run(kPurgeEvents, {id}));
      }
      return {};
    };
    if (auto done = share(); !done) {
      database_->rollback();
      return Failure(done.error());
    }
    TRY_VOID(database_->commit());
    purged += static_cast<std::int64_t>(ids.size());
    if (ids.empty()) break;
  }
  if (purged > 0) TRY_VOID(database_->run_script("VACUUM"));
  return purged;
}

}  // namespace townpost
