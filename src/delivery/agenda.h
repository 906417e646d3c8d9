#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "post/values/message.h"

namespace townpost {

/// Whom to look at, and when: those where something happened at once, the others when their time has come.
class Agenda {
 public:
  /// Something happened there.
  void at_once(AgentId agent) { happened_.insert(agent); }
  /// Nothing is expected of it before that time; it has only one.
  void at(AgentId agent, Instant when);
  void forget(AgentId agent);
  /// Nobody where nothing happened is left out for ever: it has a time.

  /// Those where something happened since they were taken last.
  std::set<AgentId> take_happened() { return std::exchange(happened_, {}); }
  /// Those whose time has come, the earliest first, at most `most`. They have no time until they are given one.
  std::vector<AgentId> take_due(Instant now, std::size_t most);
  /// When somebody's time comes.
  std::optional<Instant> next() const;

 private:
  std::set<AgentId> happened_;
  std::map<AgentId, Instant> times_;
  std::set<std::pair<Instant, AgentId>> order_;
};

}  // namespace townpost
