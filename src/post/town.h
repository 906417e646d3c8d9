#pragma once
#include <filesystem>

#include "base/clock.h"
#include "base/random.h"
#include "post/bell.h"
#include "post/sessions.h"
#include "post/settings.h"
#include "post/store.h"

namespace townpost {

/// An open town: its settings and the parts that the services work with. Whoever made it owns the parts.
struct Town {
  std::filesystem::path folder;  ///< the `.town` folder
  Settings settings;
  Store& store;
  Bell& bell;
  Sessions& sessions;
  const Clock& clock;
  Random& random;
};

}  // namespace townpost
