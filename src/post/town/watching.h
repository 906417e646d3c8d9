#pragma once
#include <filesystem>

#include "post/town/bell.h"

namespace townpost {

// What rings for whoever watches all that happens, and not one mailbox. Any thread may ask.

/// Rung with every entry of the town's log.
inline BellKey bell_of_log() { return BellKey::named("log"); }

/// Told when anybody's presence on this host changes (base/ear.h).
inline std::filesystem::path ears_of_presences(const std::filesystem::path& town) {
  return town / "run" / "ear" / "presence";
}

}  // namespace townpost
