#include "post/awake.h"

#include "post/store.h"

namespace townpost {

AwakeTime Watch::at(Instant now) const {
  const Millis gap = now - watched_at;
  if (gap < Millis(0)) return awake;  // the clock was set back: nothing has passed
  return gap <= kLongestBlink ? awake + gap : awake - kGraceAfterSleep;
}

Result<AwakeTime> keep_watch(Ledger& ledger, Instant now) {
  TRY(watch, ledger.watch());
  if (watch.slept(now))
    TRY_VOID(ledger.move_leases(watch.watched_at, now - watch.watched_at + kGraceAfterSleep, kLongestClaim));
  watch.awake = watch.at(now);
  watch.watched_at = now;
  TRY_VOID(ledger.set_watch(watch));
  return watch.awake;
}

}  // namespace townpost
