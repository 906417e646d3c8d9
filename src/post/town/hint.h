#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "post/town/bell.h"

namespace townpost {

/// "I looked and nothing was waiting": a small file per caller, so that a check with nothing to report never opens the
/// store. It is trusted for at most a minute and only while neither the mailbox's bell nor the registry's nor the
/// channels' has rung since, so it errs on the side of looking. It keeps nothing: each is for one thread, and any
/// number may be about the same caller.
class Hint {
 public:
  Hint(const std::filesystem::path& town, const std::string& caller_key, Bell& bell, const Clock& clock)
      : settings_(town.native() + "/town.toml"),
        file_(town.native() + "/run/hint/" + caller_key),
        bell_(bell),
        clock_(clock) {}

  /// The mailbox for which it is safe to say without looking that nothing waits; nothing if it must be looked at.
  std::optional<AgentId> nothing_waits_for() const;

  /// Taken before the look, kept after it if nothing was found. Without stamps there is nothing to keep.
  struct Stamps {
    AgentId mailbox;
    std::optional<std::int64_t> bell;
    std::optional<std::int64_t> registry;
    std::optional<std::int64_t> channels;
    Instant at;
  };
  Stamps before_look(AgentId mailbox) const;
  /// `until`: something known now becomes due then, without a ring.
  void nothing_found(const Stamps& stamps, std::optional<Instant> until = std::nullopt) const;

 private:
  std::string settings_;
  std::string file_;
  Bell& bell_;
  const Clock& clock_;
};

}  // namespace townpost
