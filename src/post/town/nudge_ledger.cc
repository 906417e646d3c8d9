#include "post/town/nudge_ledger.h"

#include "post/town/store.h"

namespace townpost {

Result<> end_nudge(Ledger& ledger, Nudge nudge, NudgeState state, std::string_view why, Instant now) {
  nudge.state = state;
  nudge.ended_at = now;
  nudge.lease_until.reset();
  nudge.retry_at.reset();
  if (state == NudgeState::delivered) {
    nudge.delivered_at = now;
    nudge.evidence = std::string(why);
  } else {
    nudge.last_error = std::string(why);
  }
  TRY_VOID(ledger.update_nudge(nudge));
  ledger.ring(BellKey::endings(nudge.target));
  return ledger.add_nudge_event({nudge.id, now, std::string(name(state)), std::string(why)});
}

}  // namespace townpost
