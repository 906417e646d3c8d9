// Every operation, called with something that is not there: the error says which argument is at fault.
#include <set>

#include "base/text.h"
#include "engine/furnished_town.h"

namespace townpost {
namespace {

class FaultsTest : public FurnishedTown {
 protected:
  /// The name of something of its kind that is not there; null where any value is as good as another.
  static Json missing(const Arg& arg) {
    switch (arg.kind) {
      case ArgKind::message_id:
        return "hq-m-zzzzzz";
      case ArgKind::nudge_id:
        return "hq-n-zzzzzz";
      case ArgKind::address:
      case ArgKind::list_name:
      case ArgKind::text:
        return "not-there";
      default:
        return nullptr;
    }
  }

  /// Whether what is missing can be nothing else: of a text nobody knows what it should have been.
  static bool is_of_a_kind(const Arg& arg) { return arg.kind != ArgKind::text; }

  JsonObject call_with(const Op& op, const Arg& wrong) const {
    auto out = least_call(op);
    put(out, wrong, missing(wrong));
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, FaultsTest, ::testing::Values(Kept::sqlite),
                         [](const auto&) { return std::string("sqlite"); });

TEST_P(FaultsTest, OfWhatIsNotThereIsTheArgumentThatNamesIt) {
  std::set<std::string_view> told;
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (op.name != entry.name || op.where != Where::anywhere) continue;
    for (const auto& arg : op.args) {
      if (missing(arg).is_null()) continue;
      const auto given = call_with(op, arg);
      auto args = Args::check(op.args, given);
      ASSERT_TRUE(args.has_value()) << op.name << ": " << args.error().message;
      Request request = by("overseer");
      const auto got = engine_.call(op, *args, request);
      if (got || (got.error().code != Code::usage && got.error().code != Code::not_found)) continue;
      told.insert(op.name);
      const auto said = cat(op.name, " ", to_line(given), ": ", got.error().message);
      EXPECT_NE(got.error().argument, "") << said;
      if (is_of_a_kind(arg)) {
        EXPECT_EQ(got.error().argument, arg.name) << said;
      }
    }
  }
  EXPECT_GT(told.size(), 45u) << "too few operations for this to mean anything";
}

}  // namespace
}  // namespace townpost
