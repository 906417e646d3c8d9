#pragma once
#include <filesystem>
#include <vector>

#include "base/child.h"
#include "delivery/starter.h"
#include "post/town/process_notes.h"

namespace townpost {

/// Starts agents as programs of this host, each in a session of its own, with their output in the town's log folder.
class SystemStarter final : public Starter {
 public:
  SystemStarter(std::filesystem::path town, const ProcessNotes& notes) : town_(std::move(town)), notes_(notes) {}
  Result<> start(const Agent& agent, const std::string& command, const std::string& session) override;
  bool can_stop(const Agent& agent) override;
  void stop(const Agent& agent) override;
  bool is_alive(const Presence& presence) override;

 private:
  /// Asks those that have ended how: they would stay as zombies.
  void reap();
  std::filesystem::path town_;
  const ProcessNotes& notes_;
  std::vector<Child> started_;
};

/// The command for `sh -c`, with its first parameter in place of each `{session}`, however that stands in quotes.
std::string with_session_parameter(std::string_view command);

/// What an agent's program is told about who it is.
std::vector<std::pair<std::string, std::string>> identity_of(const Agent& agent, const std::filesystem::path& town);

}  // namespace townpost
