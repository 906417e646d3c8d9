#include "base/environment.h"

#include <cstdlib>

namespace townpost {

std::optional<std::string> SystemEnvironment::get(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::filesystem::path SystemEnvironment::working_folder() const {
  std::error_code error;
  auto folder = std::filesystem::current_path(error);
  // The folder may have been removed under us (an agent's worktree): then nothing is above us but the root.
  return error ? std::filesystem::path("/") : folder;
}

}  // namespace townpost
