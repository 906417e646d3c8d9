#pragma once
#include <map>
#include <string>
#include <vector>

namespace townpost {

/// Of these addresses, every agent's of the town, those that have a short name which means nobody else: "max" for
/// api/crew/max, where no other worker and no session is called max. Mail to the short name reaches the same agent.
std::map<std::string, std::string> short_names(const std::vector<std::string>& addresses);

}  // namespace townpost
