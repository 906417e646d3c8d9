#pragma once
#include <optional>
#include <string>

#include "post/rules/limits.h"

namespace townpost {

/// L5 of typed mail: what its sender told before about the same (type and topic, "ALERT: gp-1 stuck") and a recipient
/// has not read, it is not woken for again. For one letter of an agent; letters of others have no topic here.
class TopicRule {
 public:
  TopicRule(Ledger& ledger, const Settings& settings, const Message& draft);

  /// Whether `recipient` has something unread about it. To be asked for each recipient once.
  Result<std::optional<Ruling>> hold(AgentId recipient);
  /// Once all were asked: the thread in which each of them has that, or nothing.
  std::string thread() const { return same_thread_ ? thread_.value_or("") : ""; }
  /// Of the letter as it was stored, for those that follow.
  Result<> note(MessageId stored);

 private:
  bool is_about_the_same(const Message& earlier) const;
  Ledger& ledger_;
  const Settings& settings_;
  const Message& draft_;
  std::optional<std::int64_t> digest_;  ///< of type and topic; nothing: the rule has nothing to say
  std::optional<std::string> thread_;
  bool same_thread_ = true;
};

}  // namespace townpost
