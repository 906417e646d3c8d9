#include "post/mail/receipt.h"

#include "base/text.h"
#include "post/nudge/reach.h"
#include "post/rules/holder.h"

namespace townpost {

namespace {

void add_lists(const Lists& lists, std::vector<RecipientState>& out) {
  if (const auto& queue = lists.queue)
    out.push_back({"queue:" + queue->name, "queued",
                   queue->state == QueueState::paused ? "the queue is paused" : "waits for a claimant"});
  if (const auto& channel = lists.channel)
    out.push_back({"channel:" + channel->name, "queued", "stored once; subscribers read it there"});
}

/// Whether only a look at its session tells how a recipient is reached; else the rules decided it.
bool depends_on_session(const Addressee& addressee, const Agent& sender) {
  return !addressee.hold && addressee.agent.id != sender.id && addressee.wake == Waking::yes &&
         addressee.agent.address.role() != Role::human;
}

RecipientState decided_state(const Addressee& addressee, const Agent& sender) {
  RecipientState out{.address = addressee.agent.address.str(), .state = "muted", .reason = ""};
  if (addressee.hold) {
    out.state = "held";
    out.reason = addressee.hold->reason;
  } else if (addressee.agent.id == sender.id) {
    out.reason = "mail to oneself wakes nobody";
  } else if (addressee.wake == Waking::no) {
    out.reason = "sent without waking anybody";
  } else {
    out.state = "no-session";
    out.reason = "a person looks when they like";
  }
  return out;
}

std::string nudge_of(const Posted& posted, AgentId agent) {
  const auto found = posted.nudges.find(agent);
  return found == posted.nudges.end() ? std::string() : found->second.str();
}

}  // namespace

std::vector<RecipientState> stored_states(const Posted& posted) {
  std::vector<RecipientState> out;
  for (const auto& addressee : posted.addressees)
    out.push_back({addressee.agent.address.str(), "queued", "", nudge_of(posted, addressee.agent.id)});
  add_lists(posted.lists, out);
  return out;
}

Result<std::vector<RecipientState>> recipient_states(Town& town, const Posted& posted) {
  std::map<AgentId, ReachFacts> facts;
  std::map<AgentId, Care> holders;  // of those who get it for a bead
  Care sender_care;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    facts.clear();
    TRY(care, ledger.care(posted.sender.id));
    sender_care = care;
    std::vector<AgentId> asked;
    for (const auto& addressee : posted.addressees) {
      if (depends_on_session(addressee, posted.sender)) asked.push_back(addressee.agent.id);
      if (addressee.bead.empty()) continue;
      TRY(holder, ledger.care(addressee.agent.id));
      holders[addressee.agent.id] = holder;
    }
    TRY(found, reach_facts(town, ledger, asked));
    for (auto& one : found) facts.emplace(one.presence.agent, std::move(one));
    return {};
  }));
  HostLook host(town);
  std::vector<RecipientState> out;
  for (const auto& addressee : posted.addressees) {
    const auto& agent = addressee.agent;
    if (const auto holder = holders.find(agent.id);
        holder != holders.end() && !is_for_holder(addressee.bead, holder->second)) {
      out.push_back({agent.address.str(), "held",
                     cat("bead ", addressee.bead, " is not theirs now: it is listed, and announced once it is")});
      continue;
    }
    const auto known = facts.find(agent.id);
    if (known == facts.end()) {
      out.push_back(decided_state(addressee, posted.sender));
      continue;
    }
    const auto reach = host.reach(agent, known->second);
    RecipientState state{.address = agent.address.str(), .state = reach.state, .reason = reach.how};
    if (!reach.in_the_way.empty()) state.reason = reach.in_the_way.front();
    if (sender_care.quarantined_at) {
      state.state = "held";
      state.reason = cat(posted.sender.address.str(), " is quarantined");
    }
    state.nudge = nudge_of(posted, agent.id);
    state.from_outside = reach.from_outside && !state.nudge.empty();
    out.push_back(std::move(state));
  }
  add_lists(posted.lists, out);
  return out;
}

std::string pack_states(const std::vector<RecipientState>& states) {
  std::string out;
  for (const auto& one : states) out += cat(one.address, "\t", one.state, "\t", one.reason, "\t", one.nudge, "\n");
  return out;
}

std::vector<RecipientState> unpack_states(std::string_view text) {
  std::vector<RecipientState> out;
  for (const auto line : split(text, '\n')) {
    const auto parts = split(line, '\t');
    if (parts.size() < 3) continue;  // before nudges there were three
    out.push_back({std::string(parts[0]), std::string(parts[1]), std::string(parts[2]),
                   parts.size() > 3 ? std::string(parts[3]) : ""});
  }
  return out;
}

}  // namespace townpost
