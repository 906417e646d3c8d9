#include "post/mail/explain.h"

#include "base/advice.h"
#include "base/text.h"
#include "post/lists/mail_place.h"
#include "post/nudge/reach.h"
#include "post/people/resolve.h"
#include "post/rules/holder.h"
#include "post/rules/mail_access.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

/// What stands in the way of a copy; `reach` is set where only that can tell.
struct Obstacle {
  std::string words;
  std::optional<ReachFacts> reach = {};
};

Result<Obstacle> obstacle_of(Town& town, Ledger& ledger, const Delivery& d, const std::optional<Agent>& agent) {
  const Instant now = town.clock.now();
  if (d.read_at || d.deleted_at || d.archived_at) return Obstacle{};
  if (!agent || agent->removed_at) return Obstacle{"the agent was removed; its mail is kept"};
  TRY(care, ledger.care(d.mailbox));
  if (is_for_previous_holder(d, care))
    return Obstacle{cat(previous_holder_text(d.bead), ": it is listed, and announced only if that bead comes back")};
  if (d.held(now))
    return Obstacle{cat("held by rule ", d.held_by, ": nobody is woken for it; it shows at the next prompt or look")};
  if (d.delivered_at) return Obstacle{"it was shown but not acknowledged"};
  if (d.announced_at) return Obstacle{"it was announced and not read yet"};
  TRY(facts, reach_facts(town, ledger, agent->id));
  return Obstacle{"", std::move(facts)};
}

std::string unread_are(std::int64_t number) {
  return cat(number, number == 1 ? " unread message is" : " unread messages are");
}

}  // namespace

Result<Explanation> explain(Town& town, MessageId id, const Caller& caller) {
  struct Open {
    std::size_t standing;
    Agent agent;
    ReachFacts facts;
  };
  std::optional<Explanation> out;
  std::vector<Open> open;  // copies of which only a look at the session tells
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    open.clear();
    TRY(self, own_mailbox(ledger, caller));
    TRY(opened, open_mail(ledger, id, self, caller, town.clock.now()));
    TRY(withheld, Withheld::from_reader(ledger, caller));
    TRY(shown, shown_copy(ledger, opened));
    Explanation explanation{.mail = {opened.message, shown}, .standings = {}, .history = {}};
    TRY_VOID(note_place(ledger, explanation.mail, caller, town.clock.now()));
    withheld.strip(explanation.mail);
    TRY(copies, ledger.deliveries(id));
    for (const auto& copy : copies) {
      TRY(agent, ledger.agent(copy.mailbox));
      TRY(obstacle, obstacle_of(town, ledger, copy, agent));
      explanation.standings.push_back(
          {agent ? agent->address.str() : "?", copy.copy, copy, state_of(copy), std::move(obstacle.words)});
      if (obstacle.reach) open.push_back({explanation.standings.size() - 1, *agent, std::move(*obstacle.reach)});
      TRY(care, ledger.care(copy.mailbox));
      auto& standing = explanation.standings.back();
      standing.for_previous_holder = is_for_previous_holder(copy, care);
      if (opened.withheld.empty()) continue;
      standing.delivery.bead.clear();
      if (standing.for_previous_holder) standing.why = withheld_words(opened.withheld);
    }
    TRY(lists, list_standings(ledger, opened.message, caller, town.clock.now()));
    explanation.standings.insert(explanation.standings.end(), lists.begin(), lists.end());
    TRY(events, ledger.events_of(id));
    for (auto& event : events) {
      std::string who = event.kind == EventKind::stored ? opened.message.from : "";
      if (event.agent) {
        TRY(agent, ledger.agent(*event.agent));
        if (agent) who = agent->address.str();
      }
      withheld.strip(event, opened.message);
      explanation.history.push_back({event.at, std::string(name(event.kind)), who, event.detail});
    }
    out = std::move(explanation);
    return {};
  }));
  HostLook host(town);
  for (const auto& [standing, agent, facts] : open) {
    const auto reach = host.reach(agent, facts);
    out->standings[standing].why = reach.in_the_way.empty() ? reach.how : reach.in_the_way.front();
  }
  return *out;
}

Result<Obstacles> why(Town& town, std::string_view address) {
  Obstacles out;
  std::optional<Agent> whose;
  std::optional<ReachFacts> facts;
  std::int64_t offered = 0, told = 0;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    out = Obstacles();
    TRY(agent, resolve_one(ledger, address));
    whose = agent;
    out.address = agent.address.str();
    TRY(unread, ledger.list({.mailbox = agent.id, .shelf = Shelf::unread, .limit = 1000, .parts = Parts::headers}));
    TRY(number, ledger.count(agent.id, Shelf::unread));
    out.unread = number;
    std::string rules;
    told = 0;
    for (const auto& mail : unread) {
      if (mail.delivery->announced_at) ++told;
      if (mail.delivery->held(town.clock.now())) {
        ++out.held;
        if (rules.find(mail.delivery->held_by) == std::string::npos)
          rules += (rules.empty() ? "" : ", ") + mail.delivery->held_by;
      }
    }
    TRY(known, ledger.count(agent.id, Shelf::offered));
    offered = known;
    if (number > offered)
      out.reasons.push_back(
          cat(unread_are(number - offered), " for the previous holder of the name, or from somebody in quarantine"));
    if (out.held > 0) out.reasons.push_back(cat(unread_are(out.held), " held by rule ", rules));
    if (agent.held_since)
      out.reasons.push_back(cat("its outgoing mail is held by L3 since ", rfc3339(*agent.held_since), "; ",
                                called("agent.release", {{"address", out.address}}), " ends that"));
    TRY(care, ledger.care(agent.id));
    if (care.quarantined_at)
      out.reasons.push_back(cat("it is in quarantine since ", rfc3339(*care.quarantined_at),
                                ": what it sends reaches people only; ",
                                called("agent.quarantine", {{"agent", out.address}, {"lift", ""}}), " ends that"));
    TRY(found, reach_facts(town, ledger, agent.id));
    facts = std::move(found);
    return {};
  }));
  const auto& line = facts->line;
  auto reach = HostLook(town).reach(*whose, *facts);
  const bool waits = (offered > 0 || !line.empty()) && whose->address.role() != Role::human;
  for (auto& reason : reach.in_the_way)
    if (waits || reach.state != ReachState::no_session) out.reasons.push_back(std::move(reason));
  const bool is_to_be_carried = waits && (offered > told || !line.empty());
  if (out.reasons.empty() && is_to_be_carried && !reach.how.empty()) out.reasons.push_back(std::move(reach.how));
  if (told > 0) out.reasons.push_back(cat(unread_are(told), " announced and not read yet"));
  if (!line.empty())
    out.reasons.push_back(cat(line.size(), line.size() == 1 ? " nudge waits" : " nudges wait",
                              " for it: ", called("nudge.list", {{"agent", out.address}})));
  const auto presence = newest_presence(town, whose->id, facts->presence.presence);
  if (presence && presence->harness.is(Harness::Kind::hooked))
    out.reasons.push_back(cat("its hooks last ran at ", rfc3339(presence->last_activity)));
  if (const auto errors = hook_errors(town.folder); errors > 0 && presence)
    out.reasons.push_back(cat("hook calls of this town failed ", errors, " times (log/signal.log)"));
  const bool is_unseen = (!presence || presence->state == AgentState::unknown) && !whose->session.empty();
  if (out.reasons.empty())
    out.reasons.emplace_back(is_unseen ? "nothing is known to stand in the way: its session was not looked at yet"
                                       : "nothing stands in the way");
  return out;
}

}  // namespace townpost
