#include "contract/stores.h"

#include "base/files.h"
#include "contract/must.h"
#include "store/db/sqlite.h"
#include "store/migrations.h"
#include "store/sql_store.h"

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

}  // namespace

const std::vector<StoreKind>& store_kinds() {
  static const std::vector<StoreKind> kKinds = {{"sqlite", [] { return std::make_unique<SqliteSite>(); }}};
  return kKinds;
}

std::unique_ptr<Store> open_store(StoreSite& site) {
  auto database = site.connect();
  must(migrate(*database));
  return std::make_unique<SqlStore>(std::move(database));
}

}  // namespace townpost
