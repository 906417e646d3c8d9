// Each operation of the table, called by everybody: allowed or refused as its row says, and a refusal changes nothing.
#include <gtest/gtest.h>

#include "base/text.h"
#include "ops/op.h"
#include "security/every_operation.h"

namespace townpost {
namespace {

enum class Expected { refused, allowed, undecided };

bool is_human(CallerKind kind) { return kind == CallerKind::script || kind == CallerKind::person; }

/// What the row says about this caller. A call that names somebody names victim, who is nobody of these.
Expected expected(const Op& op, CallerKind kind) {
  const auto& row = op.authority;
  if (kind == CallerKind::quarantined && !row.open_in_quarantine()) return Expected::refused;
  switch (row.who()) {
    case Who::anyone:
      return Expected::allowed;
    case Who::itself:
    case Who::owner:
      return row.whom().empty() || is_human(kind) ? Expected::allowed : Expected::refused;
    case Who::participant:
    case Who::creator:
      return is_human(kind) ? Expected::allowed : Expected::refused;
    case Who::claimer:
      return is_human(kind) ? Expected::undecided : Expected::refused;
    case Who::coordinator:
      return is_human(kind) ? Expected::allowed : Expected::refused;
    case Who::person:
      return kind == CallerKind::person ? Expected::allowed : Expected::refused;
  }
  return Expected::undecided;
}

/// Data decides for each message or nudge by itself, and what one may not see is left out of lists.
bool is_told_by_each(std::string_view op) {
  return op == "nudge.list" || op == "feed" || op.starts_with("mail.mark") || op == "mail.archive" ||
         op == "mail.unarchive" || op == "mail.delete" || op == "mail.pin" || op == "mail.unpin";
}

class Matrix : public testing::TestWithParam<CallerKind> {
 protected:
  static HostileTown& town() {
    static HostileTown town;
    return town;
  }
};

TEST_P(Matrix, HoldsForEveryOperation) {
  const auto words = call_of_each(town());
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (op.name != entry.name) continue;
    const auto call = words.find(op.name);
    ASSERT_NE(call, words.end()) << op.name << " has no call in this test: who may call it is not tried";
    const auto wanted = expected(op, GetParam());
    const auto tried = town().attempt(GetParam(), call->second);
    const bool refused = tried.exit_code == 5;
    const auto told = cat(op.name, " by ", name(GetParam()), " ended with ", tried.exit_code, ": ", tried.out);
    if (GetParam() == CallerKind::in_anothers_pane) {  // it claims to be evil where victim sits: whoever asks refuses
      EXPECT_TRUE(refused || wanted != Expected::refused) << told;
    } else if (wanted == Expected::refused && !is_told_by_each(op.name)) {
      EXPECT_TRUE(refused) << told;
    } else if (wanted == Expected::allowed) {
      EXPECT_FALSE(refused && tried.out.find(" is for ") != std::string::npos) << told;
    }
    EXPECT_FALSE(refused && tried.changed) << told;
    EXPECT_TRUE(wanted != Expected::refused || tried.out.find("SECRET") == std::string::npos) << told;
    if (op.name == "up" && !refused) town().town().gt({"down"});
  }
}

INSTANTIATE_TEST_SUITE_P(, Matrix,
                         testing::Values(CallerKind::nameless, CallerKind::by_environment, CallerKind::supervised,
                                         CallerKind::quarantined, CallerKind::in_anothers_pane, CallerKind::script,
                                         CallerKind::person),
                         [](const auto& kind) {
                           std::string out;
                           for (const char c : name(kind.param))
                             if ((c >= 'a' && c <= 'z')) out += c;
                           return out;
                         });

}  // namespace
}  // namespace townpost
