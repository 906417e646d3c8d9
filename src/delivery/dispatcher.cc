#include "delivery/dispatcher.h"

#include <algorithm>

#include "delivery/claude/transcript.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr Millis kBeat = std::chrono::seconds(30);  // half of what counts as sleep
/// In case a ring was lost.
constexpr Millis kSafetyNet = std::chrono::minutes(1);
constexpr Millis kTrouble = std::chrono::seconds(5);
/// So many are looked at in one round because their time has come; where something happened is looked at in any case.
constexpr std::size_t kPortion = 200;

/// Whether what the registry says of it is the same; what it was shown, and what a rule holds, is not of interest here.
bool is_the_same(Agent one, const Agent& other) {
  one.shown_hops = other.shown_hops;
  one.shown_at = other.shown_at;
  one.held_since = other.held_since;
  return one == other;
}

}  // namespace

Dispatcher::Dispatcher(Town& town, SessionDoors& doors, Starter& starter, std::string host)
    : town_(town), starter_(starter), files_(town.folder), caretaker_(town, doors, starter, std::move(host)) {}

void Dispatcher::hear(const Heard& heard) {
  for (const auto& bell : heard.bells) {
    if (bell == BellKey::registry()) registry_rang_ = true;
    if (const auto agent = bell.mailbox()) agenda_.at_once(*agent);
  }
  for (const auto& file : heard.told)
    if (const auto agent = mailbox_named(file.filename().native())) agenda_.at_once(*agent);
  if (!heard.missed) return;
  registry_rang_ = true;
  for (auto& [agent, kept] : kept_) {
    kept.look_at = {};
    agenda_.at(agent, {});
  }
}

Result<> Dispatcher::look_at_registry(Instant now) {
  std::vector<Agent> agents;
  std::vector<Rig> rigs;
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    TRY(all, ledger.agents());
    TRY(known, ledger.rigs());
    agents = std::move(all);
    rigs = std::move(known);
    return {};
  }));
  caretaker_.know_rigs(std::move(rigs));
  std::set<AgentId> there;
  for (const auto& agent : agents) {
    there.insert(agent.id);
    const auto kept = kept_.find(agent.id);
    if (kept == kept_.end()) {
      agenda_.at(agent.id, now);
      kept_.emplace(agent.id, Kept{agent, {}, now});
    } else if (!is_the_same(kept->second.agent, agent)) {
      agenda_.at_once(agent.id);
    }
  }
  std::vector<AgentId> gone;
  for (const auto& [agent, kept] : kept_)
    if (!there.contains(agent)) gone.push_back(agent);
  for (const auto agent : gone) forget(agent);
  registry_rang_ = false;
  registry_seen_ = now;
  return {};
}

void Dispatcher::forget(AgentId agent) {
  kept_.erase(agent);
  agenda_.forget(agent);
  caretaker_.forget(agent);
  is_following_ = at_servers_.erase(agent) == 0 && is_following_;
}

std::set<AgentId> Dispatcher::whom_to_look_after(Instant now) {
  auto out = agenda_.take_happened();
  for (const auto agent : agenda_.take_due(now, kPortion)) {
    const auto found = kept_.find(agent);
    if (found == kept_.end() || out.contains(agent)) continue;
    const Kept& kept = found->second;
    if (kept.look_at <= now || caretaker_.is_to_be_looked_after(kept.agent, kept.presence))
      out.insert(agent);
    else
      agenda_.at(agent, std::min(kept.look_at, now + kBeat));
  }
  return out;
}

Result<std::vector<Charge>> Dispatcher::fold_presences(const std::set<AgentId>& whom) {
  struct Stored {
    Agent agent;
    std::optional<Presence> presence;
    Care care;
    bool waits = false;
  };
  std::vector<Charge> out;
  if (whom.empty()) return out;
  std::vector<Stored> found;
  std::vector<AgentId> gone;
  AwakeTime awake;
  const Instant now = town_.clock.now();
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    found.clear();
    gone.clear();
    TRY(watch, ledger.watch());
    awake = watch.at(now);
    for (const auto id : whom) {
      TRY(agent, ledger.agent(id));
      if (!agent || agent->removed_at) {
        gone.push_back(id);
        continue;
      }
      TRY(stored, ledger.presence(id));
      TRY(care, ledger.care(id));
      TRY(line, ledger.pending_nudges(id));
      found.push_back({std::move(*agent), stored, care, !line.empty()});
    }
    return {};
  }));
  for (const auto agent : gone) forget(agent);
  std::vector<Presence> ended;
  std::vector<Presence> changed;
  for (auto& [agent, stored, care, waits] : found) {
    Presence presence = newest_presence(town_, agent.id, stored).value_or(Presence{.agent = agent.id});
    // Hooks and the registry note when by the clock, not by the town's own time.
    const bool counted = stored && stored->active_at != AwakeTime{} && stored->last_activity == presence.last_activity;
    presence.active_at = counted ? stored->active_at : awake;
    if (caretaker_.is_ours(presence)) mind_lost_supervisor(town_, presence);
    if (caretaker_.is_ours(presence) && presence.pid > 0 && !is_over(presence.state) && !starter_.is_alive(presence)) {
      presence.state = AgentState::exited;
      presence.since = now;
      presence.detail = "its process is gone";
      ended.push_back(presence);
    }
    const Presence to_store = stored_part(presence);
    if (presence.state != AgentState::unknown && (!stored || *stored != to_store)) changed.push_back(to_store);
    out.push_back({std::move(agent), std::move(presence), care, waits});
  }
  if (!changed.empty())
    TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
      for (const auto& presence : changed) TRY_VOID(ledger.set_presence(presence));
      return {};
    }));
  for (const auto& presence : ended) {
    files_.write(presence);
    TRY_VOID(Nudges(town_).settle(
        presence.agent, presence.incarnation, Nudges::Since::new_session,
        [&](std::string_view id) { return transcript_shows(presence.transcript, id); }, "the end of its process"));
    let_succeed(town_, presence.agent);
  }
  return out;
}

void Dispatcher::hear_servers() {
  for (const auto& [agent, event] : servers_.read()) {
    auto presence = files_.read(agent);
    if (!presence || event.kind == SessionEvent::Kind::alive || event.kind == SessionEvent::Kind::shown) continue;
    const Instant now = town_.clock.now();
    const auto before = presence->state;
    switch (event.kind) {
      case SessionEvent::Kind::busy:
      case SessionEvent::Kind::resumed:
        presence->state = AgentState::running;
        break;
      case SessionEvent::Kind::idle:
        presence->state = AgentState::idle;
        break;
      case SessionEvent::Kind::blocked:
        presence->state = AgentState::blocked;
        break;
      case SessionEvent::Kind::stalled:
        presence->state = AgentState::stalled;
        break;
      default:
        presence->state = AgentState::exited;
        break;
    }
    presence->detail = in_its_words(event.detail);
    presence->last_activity = now;
    if (before != presence->state) presence->since = now;
    files_.write(*presence);
    agenda_.at_once(agent);
  }
}

void Dispatcher::keep(const Charge& charge, Instant look_at, Instant now) {
  const AgentId agent = charge.agent.id;
  kept_.insert_or_assign(agent, Kept{charge.agent, charge.presence, look_at});
  const bool glance = caretaker_.can_be_glanced_at(charge.agent, charge.presence);
  agenda_.at(agent, glance ? std::min(look_at, now + kBeat) : look_at);
  const auto address = caretaker_.is_ours(charge.presence)
                           ? OpencodeAddress::parse(Caretaker::server_of(charge.agent, charge.presence))
                           : Result<OpencodeAddress>(fail(Code::usage, ""));
  if (address) {
    at_servers_.insert_or_assign(agent, *address);
    is_following_ = false;  // a server that did not answer is tried again
  } else {
    is_following_ = at_servers_.erase(agent) == 0 && is_following_;
  }
}

void Dispatcher::follow_servers() {
  if (is_following_) return;
  servers_.follow({at_servers_.begin(), at_servers_.end()});
  is_following_ = true;
}

Result<Instant> Dispatcher::round() {
  const Instant now = town_.clock.now();
  hear_servers();
  TRY(deadline, Nudges(town_).tend());
  if (registry_rang_ || now - registry_seen_ >= kSafetyNet) TRY_VOID(look_at_registry(now));
  const auto whom = whom_to_look_after(now);
  auto charges = fold_presences(whom);
  if (!charges) {
    for (const auto agent : whom) agenda_.at_once(agent);
    return Failure(charges.error());
  }
  std::optional<Error> trouble;  // of one agent: the others are served nevertheless
  for (auto& charge : *charges) {
    auto next = caretaker_.is_ours(charge.presence) ? caretaker_.look_after(charge) : now + kSafetyNet;
    if (!next && !trouble) trouble = next.error();
    keep(charge, next.value_or(now + kTrouble), now);
  }
  follow_servers();
  if (trouble) return fail(std::move(*trouble));
  if (const auto left_over = agenda_.next(); left_over && *left_over <= now) return now;
  Instant next = now + kBeat;
  if (deadline) next = std::min(next, *deadline);
  if (const auto first = agenda_.next()) next = std::min(next, *first);
  return std::max(next, town_.clock.now() + Millis(1000));
}

}  // namespace townpost
