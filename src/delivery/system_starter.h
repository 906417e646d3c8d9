#pragma once
#include <filesystem>

#include "delivery/dispatcher.h"

namespace townpost {

/// Starts agents as programs of this host, each in a session of its own, with their output in the town's log folder.
class SystemStarter final : public Starter {
 public:
  explicit SystemStarter(std::filesystem::path town) : town_(std::move(town)) {}
  Result<> start(const Agent& agent, const std::string& command) override;
  void stop(const Presence& presence) override;
  bool is_alive(const Presence& presence) override;

 private:
  std::filesystem::path town_;
};

/// What an agent's program is told about who it is.
std::vector<std::pair<std::string, std::string>> identity_of(const Agent& agent, const std::filesystem::path& town);

}  // namespace townpost
