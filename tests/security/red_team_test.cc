// An agent that tries to get out of its session, as tests/security/red_team.sh does.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"
#include "security/callers.h"

namespace townpost {
namespace {

class RedTeam : public testing::TestWithParam<CallerKind> {
 protected:
  ProcessOutput attack(const std::string& me) {
    return town.script(GetParam(), cat("SECRET=", town.mail(), " THREAD=", town.thread(), " NUDGE=", town.nudge(),
                                       " GT=", gt_program(), "\nexport SECRET THREAD NUDGE GT\nsh ", RED_TEAM, " ", me,
                                       " >report 2>&1\n"));
  }
  std::string report() { return read_file(town.town().folder() / "report").value_or(""); }
  HostileTown town;
};

TEST_P(RedTeam, GetsNowhere) {
  const std::string me = GetParam() == CallerKind::nameless ? "claude-1" : "evil";
  auto& here = town.town();
  const auto newest = here.sql("SELECT max(id) FROM message;");
  attack(me);
  EXPECT_EQ(report().find("BROKEN"), std::string::npos) << report();
  const auto tried = report().rfind("tried ");
  ASSERT_NE(tried, std::string::npos) << report();
  EXPECT_GE(std::stoi(report().substr(tried + 6)), 40) << report();

  // What the store says, which no answer can hide.
  EXPECT_EQ(
      here.sql(cat("SELECT DISTINCT sent_from FROM message WHERE id > ", newest, " AND sent_from <> '", me, "';")), "")
      << "it spoke as somebody else";
  EXPECT_EQ(here.sql("SELECT count(*) FROM care WHERE hold_until IS NOT NULL;"), "0");
  for (const auto* file : {"pwned-start", "pwned-resume", "pwned-rig", "stolen.db"})
    EXPECT_FALSE(std::filesystem::exists(here.folder() / file)) << file;
  // The town goes on, and its human is told.
  EXPECT_EQ(here.gt({"mail", "send", "victim", "-s", "still here", "-m", "yes"}).exit_code, 0);
  EXPECT_EQ(here.gt({"hold", "--all", "--as", "overseer"}).exit_code, 0);
  EXPECT_GT(number_at(value_at(here.json({"status"}), "refused"), "count"), 20);
  EXPECT_NE(here.gt({"status"}).out.find("refused"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(, RedTeam, testing::Values(CallerKind::nameless, CallerKind::marked, CallerKind::supervised),
                         [](const auto& kind) {
                           return kind.param == CallerKind::nameless ? "Nameless"
                                  : kind.param == CallerKind::marked ? "Marked"
                                                                     : "Supervised";
                         });

}  // namespace
}  // namespace townpost
