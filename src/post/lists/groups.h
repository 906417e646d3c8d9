#pragma once
#include <string>
#include <vector>

#include "post/people/caller.h"
#include "post/people/membership.h"
#include "post/town/town.h"

namespace townpost {

/// A group and who it stands for now.
struct GroupView {
  Group group;
  Expansion now;
  std::vector<std::string> doubts;  ///< of members that stand for nobody now: what may have been meant
};

/// Names for many. Whoever created a group, and people, may change it.
class Groups {
 public:
  explicit Groups(Town& town) : town_(town) {}
  Result<std::vector<Group>> list();
  Result<GroupView> show(std::string_view name);
  Result<GroupView> create(std::string_view name, const std::vector<std::string>& members, const Caller& caller);
  enum class Edit { add, remove, set };  ///< set: these, and no others
  /// Members that are there already (or not there) are no error.
  Result<GroupView> edit(std::string_view name, Edit edit, const std::vector<std::string>& members,
                         const Caller& caller);
  Result<> remove(std::string_view name, const Caller& caller);

 private:
  Town& town_;
};

}  // namespace townpost
