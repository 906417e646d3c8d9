#include "post/mail/budget.h"

#include <algorithm>

#include "base/advice.h"
#include "base/text.h"
#include "post/mail/typed_mail.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr Millis kDay = std::chrono::hours(24);
constexpr int kMostCounted = 1000;

bool is_channel(const std::string& recipient) { return recipient.starts_with("channel:"); }

bool is_for_channels_only(const Message& message) {
  return std::all_of(message.to.begin(), message.to.end(), is_channel) &&
         std::all_of(message.cc.begin(), message.cc.end(), is_channel);
}

/// What a role must mail, or what costs nothing, is no part of its budget.
bool counts(Role role, const Message& message, const protocol::ProtocolType* type) {
  if (message.type == MessageType::reply || message.reply_to || is_for_channels_only(message)) return false;
  if (message.type == MessageType::escalation && (role == Role::witness || role == Role::deacon)) return false;
  if (!type) return true;
  if (type->answers || type->transient) return false;
  return role != Role::polecat || (type->name != "POLECAT_DONE" && type->name != "HELP");
}

/// Whether it says what a nudge should: instructions to those who are looked after by nudges.
bool is_instruction(const Message& message) {
  const auto takes_nudges = [](const std::string& recipient) {
    const auto address = Address::parse(recipient);
    return recipient == "@witnesses" || recipient.ends_with("/witness") || (address && address->role() == Role::deacon);
  };
  return std::all_of(message.to.begin(), message.to.end(), takes_nudges) &&
         std::all_of(message.cc.begin(), message.cc.end(), takes_nudges);
}

/// Whether a message that counts is against what its sender's role is for.
bool offends(const Budget& budget, const Message& message, const protocol::ProtocolType* type) {
  switch (budget.kind) {
    case Budget::Kind::none:
    case Budget::Kind::number:
      return false;
    case Budget::Kind::protocol:
      return !type;
    case Budget::Kind::escalations:
      return !type || (type->receiver != "escalation" && type->receiver != "mayor" && type->receiver != "self");
    case Budget::Kind::strategy:
      return !type && is_instruction(message);
  }
  return false;
}

/// When the session began that `presence` tells of. Without one a day is a session.
Instant session_began(const std::optional<Presence>& presence, Instant now) {
  const bool is_known = presence && presence->started_at.ms > 0 && presence->started_at <= now;
  return is_known ? presence->started_at : now - kDay;
}

/// What `agent` sent in `session`, told to `each` until it has enough.
template <class Each>
Result<> in_session(Ledger& ledger, AgentId agent, Window session, Each each) {
  TRY(messages, ledger.sent(agent, std::nullopt, kMostCounted, Parts::bodiless));
  for (const auto& message : messages) {
    if (message.created_at < session.since) break;
    if (message.created_at > session.until) continue;  // of a clock that was wrong
    if (!each(message)) break;
  }
  return {};
}

/// Fills in what the line says of the agent's messages.
Result<> count(Ledger& ledger, const Settings& settings, const Agent& agent, Instant now, BudgetLine& line) {
  std::int64_t offences = 0;
  TRY_VOID(in_session(ledger, agent.id, {line.since, now}, [&](const Message& message) {
    const auto* type = type_of(settings, message);
    if (!counts(agent.address.role(), message, type)) return ++line.uncounted, true;
    ++line.sent;
    if (type) ++line.protocol;
    if (offends(line.budget, message, type)) ++offences;
    return true;
  }));
  // The rest are posts that were pruned since: posts are no part of a budget.
  TRY(all, ledger.send_times(agent.id, std::nullopt, {line.since, now}, kMostCounted));
  line.uncounted += std::max<std::int64_t>(0, static_cast<std::int64_t>(all.size()) - line.sent - line.uncounted);
  line.over = offences > 0 || (line.budget.kind == Budget::Kind::number && line.sent > line.budget.most);
  return {};
}

/// Whether the sender has sent more than so many that count.
Result<bool> is_over(Ledger& ledger, const Settings& settings, const Agent& sender, int most, Window session) {
  int sent = 0;
  TRY_VOID(in_session(ledger, sender.id, session, [&](const Message& message) {
    if (counts(sender.address.role(), message, type_of(settings, message))) ++sent;
    return sent <= most;
  }));
  return sent > most;
}

Result<bool> was_warned(Ledger& ledger, AgentId sender, Window session) {
  TRY(warnings, ledger.events_about(sender, EventKind::over_budget, session, 1));
  return !warnings.empty();
}

}  // namespace

Budget budget_of(const Settings& settings, Role role) {
  if (const auto set = settings.budgets.find(std::string(name(role))); set != settings.budgets.end())
    return {Budget::Kind::number, set->second};
  switch (role) {
    case Role::witness:
    case Role::refinery:
      return {Budget::Kind::protocol};
    case Role::deacon:
      return {Budget::Kind::escalations};
    case Role::mayor:
      return {Budget::Kind::strategy};
    default:
      return {};
  }
}

std::string words(const Budget& budget) {
  switch (budget.kind) {
    case Budget::Kind::none:
      break;
    case Budget::Kind::number:
      return cat("at most ", budget.most, " a session");
    case Budget::Kind::protocol:
      return "protocol messages only";
    case Budget::Kind::escalations:
      return "escalations only";
    case Budget::Kind::strategy:
      return "strategy only, no instructions to deacon and witnesses";
  }
  return "none";
}

Result<std::vector<BudgetLine>> budget(Town& town) {
  struct Known {
    Agent agent;
    std::optional<Presence> presence;
  };
  TRY(everybody, read_value(town.store, [&](Ledger& ledger) -> Result<std::vector<Known>> {
        std::vector<Known> out;
        TRY(agents, ledger.agents());
        for (auto& agent : agents) {
          if (agent.address.role() == Role::human || agent.address.role() == Role::system) continue;
          TRY(presence, ledger.presence(agent.id));
          out.push_back({std::move(agent), std::move(presence)});
        }
        return out;
      }));
  const Instant now = town.clock.now();
  for (auto& one : everybody) one.presence = newest_presence(town, one.agent.id, one.presence);
  return read_value(town.store, [&](Ledger& ledger) -> Result<std::vector<BudgetLine>> {
    std::vector<BudgetLine> out;
    for (const auto& [agent, presence] : everybody) {
      BudgetLine line{.address = agent.address.str(),
                      .role = std::string(name(agent.address.role())),
                      .since = session_began(presence, now),
                      .budget = budget_of(town.settings, agent.address.role())};
      TRY_VOID(count(ledger, town.settings, agent, now, line));
      if (line.sent + line.uncounted > 0) out.push_back(std::move(line));
    }
    return out;
  });
}

Result<std::optional<std::string>> over_budget(Town& town, const Agent& sender, const Message& sent) {
  std::optional<std::string> none;
  const Role role = sender.address.role();
  const Budget budget = budget_of(town.settings, role);
  const auto* type = type_of(town.settings, sent);
  const bool by_number = budget.kind == Budget::Kind::number;
  if (!counts(role, sent, type) || !(by_number || offends(budget, sent, type))) return none;
  TRY(stored, read_value(town.store, [&](Ledger& ledger) { return stored_presence(ledger, sender.id); }));
  const Instant now = town.clock.now();
  const Window session{session_began(newest_presence(town, sender.id, stored.presence), now), now};
  const auto is_news = [&](Ledger& ledger) -> Result<bool> {
    TRY(warned, was_warned(ledger, sender.id, session));
    if (warned || !by_number) return !warned;
    return is_over(ledger, town.settings, sender, budget.most, session);
  };
  TRY(news, read_value(town.store, is_news));
  if (!news) return none;
  bool first = false;  // of several at once one is told
  TRY_VOID(town.store.write([&](Ledger& ledger) -> Result<> {
    TRY(warned, was_warned(ledger, sender.id, session));
    first = !warned;
    if (!first) return {};
    return ledger.add_event({.at = now, .kind = EventKind::over_budget, .agent = sender.id, .detail = words(budget)});
  }));
  if (!first) return none;
  return std::optional(cat("over the mail budget of a ", name(role), " (", words(budget), "); use ", called("nudge"),
                           " for anything that need not survive a restart"));
}

}  // namespace townpost
