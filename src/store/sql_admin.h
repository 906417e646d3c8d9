#pragma once
#include <filesystem>
#include <memory>

#include "post/store_admin.h"
#include "store/db/database.h"

namespace townpost {

class SqlAdmin final : public StoreAdmin {
 public:
  SqlAdmin(std::unique_ptr<Database> database, std::filesystem::path file)
      : database_(std::move(database)), file_(std::move(file)) {}
  Result<StoreInfo> info() override;
  Result<std::vector<std::string>> check() override;
  Result<> migrate() override;
  Result<std::int64_t> purge(Instant before) override;

 private:
  Result<std::int64_t> number(std::string_view sql);
  std::unique_ptr<Database> database_;
  std::filesystem::path file_;
};

}  // namespace townpost
