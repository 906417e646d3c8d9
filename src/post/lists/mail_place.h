#pragma once
#include "post/people/caller.h"
#include "post/town/store.h"

namespace townpost {

/// Notes on the mail what else its reader is told of it: whether it is for a previous holder, where it stands in its
/// queue, and whether the reader has come that far with its channel.
Result<> note_place(Ledger& ledger, Mail& mail, const Caller& reader, Instant now);

}  // namespace townpost
