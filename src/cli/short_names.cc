#include "cli/short_names.h"

#include <string_view>

#include "base/text.h"

namespace townpost {

std::map<std::string, std::string> short_names(const std::vector<std::string>& addresses) {
  std::map<std::string_view, int> bearers;
  for (const std::string& address : addresses) ++bearers[split(address, '/').back()];
  std::map<std::string, std::string> out;
  for (const std::string& address : addresses) {
    const auto parts = split(address, '/');
    const bool is_worker = parts.size() == 3 && (parts[1] == "crew" || parts[1] == "polecats");
    if (is_worker && bearers[parts.back()] == 1) out.emplace(address, parts.back());
  }
  return out;
}

}  // namespace townpost
