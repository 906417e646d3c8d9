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

/// Notes that everything below this process speaks for one agent: what its hooks, or whoever registered its pane, know.
/// It ends with the process.
void note_session_process(const std::filesystem::path& town, int pid, const std::string& address);

/// The process that supervises this agent on this host, if one does.
std::optional<int> supervisor_of(const std::filesystem::path& town, const std::string& address);

/// The agent in whose session (supervised, or noted) the calling process runs, however deep below; nothing if it runs
/// in none.
std::optional<std::string> supervised_agent(const std::filesystem::path& town);

}  // namespace townpost
