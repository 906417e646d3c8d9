#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "post/town/store.h"

namespace townpost {

/// What may have been meant by members and claimers that stand for nobody now. They are kept nevertheless: somebody may
/// have that name later.
class Doubts {
 public:
  static Result<Doubts> of(Ledger& ledger);
  /// `"maks" stands for nobody now; did you mean beads/crew/max?`
  std::string about(std::string_view member) const;
  /// "beads/crew/max, group:makers"; empty where nothing is near.
  std::string meant(std::string_view member) const;

 private:
  std::vector<std::string> near(std::string_view member) const;
  std::vector<std::string> near_names(std::string_view name) const;

  std::vector<std::string> addresses_, rigs_;
  std::multimap<std::string, std::string> names_;  ///< what a bare name may stand for: agents by name, groups
};

}  // namespace townpost
