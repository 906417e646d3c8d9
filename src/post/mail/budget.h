#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/town/town.h"
#include "post/values/agent.h"

namespace townpost {

/// How much the agents of a role should mail in one session. Budgets warn, they never block.
struct Budget {
  enum class Kind {
    none,
    number,       ///< at most `most`
    protocol,     ///< typed messages only
    escalations,  ///< what goes to whoever helps, and notes for oneself
    strategy,     ///< anything but instructions to those who look after rigs and the town
  };
  Kind kind = Kind::none;
  int most = 0;
};
/// A number of [budgets] in town.toml, else what the role is for.
Budget budget_of(const Settings& settings, Role role);
/// "at most 1 a session", "protocol messages only", …
std::string words(const Budget& budget);

/// How much an agent mailed in its session, against what its role should.
struct BudgetLine {
  std::string address;
  std::string role;
  Instant since;               ///< its session began; without one the last day
  std::int64_t sent = 0;       ///< what counts
  std::int64_t protocol = 0;   ///< of that, typed messages
  std::int64_t uncounted = 0;  ///< replies, confirmations, progress and the like
  Budget budget;
  bool over = false;
};

/// Every agent that mailed in its session, by address.
Result<std::vector<BudgetLine>> budget(Town& town);

/// A warning for a sender whose role should mail less than with this message, once a session. After the commit: it
/// looks at the sender's session.
Result<std::optional<std::string>> over_budget(Town& town, const Agent& sender, const Message& sent);

}  // namespace townpost
