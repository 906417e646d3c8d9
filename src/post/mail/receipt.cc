#include "post/mail/receipt.h"

#include "base/text.h"
#include "post/lists/queues.h"
#include "post/rules/holder.h"

namespace townpost {

namespace {

/// What is known of a queue or channel besides that the message is there.
struct ListFacts {
  std::string quarantined;  ///< the sender, if nobody gets it because of that
  std::string doubt;        ///< that nobody may claim it
  std::size_t woken = 0;    ///< so many are told of the post as of mail
};

void add_lists(const Lists& lists, const ListFacts& facts, std::vector<RecipientState>& out) {
  const auto tell = [&](const std::string& address, const std::string& reason) {
    RecipientState state{address, ReachState::queued, reason};
    if (!facts.quarantined.empty()) {
      state.state = ReachState::held;
      state.reason = cat(facts.quarantined, " is quarantined");
    }
    out.push_back(std::move(state));
  };
  if (const auto& queue = lists.queue)
    tell("queue:" + queue->name, queue->state == QueueState::paused ? "the queue is paused"
                                 : facts.doubt.empty()              ? "waits for a claimant"
                                                                    : facts.doubt);
  if (!lists.channel) return;
  tell("channel:" + lists.channel->name,
       cat("subscribers read it there", facts.woken > 0 ? cat("; it wakes ", facts.woken, " of them") : ""));
  if (!lists.hold || !facts.quarantined.empty()) return;
  out.back().state = ReachState::held;
  out.back().reason = lists.hold->reason;
}

/// Whether only a look at its session tells how a recipient is reached; else the rules decided it.
bool depends_on_session(const Addressee& addressee, const Agent& sender) {
  return !addressee.hold && addressee.agent.id != sender.id && addressee.wake == Waking::yes &&
         addressee.agent.address.role() != Role::human;
}

RecipientState decided_state(const Addressee& addressee, const Agent& sender) {
  RecipientState out{.address = addressee.agent.address.str(), .state = ReachState::muted, .reason = ""};
  if (addressee.hold) {
    out.state = ReachState::held;
    out.reason = addressee.hold->reason;
  } else if (addressee.agent.id == sender.id) {
    out.reason = "mail to yourself wakes nobody";
  } else if (addressee.wake == Waking::no) {
    out.reason = "sent without waking anybody";
  } else {
    out.state = ReachState::no_session;
    out.reason = "in their inbox";
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
    out.push_back({addressee.agent.address.str(), ReachState::queued, "", nudge_of(posted, addressee.agent.id)});
  add_lists(posted.lists, {}, out);
  return out;
}

Result<Reached> recipient_states(Town& town, const Posted& posted) {
  std::map<AgentId, ReachFacts> facts;
  std::map<AgentId, Care> holders;  // of those who get it for a bead
  Care sender_care;
  std::string doubt;  // whether anybody may claim it
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    facts.clear();
    if (posted.lists.queue) {
      TRY(told, doubt_about(ledger, *posted.lists.queue));
      doubt = std::move(told);
    }
    TRY(care, ledger.care(posted.sender.id));
    sender_care = care;
    std::vector<AgentId> asked;
    for (const auto& addressee : posted.addressees) {
      if (depends_on_session(addressee, posted.sender)) asked.push_back(addressee.agent.id);
      if (addressee.bead.empty()) continue;
      TRY(holder, ledger.care(addressee.agent.id));
      holders[addressee.agent.id] = holder;
    }
    for (const auto& follower : posted.lists.followers)
      if (posted.nudges.contains(follower.id)) asked.push_back(follower.id);
    TRY(found, reach_facts(town, ledger, asked));
    for (auto& one : found) facts.emplace(one.presence.agent, std::move(one));
    return {};
  }));
  HostLook host(town);
  const std::string quarantined = sender_care.quarantined_at ? posted.sender.address.str() : "";
  const auto state_of = [&](const Agent& agent, const ReachFacts& known) {
    const auto reach = host.reach(agent, known);
    RecipientState state{.address = agent.address.str(), .state = reach.state, .reason = reach.how};
    if (!reach.in_the_way.empty()) state.reason = reach.in_the_way.front();
    state.nudge = nudge_of(posted, agent.id);
    state.from_outside = reach.from_outside && !state.nudge.empty();
    return state;
  };
  Reached reached;
  auto& out = reached.states;
  for (const auto& addressee : posted.addressees) {
    const auto& agent = addressee.agent;
    if (const auto holder = holders.find(agent.id);
        holder != holders.end() && !is_for_holder(addressee.bead, holder->second)) {
      out.push_back({agent.address.str(), ReachState::held,
                     cat("bead ", addressee.bead, " is not theirs now: it is listed, and announced once it is")});
      continue;
    }
    const auto known = facts.find(agent.id);
    if (known == facts.end()) {
      out.push_back(decided_state(addressee, posted.sender));
      continue;
    }
    RecipientState state = state_of(agent, known->second);
    if (!quarantined.empty()) {
      state.state = ReachState::held;
      state.reason = cat(quarantined, " is quarantined");
    }
    out.push_back(std::move(state));
  }
  for (const auto& follower : posted.lists.followers)
    if (const auto known = facts.find(follower.id); known != facts.end())
      reached.followers.push_back(state_of(follower, known->second));
  add_lists(posted.lists, {quarantined, doubt, reached.followers.size()}, out);
  if (!doubt.empty()) reached.warnings.push_back(doubt);
  return reached;
}

std::string pack_states(const std::vector<RecipientState>& states) {
  std::string out;
  for (const auto& one : states)
    out += cat(one.address, "\t", name(one.state), "\t", one.reason, "\t", one.nudge, "\n");
  return out;
}

std::vector<RecipientState> unpack_states(std::string_view text) {
  std::vector<RecipientState> out;
  for (const auto line : split(text, '\n')) {
    const auto parts = split(line, '\t');
    if (parts.size() < 3) continue;  // before nudges there were three
    // A state of a later release is told as the one that promises nothing.
    const auto state = find_reach_state(parts[1]).value_or(ReachState::queued);
    out.push_back({std::string(parts[0]), state, std::string(parts[2]), parts.size() > 3 ? std::string(parts[3]) : ""});
  }
  return out;
}

}  // namespace townpost
