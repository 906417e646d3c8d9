#pragma once
#include <map>
#include <string_view>

#include "security/callers.h"

namespace townpost {

/// A call of each operation that concerns victim, or the town as a whole, by its name.
std::map<std::string_view, TestTown::Words> call_of_each(const HostileTown& town);

}  // namespace townpost
