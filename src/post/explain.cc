#include "post/explain.h"

#include "base/text.h"
#include "post/mail_access.h"
#include "post/queues.h"
#include "post/resolve.h"

namespace townpost {

namespace {

std::string state_of(const Delivery& d) {
  if (d.deleted_at) return "deleted";
  if (d.archived_at) return "archived";
  if (d.acked_at) return "acked";
  if (d.read_at) return "read";
  if (d.delivered_at) return "delivered";
  if (d.announced_at) return "offered";
  return "waiting";
}

std::string obstacle_of(const Delivery& d, const std::optional<Agent>& agent, Instant now) {
  if (d.read_at || d.deleted_at) return "";
  if (!agent || agent->removed_at) return "the agent was removed; its mail is kept";
  if (!d.held_by.empty() && (!d.held_until || *d.held_until > now))
    return cat("held by rule ", d.held_by, ": nobody is woken for it; it shows at the next prompt or look");
  if (d.delivered_at) return "it was shown but not acknowledged";
  if (d.announced_at) return "it was announced and not read yet";
  if (agent->session.empty()) return "no session is registered for the agent; it waits for a look";
  return cat("it waits for the next look of ", agent->session);
}

/// Where the message stands in a queue or on a channel.
Result<std::vector<Standing>> list_standings(Ledger& ledger, MessageId id, Instant now) {
  std::vector<Standing> out;
  TRY(item, ledger.item(id));
  if (item) {
    TRY(mail, queued_mail(ledger, id));
    Standing standing{.address = "queue:" + mail.queue.name};
    switch (townpost::standing(*item, mail.queue.max_attempts, now)) {
      case ItemState::available:
        standing.state = "available";
        standing.why = mail.queue.state == QueueState::paused ? "the queue is paused" : "it waits for a claimant";
        break;
      case ItemState::leased:
        standing.state = "processing";
        standing.why = cat(mail.holder, " has it until ", rfc3339(item->lease_until));
        break;
      case ItemState::completed:
        standing.state = "completed";
        break;
      case ItemState::dead:
        standing.state = "dead";
        standing.why = cat("given up after ", item->attempts,
                           " attempts: ", item->reason.empty() ? "the lease ran out" : item->reason,
                           "; gt queue retry ", id.str());
        break;
    }
    out.push_back(std::move(standing));
  }
  TRY(place, ledger.channel_of(id));
  if (place) {
    TRY(channel, ledger.channel(*place));
    out.push_back({.address = "channel:" + (channel ? channel->name : "?"), .state = "posted", .why = ""});
  }
  return out;
}

}  // namespace

Result<Explanation> explain(Town& town, MessageId id, const Caller& caller) {
  std::optional<Explanation> out;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    TRY(self, own_mailbox(ledger, caller));
    TRY(opened, open_mail(ledger, id, self, caller));
    Explanation explanation{.message = opened.message, .standings = {}, .history = {}};
    TRY(copies, ledger.deliveries(id));
    for (const auto& copy : copies) {
      TRY(agent, ledger.agent(copy.mailbox));
      explanation.standings.push_back({agent ? agent->address.str() : "?", copy.copy, copy, state_of(copy),
                                       obstacle_of(copy, agent, town.clock.now())});
    }
    TRY(lists, list_standings(ledger, id, town.clock.now()));
    explanation.standings.insert(explanation.standings.end(), lists.begin(), lists.end());
    TRY(events, ledger.events_of(id));
    for (const auto& event : events) {
      std::string who = event.kind == "stored" ? opened.message.from : "";
      if (event.agent) {
        TRY(agent, ledger.agent(*event.agent));
        if (agent) who = agent->address.str();
      }
      explanation.history.push_back({event.at, event.kind, who, event.detail});
    }
    out = std::move(explanation);
    return {};
  }));
  return *out;
}

Result<Obstacles> why(Town& town, std::string_view address) {
  Obstacles out;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    out = Obstacles();
    TRY(agent, resolve_one(ledger, address));
    out.address = agent.address.str();
    TRY(unread, ledger.list({.mailbox = agent.id, .shelf = Shelf::unread, .limit = 1000}));
    TRY(number, ledger.count(agent.id, Shelf::unread));
    out.unread = number;
    std::string rules;
    for (const auto& mail : unread)
      if (!mail.delivery->held_by.empty() &&
          (!mail.delivery->held_until || *mail.delivery->held_until > town.clock.now())) {
        ++out.held;
        if (rules.find(mail.delivery->held_by) == std::string::npos)
          rules += (rules.empty() ? "" : ", ") + mail.delivery->held_by;
      }
    if (out.held > 0) out.reasons.push_back(cat(out.held, " unread messages are held by rule ", rules));
    if (agent.held_since)
      out.reasons.push_back(cat("its outgoing mail is held by L3 since ", rfc3339(*agent.held_since),
                                "; gt agent release ", out.address, " ends that"));
    if (out.unread > 0 && agent.session.empty())
      out.reasons.emplace_back("no session is registered; mail waits for its next look (gt mail check, inbox or wait)");
    if (out.unread > 0 && !agent.session.empty())
      out.reasons.push_back(cat("mail waits for the next look of ", agent.session));
    if (out.reasons.empty()) out.reasons.emplace_back("nothing stands in the way");
    return {};
  }));
  return out;
}

}  // namespace townpost
