#include <gtest/gtest.h>

#include "base/text.h"
#include "crash/evidence.h"
#include "crash/running_gt.h"
#include "support/stress.h"
#include "support/test_town.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

const int kKills = stress(60, 20);
constexpr int kExitNoTown = 3;

ProcessOutput gt(const fs::path& folder, const std::vector<std::string>& words) {
  return RunningGt::start(words, folder).end();
}

fs::path new_folder(const TestTown& above, const std::string& name) {
  const auto folder = above.folder() / name;
  fs::create_directory(folder);
  return folder;
}

bool found_it(const ProcessOutput& init) { return flag_at(parse_json(trim(init.out)).value_or(Json()), "existed"); }

void expect_whole_town(const fs::path& folder) {
  const auto sent = gt(folder, {"mail", "send", "-m", "", "mayor/", "-s", "hello", "--json"});
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  const StoreEvidence evidence(folder / ".town" / "town.db");
  evidence.expect_sound();
  EXPECT_TRUE(evidence.messages().contains(receipt_id(sent.out)));
}

TEST(KilledInit, MakesAWholeTownOrNoneAndASecondInitWorks) {
  const TestTown above(TestTown::Start::empty_folder);
  Moments moments;
  int warm_up = 0;
  const auto duration =
      typical_duration([&] { ASSERT_EQ(gt(new_folder(above, cat("warm-up-", ++warm_up)), {"init"}).exit_code, 0); }, 5);
  int killed = 0, without_town = 0;
  for (int round = 0; round < kKills; ++round) {
    const auto folder = new_folder(above, cat("town-", round));
    const auto ended = run_and_kill({"init"}, folder, moments.within(duration));
    ASSERT_TRUE(ended.exit_code == 0 || ended.exit_code == kKilled) << ended.exit_code << ended.err;
    if (ended.exit_code == kKilled) ++killed;

    if (gt(folder, {"mail", "inbox"}).exit_code == kExitNoTown) {
      ++without_town;
      ASSERT_EQ(ended.exit_code, kKilled) << "it said that the town was made";
    }
    const auto again = gt(folder, {"init"});
    ASSERT_EQ(again.exit_code, 0) << again.err;
    expect_whole_town(folder);
  }
  EXPECT_GT(killed, kKills / 10) << "too few were killed for this to mean anything";
  EXPECT_GT(without_town, 0);
  std::printf("%d killed of %d, %d of them before there was a town\n", killed, kKills, without_town);
}

TEST(TwoInitsAtOnce, MakeOneTownAndOneOfThemFindsIt) {
  const TestTown above(TestTown::Start::empty_folder);
  for (int round = 0; round < kKills; ++round) {
    const auto folder = new_folder(above, cat("town-", round));
    auto one = RunningGt::start({"init", "--json"}, folder);
    auto other = RunningGt::start({"init", "--json"}, folder);
    const auto first = one.end(), second = other.end();
    ASSERT_EQ(first.exit_code, 0) << first.err;
    ASSERT_EQ(second.exit_code, 0) << second.err;
    ASSERT_NE(found_it(first), found_it(second)) << first.out << second.out;
    expect_whole_town(folder);
  }
}

}  // namespace
}  // namespace townpost
