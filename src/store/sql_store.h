#pragma once
#include <memory>

#include "post/store.h"
#include "store/db/database.h"

namespace townpost {

/// The town's state in a SQL database. One transaction per call; used by one thread at a time.
class SqlStore final : public Store {
 public:
  explicit SqlStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  Result<> read(const Transaction& work) override { return run(Access::read, work); }
  Result<> write(const Transaction& work) override { return run(Access::write, work); }

 private:
  Result<> run(Access access, const Transaction& work);
  std::unique_ptr<Database> database_;
};

}  // namespace townpost
