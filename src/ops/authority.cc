#include "ops/authority.h"

#include "base/text.h"

namespace townpost {

std::string_view describe(Who who) {
  switch (who) {
    case Who::anyone:
      return "anyone in the town";
    case Who::itself:
      return "the agent itself, people, the mayor, the deacon, witnesses and refineries";
    case Who::owner:
      return "the owner of the mailbox, and people";
    case Who::participant:
      return "sender, recipients, members of the thread, and people";
    case Who::claimer:
      return "agents that the queue's claimers match";
    case Who::creator:
      return "its maker, and people";
    case Who::coordinator:
      return "people, the mayor, the deacon, witnesses and refineries";
    case Who::person:
      return "people only";
  }
  return "";
}

std::string Authority::describe() const {
  std::string out(townpost::describe(who_));
  if (!open_in_quarantine_) out += "; not while in quarantine";
  return out;
}

Authority by_anyone() { return Authority(Who::anyone); }
Authority by_itself(std::string_view whom) { return Authority(Who::itself, whom); }
Authority by_owner(std::string_view whom) { return Authority(Who::owner, whom); }
Authority by_participants() { return Authority(Who::participant); }
Authority by_claimers() { return Authority(Who::claimer); }
Authority by_creator() { return Authority(Who::creator); }
Authority by_coordinators() { return Authority(Who::coordinator); }
Authority by_people() { return Authority(Who::person, {}, Grade::flag); }

Authority not_in_quarantine(Authority authority) {
  authority.open_in_quarantine_ = false;
  return authority;
}

}  // namespace townpost
