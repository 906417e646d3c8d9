#include "post/rules/holder.h"

#include <algorithm>

#include "base/text.h"
#include "post/town/store.h"

namespace townpost {

Result<> check_bead(std::string_view bead) {
  const bool one_word = bead.size() <= 200 && is_utf8(bead) && bead != "-" &&
                        std::none_of(bead.begin(), bead.end(), [](unsigned char c) { return c <= ' '; });
  if (one_word) return {};
  return fail(Code::usage, "the bead must be one word of at most 200 bytes", "for example gp-12");
}

bool is_for_holder(std::string_view bead, const Care& care) {
  return bead.empty() || !care.holds.is_told() || care.holds.is(bead);
}

bool is_for_previous_holder(const Delivery& copy, const Care& care) { return !is_for_holder(copy.bead, care); }

Result<> note_holder(Ledger& ledger, Mail& mail) {
  mail.for_previous_holder = false;
  if (!mail.delivery || mail.delivery->bead.empty()) return {};  // nearly all mail
  TRY(care, ledger.care(mail.delivery->mailbox));
  mail.for_previous_holder = is_for_previous_holder(*mail.delivery, care);
  return {};
}

std::string previous_holder_text(std::string_view bead) { return cat("for the previous holder (bead ", bead, ")"); }

}  // namespace townpost
