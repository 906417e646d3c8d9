#include "contract/stores.h"

#include "base/files.h"
#include "contract/must.h"
#include "store/db/postgres.h"
#include "store/db/sqlite.h"
#include "store/migrations.h"
#include "store/sql_store.h"
#include "support/shared_postgres.h"

namespace townpost {

namespace {

/// A site that can begin with the latest schema at little cost. Does nothing where something is already.
class PreparedSite : public StoreSite {
 public:
  virtual void prepare() = 0;
};

/// All steps of the schema are applied once a process; every site begins with a copy of that file.
const std::filesystem::path& migrated_file() {
  static const TemporaryFolder kFolder = must(TemporaryFolder::make("contract"));
  static const std::filesystem::path kFile = [] {
    const auto file = kFolder.path() / "town.db";
    const auto database = must(SqliteDatabase::open(file, SqliteDatabase::Mode::create));
    must(migrate(*database));
    must(database->run_script("PRAGMA wal_checkpoint(TRUNCATE)"));  // now all of it is in the one file
    return file;
  }();
  return kFile;
}

class SqliteSite final : public PreparedSite {
 public:
  std::unique_ptr<Database> connect() override {
    // To make one takes the turn to write, which somebody may have.
    const bool is_made = std::filesystem::exists(file_);
    return must(SqliteDatabase::open(file_, is_made ? SqliteDatabase::Mode::existing : SqliteDatabase::Mode::create));
  }
  void prepare() override {
    if (!std::filesystem::exists(file_)) std::filesystem::copy_file(migrated_file(), file_);
  }

 private:
  TemporaryFolder folder_ = must(TemporaryFolder::make("contract"));
  const std::filesystem::path file_ = folder_.path() / "town.db";
};

/// Schemas with all steps applied, to be used one after the other. They know no table by its name: the rows that the
/// steps leave are kept in a schema beside, and brought back.
class PreparedSchemas {
 public:
  static PreparedSchemas& all() {
    static PreparedSchemas kAll;
    return kAll;
  }
  ~PreparedSchemas() {
    for (const auto& url : free_) {
      SharedPostgres::drop_schema(url);
      SharedPostgres::run(cat("DROP SCHEMA ", rows_beside(url), " CASCADE"));
    }
  }
  std::string take() {
    if (free_.empty()) return make();
    const std::string url = free_.back();
    free_.pop_back();
    restore(url);
    return url;
  }
  void give_back(const std::string& url) { free_.push_back(url); }

 private:
  PreparedSchemas() { SharedPostgres::run("SELECT 1"); }  // so that the server's connection outlives this

  static std::string rows_beside(const std::string& url) { return cat(SharedPostgres::schema_of(url), "_rows"); }
  static std::string make() {
    const std::string url = SharedPostgres::make_schema();
    must(migrate(*must(PostgresDatabase::open(url, std::nullopt))));
    const auto schema = SharedPostgres::schema_of(url), rows = rows_beside(url);
    SharedPostgres::run(
        cat("DROP SCHEMA IF EXISTS ", rows, " CASCADE; CREATE SCHEMA ", rows,
            "; DO $$ DECLARE t text; filled boolean; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE"
            " schemaname = '",
            schema, "' LOOP EXECUTE format('SELECT EXISTS (SELECT FROM ", schema,
            ".%I)', t) INTO filled; IF filled THEN EXECUTE format('CREATE TABLE ", rows, ".%I AS TABLE ", schema,
            ".%I', t, t); END IF; END LOOP; END $$"));
    return url;
  }
  static void restore(const std::string& url) {
    const auto schema = SharedPostgres::schema_of(url), rows = rows_beside(url);
    SharedPostgres::run(cat("DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '",
                            schema, "' LOOP EXECUTE format('DELETE FROM ", schema,
                            ".%I', t); END LOOP; FOR t IN SELECT sequencename FROM pg_sequences WHERE schemaname = '",
                            schema, "' LOOP EXECUTE format('ALTER SEQUENCE ", schema,
                            ".%I RESTART', t); END LOOP; FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '",
                            rows, "' LOOP EXECUTE format('INSERT INTO ", schema, ".%I TABLE ", rows,
                            ".%I', t, t); END LOOP; END $$"));
  }

  std::vector<std::string> free_;
};

class PostgresSite final : public PreparedSite {
 public:
  ~PostgresSite() override {
    if (prepared_)
      PreparedSchemas::all().give_back(url_);
    else if (!url_.empty())
      SharedPostgres::drop_schema(url_);
  }
  std::unique_ptr<Database> connect() override {
    if (url_.empty()) url_ = SharedPostgres::make_schema();
    return must(PostgresDatabase::open(url_, std::nullopt));
  }
  void prepare() override {
    if (!url_.empty()) return;
    url_ = PreparedSchemas::all().take();
    prepared_ = true;
  }

 private:
  std::string url_;  ///< none: nobody asked for it yet
  bool prepared_ = false;
};

}  // namespace

const std::vector<StoreKind>& store_kinds() {
  static const std::vector<StoreKind> kKinds = {
      {"sqlite", [] { return std::make_unique<SqliteSite>(); }},
      {"postgres", [] { return std::make_unique<PostgresSite>(); }},
  };
  return kKinds;
}

std::unique_ptr<Store> open_store(StoreSite& site, Bell* bell) {
  if (auto* const prepared = dynamic_cast<PreparedSite*>(&site)) prepared->prepare();
  auto database = site.connect();
  if (!check_schema(*database)) must(migrate(*database));
  return std::make_unique<SqlStore>(std::move(database), bell);
}

}  // namespace townpost
