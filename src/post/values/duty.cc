#include "post/values/duty.h"

#include <algorithm>
#include <array>

namespace townpost {

namespace {

constexpr std::array<std::string_view, 6> kWords = {"drop-wisp",     "remind-of-reply", "reply-overdue",
                                                    "prune-channel", "forget-events",   "other"};
static_assert(kWords.size() == static_cast<std::size_t>(last_value(DutyKind{})) + 1);

}  // namespace

std::string_view name(DutyKind kind) { return kWords[static_cast<std::size_t>(kind)]; }

DutyKind duty_kind(std::string_view word) {
  const auto found = std::find(kWords.begin(), kWords.end(), word);
  return found == kWords.end() ? DutyKind::other : static_cast<DutyKind>(found - kWords.begin());
}

}  // namespace townpost
