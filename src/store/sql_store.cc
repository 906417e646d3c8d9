#include "store/sql_store.h"

#include "base/seclusion.h"
#include "store/sql_ledger.h"

namespace townpost {

namespace {

constexpr int kTries = 4;  // a deadlock or a failover passes; what fails again and again does not

Result<> run_once(Database& database, Access access, const Transaction& work, Bell* bell) {
  TRY_VOID(database.begin(access));
  return finish_transaction(database, access, work, bell);
}

}  // namespace

Result<> finish_transaction(Database& database, Access access, const Transaction& work, Bell* bell) {
  SqlLedger ledger(database, access);
  auto done = [&]() -> Result<> {
    const Seclusion inside;
    TRY_VOID(work(ledger));
    return ledger.finish();
  }();
  if (!done) {
    database.rollback();
    return done;
  }
  TRY_VOID(database.commit());
  if (bell) bell->ring_all(ledger.rung());
  return {};
}

Result<> run_transaction(Database& database, Access access, const Transaction& work, Bell* bell) {
  auto done = run_once(database, access, work, bell);
  for (int tries = 1; !done && database.may_repeat() && tries < kTries; ++tries)
    done = run_once(database, access, work, bell);
  return done;
}

}  // namespace townpost
