#pragma once
#include <optional>
#include <string_view>

#include "post/town/town.h"

namespace townpost {

/// Notes in the recipient's line that mail is there: one entry, however many messages. Never for mail to oneself, to
/// people, or while the recipient does not want to be disturbed. `not_before`: a rule lets it wake only then.
/// `caused_by`: who wakes it, if that is not the sender.
Result<> raise_for_mail(Town& town, Ledger& ledger, const Message& message, const Agent& recipient,
                        std::optional<Instant> not_before, std::string_view caused_by = "");
/// Ends that entry once all the mail it is about was read.
Result<> settle_mail_nudge(Ledger& ledger, AgentId mailbox, Instant now);

}  // namespace townpost
