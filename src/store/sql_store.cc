#include "store/sql_store.h"

#include "store/sql_ledger.h"

namespace townpost {

Result<> SqlStore::run(Access access, const Transaction& work) {
  TRY_VOID(database_->begin(access));
  SqlLedger ledger(*database_);
  if (auto done = work(ledger); !done) {
    database_->rollback();
    return Failure(done.error());
  }
  return database_->commit();
}

}  // namespace townpost
