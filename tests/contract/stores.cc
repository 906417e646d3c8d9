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

class SqliteSite final : public StoreSite {
 public:
  std::unique_ptr<Database> connect() override {
    return must(SqliteDatabase::open(folder_.path() / "town.db", SqliteDatabase::Mode::create));
  }

 private:
  TemporaryFolder folder_ = must(TemporaryFolder::make("contract"));
};

class PostgresSite final : public StoreSite {
 public:
  ~PostgresSite() override { SharedPostgres::drop_schema(url_); }
  std::unique_ptr<Database> connect() override { return must(PostgresDatabase::open(url_, std::nullopt)); }

 private:
  std::string url_ = SharedPostgres::make_schema();
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
  auto database = site.connect();
  must(migrate(*database));
  return std::make_unique<SqlStore>(std::move(database), bell);
}

}  // namespace townpost
