#pragma once
#include <string_view>

#include "base/result.h"
#include "post/values/mail.h"
#include "post/values/presence.h"

namespace townpost {

class Ledger;

// Names are reused: what names a bead is for whoever holds that bead, not for the next one of the same address. An
// agent of whom nobody ever told what it works on holds whatever is named.

/// A bead's name, or none. Error: usage.
Result<> check_bead(std::string_view bead);
/// Whether what names `bead` (or, empty, none) concerns whoever has the address now.
bool is_for_holder(std::string_view bead, const Care& care);
/// Whether the copy is for an earlier holder of its mailbox's name. `Shelf::offered` is what is unread and is not.
bool is_for_previous_holder(const Delivery& copy, const Care& care);

/// Notes on the mail whether its copy is for a previous holder.
Result<> note_holder(Ledger& ledger, Mail& mail);

/// "for the previous holder (bead gp-12)"
std::string previous_holder_text(std::string_view bead);

}  // namespace townpost
