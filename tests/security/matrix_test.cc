// Each operation of the table, called by everybody: allowed or refused as its row says, and a refusal changes nothing.
#include <gtest/gtest.h>

#include "base/text.h"
#include "ops/op.h"
#include "security/every_operation.h"
#include "security/expected.h"

namespace townpost {
namespace {

Standing standing_of(CallerKind kind) {
  switch (kind) {
    case CallerKind::quarantined:
      return Standing::quarantined;
    case CallerKind::script:
      return Standing::script;
    case CallerKind::person:
      return Standing::person;
    default:
      return Standing::agent;
  }
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
    const auto wanted = expected(op, standing_of(GetParam()));
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
