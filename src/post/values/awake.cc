#include "post/values/awake.h"

namespace townpost {

AwakeTime Watch::at(Instant now) const {
  const Millis gap = now - watched_at;
  if (gap < Millis(0)) return awake;  // the clock was set back: nothing has passed
  return gap <= kLongestBlink ? awake + gap : awake - kGraceAfterSleep;
}

}  // namespace townpost
