#include "post/mail/budget.h"

#include <algorithm>

#include "base/text.h"
#include "post/mail/typed_mail.h"

namespace townpost {

namespace {

constexpr Millis kDay = std::chrono::hours(24);
constexpr int kMostCounted = 1000;

/// Roles whose mail should be protocol messages only; a configured number replaces that rule.
bool protocol_only(Role role) { return role == Role::witness || role == Role::refinery || role == Role::deacon; }

std::optional<int> budget_of(const Settings& settings, Role role) {
  const auto found = settings.budgets.find(std::string(name(role)));
  if (found == settings.budgets.end()) return std::nullopt;
  return found->second;
}

}  // namespace

Result<std::vector<BudgetLine>> budget(Town& town) {
  std::vector<BudgetLine> out;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    out.clear();
    const Instant since = town.clock.now() - kDay;
    TRY(agents, ledger.agents());
    for (const auto& agent : agents) {
      if (agent.address.role() == Role::human || agent.address.role() == Role::system) continue;
      BudgetLine line{.address = agent.address.str(),
                      .role = std::string(name(agent.address.role())),
                      .budget = budget_of(town.settings, agent.address.role())};
      TRY(messages, ledger.sent(agent.id, std::nullopt, kMostCounted, Parts::headers));
      for (const auto& message : messages) {
        if (message.created_at < since) break;
        if (message.created_at > town.clock.now()) continue;  // of a clock that was wrong
        ++line.sent;
        if (type_of(town.settings, message)) ++line.protocol;
      }
      if (line.sent == 0) continue;
      line.over =
          line.budget ? line.sent > *line.budget : protocol_only(agent.address.role()) && line.sent > line.protocol;
      out.push_back(std::move(line));
    }
    return {};
  }));
  return out;
}

Result<std::optional<std::string>> over_budget(Ledger& ledger, const Settings& settings, const Agent& sender,
                                               const Message& sent, Instant now) {
  std::optional<std::string> none;
  const Role role = sender.address.role();
  const auto most = budget_of(settings, role);
  if (!most) {
    if (!protocol_only(role) || type_of(settings, sent)) return none;
    return std::optional(cat("a ", name(role), " should mail protocol messages only; use gt nudge for the rest"));
  }
  TRY(times, ledger.send_times(sender.id, std::nullopt, {now - kDay, now}, *most + 1));
  if (static_cast<int>(times.size()) <= *most) return none;
  return std::optional(cat("over the mail budget of a ", name(role), " (", *most,
                           " a session); use gt nudge for what need not survive a restart"));
}

}  // namespace townpost
