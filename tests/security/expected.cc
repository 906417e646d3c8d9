#include "security/expected.h"

namespace townpost {

Expected expected(const Op& op, Standing caller) {
  const auto& row = op.authority;
  const bool is_human = caller == Standing::script || caller == Standing::person;
  if (caller == Standing::quarantined && !row.open_in_quarantine()) return Expected::refused;
  switch (row.who()) {
    case Who::anyone:
      return Expected::allowed;
    case Who::itself:
    case Who::owner:
      return row.whom().empty() || is_human ? Expected::allowed : Expected::refused;
    case Who::participant:
    case Who::creator:
      return is_human ? Expected::allowed : Expected::refused;
    case Who::claimer:
      return is_human ? Expected::undecided : Expected::refused;
    case Who::coordinator:
      return is_human ? Expected::allowed : Expected::refused;
    case Who::person:
      return caller == Standing::person ? Expected::allowed : Expected::refused;
  }
  return Expected::undecided;
}

bool is_told_by_each(std::string_view op) {
  return op == "nudge.list" || op == "feed" || op.starts_with("mail.mark") || op == "mail.archive" ||
         op == "mail.unarchive" || op == "mail.delete" || op == "mail.pin" || op == "mail.unpin";
}

}  // namespace townpost
