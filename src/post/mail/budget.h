#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/town/town.h"
#include "post/values/agent.h"

namespace townpost {

/// How much an agent mails, against what its role should.
struct BudgetLine {
  std::string address;
  std::string role;
  std::int64_t sent = 0;      ///< in the last 24 h
  std::int64_t protocol = 0;  ///< of those, protocol messages
  std::optional<int> budget;  ///< nothing: no number is set for the role
  bool over = false;
};

/// Every agent that mailed in the last 24 h, by address.
Result<std::vector<BudgetLine>> budget(Town& town);

/// A warning for a sender whose role should mail less. Budgets warn, they never block.
Result<std::optional<std::string>> over_budget(Ledger& ledger, const Settings& settings, const Agent& sender,
                                               const Message& sent, Instant now);

}  // namespace townpost
