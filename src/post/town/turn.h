#pragma once
#include <functional>
#include <optional>

#include "base/clock.h"
#include "base/result.h"

namespace townpost {

/// What a transaction does.
enum class Access {
  read,
  write,       ///< alone: one writer after the other, in the town's order
  look_first,  ///< reads beside the writers until take_turn(), and is one of them from then on
};

/// How long somebody waits for its turn at the store. `still_wanted` is asked on the thread that waits.
struct Patience {
  std::optional<Millis> longest;  ///< then the store answers unavailable; nothing: as long as the others take
  /// Error: nobody waits for the answer any more. Asked now and then by whoever waits, wherever that can be; may be
  /// empty.
  std::function<Result<>()> still_wanted;

  bool has_limits() const { return longest || still_wanted; }
  Result<> check() const { return still_wanted ? still_wanted() : Result<>(); }
};

/// Nobody rings when a caller goes or its time is over: so often whoever waits for its turn looks.
constexpr Millis kTurnLook(20);

}  // namespace townpost
