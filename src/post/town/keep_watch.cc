#include "post/town/keep_watch.h"

namespace townpost {

Result<AwakeTime> keep_watch(Ledger& ledger, Instant now) {
  TRY(watch, ledger.watch());
  if (watch.slept(now))
    TRY_VOID(ledger.move_leases(watch.watched_at, now - watch.watched_at + kGraceAfterSleep, kLongestClaim));
  watch.awake = watch.at(now);
  watch.watched_at = now;
  TRY_VOID(ledger.set_watch(watch));
  return watch.awake;
}

Result<> wake_up(Ledger& ledger, Instant now) {
  TRY(watch, ledger.watch());
  if (watch.slept(now)) TRY_VOID(keep_watch(ledger, now));
  return {};
}

}  // namespace townpost
