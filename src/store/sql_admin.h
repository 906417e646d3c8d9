#pragma once
#include <memory>
#include <string>

#include "post/town/store_admin.h"
#include "store/db/database.h"

namespace townpost {

/// `place` is the file of an SQLite store, or what a server is called.
class SqlAdmin final : public StoreAdmin {
 public:
  SqlAdmin(std::unique_ptr<Database> database, std::string place)
      : database_(std::move(database)), place_(std::move(place)) {}
  Result<StoreInfo> info() override;
  Result<std::vector<std::string>> check() override;
  Result<> migrate() override;
  Result<Purged> purge(Instant before) override;
  Result<std::int64_t> forget(Instant now) override;

 private:
  Result<std::int64_t> number(Sql sql);
  Result<std::int64_t> bytes();
  Result<std::int64_t> content_bytes();
  std::unique_ptr<Database> database_;
  std::string place_;
};

}  // namespace townpost
