// Long output at a terminal goes through a pager; nothing else does.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "support/terminal.h"

namespace townpost {
namespace {

class Pager : public testing::Test {
 protected:
  /// The terminal of the tests has 50 lines.
  Pager() {
    town.agents({"alice"});
    std::string body;
    for (int i = 1; i <= 200; ++i) body += cat("line ", i, ".\n");
    id = town.send("overseer", "alice", "Long", {"-m", body});
    short_id = town.send("overseer", "alice", "Short", {"-m", "one line"});
  }
  /// An empty variable is none.
  const TestTown::Variables unset_ = {{"PAGER", ""}};
  Words thread() const { return {gt_program(), "mail", "thread", id, "--as", "alice"}; }

  TestTown town;
  std::string id, short_id;
};

TEST_F(Pager, IsLessWhichShowsOnePageAfterTheOther) {
  const auto paged = on_terminal(town, thread(), unset_, {{"line 20.", "G"}, {"(END)", "q"}});
  EXPECT_EQ(paged.exit_code, 0);
  EXPECT_NE(paged.out.find("line 200."), std::string::npos);
  EXPECT_NE(paged.out.find("(END)"), std::string::npos) << "less says so";
}

TEST_F(Pager, ThatIsLeftEarlyHasShownEnough) {
  const auto paged = on_terminal(town, thread(), unset_, {{"line 20.", "q"}});
  EXPECT_EQ(paged.exit_code, 0);
  EXPECT_EQ(paged.out.find("line 200."), std::string::npos) << "nobody went there";
}

TEST_F(Pager, IsTheOneThatIsWanted) {
  const auto other = gt_on_terminal(town, {"mail", "thread", id, "--as", "alice"}, {{"PAGER", "sed s/line/row/"}});
  EXPECT_NE(other.out.find("row 200."), std::string::npos) << other.out.substr(0, 400);
  const auto first = gt_on_terminal(town, {"mail", "thread", id, "--as", "alice"},
                                    {{"PAGER", "false"}, {"GT_PAGER", "sed s/line/page/"}});
  EXPECT_NE(first.out.find("page 200."), std::string::npos) << first.out.substr(0, 400);
}

TEST_F(Pager, IsNotUsedForWhatFitsTheScreen) {
  const auto shown = gt_on_terminal(town, {"mail", "thread", short_id, "--as", "alice"}, {{"PAGER", "sed s/one/two/"}});
  EXPECT_NE(shown.out.find("one line"), std::string::npos) << shown.out;
}

TEST_F(Pager, IsNotUsedInAPipeOrForPrograms) {
  const TestTown::Variables pager = {{"PAGER", "sed s/line/row/"}};
  EXPECT_NE(town.gt({"mail", "thread", id, "--as", "alice"}, pager).out.find("line 200."), std::string::npos);
  const auto json = gt_on_terminal(town, {"mail", "thread", id, "--as", "alice", "--json"}, pager);
  EXPECT_NE(json.out.find("line 200."), std::string::npos);
}

TEST_F(Pager, ThatIsMissingOrCatLosesNothing) {
  for (const auto* pager : {"no-such-pager", "cat", " "})
    EXPECT_NE(gt_on_terminal(town, {"mail", "thread", id, "--as", "alice"}, {{"PAGER", pager}, {"PATH", "/nowhere"}})
                  .out.find("line 200."),
              std::string::npos)
        << pager;
}

}  // namespace
}  // namespace townpost
