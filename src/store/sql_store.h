#pragma once
#include <memory>

#include "post/town/bell.h"
#include "post/town/store.h"
#include "store/db/database.h"

namespace townpost {

/// Runs `work` as one transaction, again if the database says that this is right, and rings `bell` (which may be null)
/// after the commit.
Result<> run_transaction(Database& database, Access access, const Transaction& work, Bell* bell);

/// The same in a transaction that is begun already, and once: where it fails, nothing of it is left.
Result<> finish_transaction(Database& database, Access access, const Transaction& work, Bell* bell);

/// The town's state in a SQL database. One transaction per call; used by one thread at a time. `bell` may be null.
class SqlStore final : public Store {
 public:
  SqlStore(std::unique_ptr<Database> database, Bell* bell) : database_(std::move(database)), bell_(bell) {}
  Result<> run(Access access, const Transaction& work, const Patience& patience) override {
    database_->set_patience(patience);
    return run_transaction(*database_, access, work, bell_);
  }

 private:
  std::unique_ptr<Database> database_;
  Bell* bell_;
};

}  // namespace townpost
