#include "base/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace townpost {

std::optional<std::string> SystemEnvironment::get(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::vector<std::string> SystemEnvironment::names() const {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const auto equals = variable.find('=');
    if (equals != std::string_view::npos && equals + 1 < variable.size()) out.emplace_back(variable.substr(0, equals));
  }
  return out;
}

std::filesystem::path SystemEnvironment::working_folder() const {
  std::error_code error;
  auto folder = std::filesystem::current_path(error);
  // The folder may have been removed under us (an agent's worktree): then nothing is above us but the root.
  return error ? std::filesystem::path("/") : folder;
}

}  // namespace townpost
