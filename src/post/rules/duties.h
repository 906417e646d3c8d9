#pragma once
#include "post/rules/posting.h"

namespace townpost {

// What may have to follow a message later; kept in the outbox until done.
constexpr const char* kDropWisp = "drop-wisp";
constexpr const char* kRemindOfReply = "remind-of-reply";
constexpr const char* kReplyOverdue = "reply-overdue";

/// Carries out a bounded share of what is due, inside the caller's transaction: so nothing needs a daemon, and no write
/// pays for another's backlog. Each by itself: one that cannot be done is ended, or put off if the store is the reason,
/// and the town goes on.
Result<> carry_out_duties(Town& town, Ledger& ledger, Posting& posting);

/// What could not be done and was left, since `since`: newest first.
Result<std::vector<Event>> left_undone(Ledger& ledger, Window window, int most);
/// Notes that something was left undone; the same again within an hour is not noted.
Result<> note_undone(Ledger& ledger, std::optional<MessageId> message, const std::string& what, Instant now);

/// The recipients (not by cc) of `message` that have not answered it.
Result<std::vector<Agent>> still_owing(Ledger& ledger, const Message& message);

}  // namespace townpost
