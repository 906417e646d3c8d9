#include "delivery/agenda.h"

namespace townpost {

void Agenda::at(AgentId agent, Instant when) {
  forget(agent);
  times_[agent] = when;
  order_.emplace(when, agent);
}

void Agenda::forget(AgentId agent) {
  const auto found = times_.find(agent);
  if (found == times_.end()) return;
  order_.erase({found->second, agent});
  times_.erase(found);
}

std::vector<AgentId> Agenda::take_due(Instant now, std::size_t most) {
  std::vector<AgentId> out;
  while (out.size() < most && !order_.empty() && order_.begin()->first <= now) {
    out.push_back(order_.begin()->second);
    forget(out.back());
  }
  return out;
}

std::optional<Instant> Agenda::next() const {
  return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
}

}  // namespace townpost
