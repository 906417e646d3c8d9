#pragma once
#include <string>

#include "base/text.h"
#include "ops/call.h"

namespace townpost::ops {

/// Whether a person at a terminal speaks as an agent, to see what it sees: what is printed there does not reach it.
inline bool is_onlooker(const Call& call, const Caller& caller) {
  const auto& origin = call.request.origin;
  return caller.grade == Grade::flag && !caller.is_person() && origin.at_terminal() && !origin.sign_of_agents_session();
}

inline std::string only_a_preview(const std::string& whose) {
  return cat("a preview: nothing is marked as shown to ", whose,
             ", because you are at a terminal and not in its session");
}

}  // namespace townpost::ops
