#pragma once
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "post/town/town.h"

namespace townpost {

/// Notes in the recipients' lines that a message is there: one entry for each, however many messages. Never for mail to
/// oneself, to people, or while the recipient does not want to be disturbed. Inside one transaction; what it must know
/// of many recipients is read at once.
class MailWakes {
 public:
  MailWakes(Town& town, Ledger& ledger, const Message& message) : town_(town), ledger_(ledger), message_(message) {}
  /// To be called once, with everybody who may be told.
  Result<> look_at(const std::vector<Agent>& recipients);
  /// `not_before`: a rule lets it wake only then. `caused_by`: who wakes it, if that is not the sender. The entry, if
  /// there is one.
  Result<std::optional<NudgeId>> raise(const Agent& recipient, std::optional<Instant> not_before,
                                       std::string_view caused_by);

 private:
  Result<NudgeId> next_id();
  Town& town_;
  Ledger& ledger_;
  const Message& message_;
  /// Of those who can be woken: their entry about mail, if they have one.
  std::map<AgentId, std::optional<Nudge>> entries_;
  std::int64_t without_entry_ = 0;
  std::int64_t next_seq_ = 0;  ///< numbers that were taken for them…
  std::int64_t end_seq_ = 0;   ///< …up to here
};

/// The same for one recipient.
Result<std::optional<NudgeId>> raise_for_mail(Town& town, Ledger& ledger, const Message& message,
                                              const Agent& recipient, std::optional<Instant> not_before,
                                              std::string_view caused_by = "");
/// Ends that entry once all the mail it is about was read.
Result<> settle_mail_nudge(Ledger& ledger, AgentId mailbox, Instant now);

}  // namespace townpost
