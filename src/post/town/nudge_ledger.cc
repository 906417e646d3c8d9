#include "post/town/nudge_ledger.h"

#include "post/town/store.h"

namespace townpost {

Result<> note_nudge(Ledger& ledger, const Nudge& nudge, EventKind kind, std::string detail, Instant now) {
  return ledger.add_event(
      {.at = now, .kind = kind, .agent = nudge.target, .detail = std::move(detail), .nudge = nudge.id});
}

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
  return note_nudge(ledger, nudge, event_kind(state), std::string(why), now);
}

}  // namespace townpost
