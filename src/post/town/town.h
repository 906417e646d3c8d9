#pragma once
#include <filesystem>

#include "base/clock.h"
#include "base/random.h"
#include "post/town/bell.h"
#include "post/town/machine.h"
#include "post/town/settings.h"
#include "post/town/store.h"

namespace townpost {

/// An open town: its settings and the parts that the services work with. Whoever made it owns the parts. It belongs to
/// the thread of one call; which of its parts others use as well, the parts say.
struct Town {
  std::filesystem::path folder;  ///< the `.town` folder
  Settings settings;
  Store& store;
  Bell& bell;
  Machine& machine;
  const Clock& clock;
  Random& random;
};

}  // namespace townpost
