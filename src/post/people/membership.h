#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "post/town/store.h"
#include "post/values/agent.h"

namespace townpost {

/// The canonical spelling of a member of a group or a subscriber of a channel: an address, a wildcard, an @pattern or
/// `group:name`. A bare name becomes the whole address of the agent, or the group, that it stands for now. Error:
/// usage.
Result<std::string> member_spelling(Ledger& ledger, std::string_view text);

/// So many groups are looked into, directly or through others, and so many members in all of them; so many members a
/// group has at most.
constexpr std::size_t kMostNestedGroups = 1000;
constexpr std::size_t kMostNestedMembers = 50'000;
constexpr std::size_t kMostMembers = 1000;

/// Who the members of a group are now: each mailbox once, however the groups contain each other.
struct Expansion {
  std::vector<Agent> agents;           ///< singletons of a rig that nobody wrote to yet have id 0
  std::vector<std::string> unmatched;  ///< members that stand for nobody
  bool too_large = false;              ///< it contains more than is looked into: some are missing here
};
Result<Expansion> expand_group(Ledger& ledger, const Group& group);

/// That a group contains more than is looked into. Error: refused.
Failure too_many_groups(std::string_view group);

/// Everybody whom one member stands for; nobody if it stands for nobody.
Result<std::vector<Agent>> expand_member(Ledger& ledger, const std::string& member);

/// Tells of one member after the other whether it stands for `agent`, among others or alone. A group that does not is
/// looked into once, however many contain it.
class Coverage {
 public:
  Coverage(Ledger& ledger, const Agent& agent) : ledger_(ledger), agent_(agent) {}
  Result<bool> covers(const std::string& member);

 private:
  Result<bool> is_it(const Destination& destination);
  Result<bool> may_be_it(const Destination& destination);
  Ledger& ledger_;
  const Agent& agent_;
  std::optional<std::set<std::string>> last_words_;  ///< the last parts of its names, earlier ones too
  std::set<std::string> without_;                    ///< groups that it is not in
};
/// The same of one.
Result<bool> covers(Ledger& ledger, const std::string& member, const Agent& agent);

/// Who may claim, as it is kept: `*`, a glob whose `*` stays within a segment, or a member as above. Error: usage.
Result<std::string> claimers_spelling(Ledger& ledger, std::string_view text);
Result<bool> may_claim(Ledger& ledger, const std::string& claimers, const Agent& agent);
/// Whether anybody may who is in the town and in no quarantine. Whoever comes later is not thought of.
Result<bool> anybody_may_claim(Ledger& ledger, const std::string& claimers);

/// Whether `text` is matched segment by segment; `*` is any run of characters of one segment, and alone at least one.
/// The lone pattern `*` matches everything.
bool matches_claimers(std::string_view pattern, std::string_view text);

}  // namespace townpost
