#pragma once
#include "post/posting.h"

namespace townpost {

// What may have to follow a message later; kept in the outbox until done.
constexpr const char* kDropWisp = "drop-wisp";
constexpr const char* kRemindOfReply = "remind-of-reply";
constexpr const char* kReplyOverdue = "reply-overdue";

/// Carries out a bounded share of what is due, inside the caller's transaction: so nothing needs a daemon, and no write
/// pays for another's backlog.
Result<> carry_out_duties(Town& town, Ledger& ledger, Posting& posting);

/// The recipients (not by cc) of `message` that have not answered it.
Result<std::vector<Agent>> still_owing(Ledger& ledger, const Message& message);

}  // namespace townpost
