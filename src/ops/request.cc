#include "ops/request.h"

#include <algorithm>

namespace townpost {

namespace {

constexpr Millis kHookPatience(500);
constexpr Millis kServicePatience(10'000);

}  // namespace

Patience Request::patience(const Clock& clock) const {
  Patience out;
  if (haste == Haste::hook) out.longest = kHookPatience;
  if (haste == Haste::service) out.longest = kServicePatience;
  if (deadline) out.longest = std::clamp(*deadline - clock.now(), Millis(0), out.longest.value_or(Millis::max()));
  if (deadline || cancellation) out.still_wanted = [this, &clock] { return check(clock.now()); };
  return out;
}

Result<> Request::check(Instant now) const {
  if (is_cancelled()) return fail(Code::timeout, "the caller no longer waits for this");
  if (deadline && now >= *deadline) return fail(Code::timeout, "the call ran out of time", "allow it more time");
  return {};
}

}  // namespace townpost
