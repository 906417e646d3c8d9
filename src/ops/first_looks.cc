#include "ops/first_looks.h"

#include "delivery/first_screen.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr int kMostLooks = 16;  // each asks tmux

bool is_a_person(Call& call) {
  const auto caller = call.caller();
  return caller && caller->is_person();
}

}  // namespace

void look_at_first_screens(Call& call, Town& town, std::vector<Cares::AgentStatus>& agents) {
  if (!is_a_person(call)) return;
  int looks = 0;
  for (auto& one : agents) {
    const Presence known = one.presence.value_or(Presence{.agent = one.agent.id});
    const bool is_here = known.host.empty() || known.host == this_host();
    if (!is_here || looks == kMostLooks) continue;
    auto seen = look_at_first_screen(town, call.doors(), one.agent, known, this_host());
    if (!seen) seen = seen_at_a_list(call.doors(), one.agent, known, one.agent.session);
    if (!seen) continue;
    ++looks;
    if (one.care.quarantined_at) seen->detail.clear();
    one.presence = std::move(seen);
  }
  if (looks > 0) Cares::sort(agents);
}

void look_at_first_screen_of(Call& call, Town& town, AgentId id) {
  if (!is_a_person(call)) return;
  std::optional<Agent> agent;
  StoredPresence stored;
  const auto found = town.store.read([&](Ledger& ledger) -> Result<> {
    TRY(known, ledger.agent(id));
    TRY(presence, stored_presence(ledger, id));
    agent = known;
    stored = presence;
    return {};
  });
  const auto known = found && agent ? seen_presence(town, stored) : std::nullopt;
  if (known) (void)look_at_first_screen(town, call.doors(), *agent, *known, this_host());
}

}  // namespace townpost
