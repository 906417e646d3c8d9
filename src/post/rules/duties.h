#pragma once
#include "post/rules/posting.h"

namespace townpost {

/// Carries out a bounded share of what is due for the town, inside the caller's transaction: so nothing needs a daemon,
/// and no write pays for another's backlog. Each by itself: one that cannot be done fails by itself, and the town goes
/// on.
Result<> carry_out_duties(Town& town, Ledger& ledger, Posting& posting);

/// Whoever had the duty in hand could not do it: it is tried again, later each time, and after a number of attempts
/// given up, which the log tells. An error that would come again for ever ends it at once.
Result<> duty_failed(Ledger& ledger, const Duty& leased, const Error& error, Instant now);

/// What could not be done and was left, within `window`: newest first.
Result<std::vector<Event>> left_undone(Ledger& ledger, Window window, int most);
/// Notes that something was left undone; the same again within an hour is not noted.
Result<> note_undone(Ledger& ledger, std::optional<MessageId> message, const std::string& what, Instant now);

/// The recipients (not by cc) of `message` that have not answered it.
Result<std::vector<Agent>> still_owing(Ledger& ledger, const Message& message);

}  // namespace townpost
