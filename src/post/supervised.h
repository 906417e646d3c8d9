#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace townpost {

/// While this lives, everything that the calling process starts speaks for one agent: `gt agent run` has it.
class SupervisionNote {
 public:
  SupervisionNote(const std::filesystem::path& town, const std::string& address);
  ~SupervisionNote();
  SupervisionNote(const SupervisionNote&) = delete;
  SupervisionNote& operator=(const SupervisionNote&) = delete;

 private:
  std::filesystem::path file_;
};

/// The process that supervises this agent on this host, if one does.
std::optional<int> supervisor_of(const std::filesystem::path& town, const std::string& address);

/// The agent whose supervised session the calling process runs in, however deep below; nothing if it runs in none.
std::optional<std::string> supervised_agent(const std::filesystem::path& town);

}  // namespace townpost
