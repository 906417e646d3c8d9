#pragma once
#include <string>
#include <vector>

#include "base/clock.h"
#include "post/values/message.h"

namespace townpost {

/// A name for many: whoever the members stand for when a message is sent.
struct Group {
  std::string name;
  AgentId creator;
  Instant created_at;
  std::vector<std::string> members;  ///< addresses, wildcards, @patterns, `group:other`; in canonical spelling, sorted
  friend bool operator==(const Group&, const Group&) = default;
};

}  // namespace townpost
