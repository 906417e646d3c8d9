#include "store/migrations.h"

#include "base/text.h"
#include "store/schema_steps.h"  // made from store/schema/*.sql

namespace townpost {

namespace {

void replace_all(std::string& text, std::string_view word, std::string_view by) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
}

std::string in_dialect(std::string_view sql, Dialect dialect) {
  std::string out(sql);
  replace_all(out, "ID64", dialect == Dialect::sqlite ? "INTEGER" : "BIGINT");
  if (dialect == Dialect::postgres) replace_all(out, " TEXT", " TEXT COLLATE \"C\"");  // bytes sort alike everywhere
  return out;
}

/// A copy that was interrupted leaves a negative version, so that nobody takes it for the town.
Failure unfinished_copy() {
  return fail(Code::unavailable, "this store is an unfinished copy",
              "finish it: " + next("store.copy", {}, " with the same source and target"));
}

}  // namespace

std::span<const Migration> migrations() { return kSchemaSteps; }

Result<> apply_step(Database& database, const Migration& step) {
  TRY_VOID(database.run_script(in_dialect(step.sql, database.dialect())));
  const auto own = database.dialect() == Dialect::sqlite ? step.sqlite_only : step.postgres_only;
  return own.empty() ? Result<>() : database.run_script(std::string(own));
}

Result<> migrate(Database& database, std::span<const Migration> steps) {
  for (const auto& step : steps) {
    TRY_VOID(database.begin(Access::write));
    auto apply = [&]() -> Result<> {
      TRY(version, database.schema_version());  // read inside the transaction: another process may have been faster
      if (version < 0) return unfinished_copy();
      if (version >= step.version) return {};
      TRY_VOID(apply_step(database, step));
      return database.set_schema_version(step.version);
    };
    if (auto applied = apply(); !applied) {
      database.rollback();
      return Failure(applied.error());
    }
    TRY_VOID(database.commit());
  }
  return {};
}

Result<> check_schema(Database& database, std::span<const Migration> steps) {
  TRY(version, database.schema_version());
  const std::int64_t known = steps.back().version;
  if (version == known) return {};
  if (version > known)
    return fail(
        Code::unavailable,
        cat("this town was written by a newer gt (its schema is ", version, ", this program knows ", known, ")"),
        "install the newer gt");
  if (version < 0) return unfinished_copy();
  if (version == 0)
    return fail(
        Code::unavailable, "the store of this town is empty",
        "restore it from a backup (of a file: town.db and town.db-wal); for a new database: " + next("store.migrate"));
  return fail(Code::unavailable,
              cat("the store of this town is older than this gt (schema ", version, " of ", known, ")"),
              "run " + next("store.migrate"));
}

}  // namespace townpost
