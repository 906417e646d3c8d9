// Who used a person's rights can be seen afterwards, or they are not used.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "support/test_town.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class AuthorityLog : public testing::Test {
 protected:
  AuthorityLog() { town.agents({"coder"}); }
  fs::path file() const { return town.folder() / ".town" / "log" / "authority.log"; }
  bool is_held() const { return town.gt({"status"}).out.find("held") != std::string::npos; }
  TestTown town;
};

TEST_F(AuthorityLog, HasEveryUseOfAPersonsRights) {
  const auto done = town.gt({"hold", "coder", "--as", "overseer"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.err.find("authority.log says so"), std::string::npos) << done.err;
  EXPECT_NE(read_file(file()).value_or("").find(": hold"), std::string::npos);
  EXPECT_TRUE(is_held());
}

TEST_F(AuthorityLog, IsNotPushedOutByRefusals) {
  ASSERT_EQ(town.gt({"hold", "coder", "--as", "overseer"}).exit_code, 0);
  std::ofstream(town.folder() / ".town/log/refused.log") << std::string((1u << 20) + 1, 'x') << "\n";
  EXPECT_EQ(town.gt({"hold", "coder"}, {{"MAIL_IDENTITY", "coder"}}).exit_code, 5);
  EXPECT_NE(read_file(file()).value_or("").find(": hold"), std::string::npos);
  EXPECT_EQ(read_file(file()).value_or("").find("refused"), std::string::npos);
  EXPECT_NE(town.gt({"status"}).out.find("refused"), std::string::npos);
}

TEST_F(AuthorityLog, ThatCannotBeWrittenKeepsAScriptFromThem) {
  fs::remove(file());
  fs::create_directories(file());
  const auto refused = town.gt({"hold", "coder", "--as", "overseer"});
  EXPECT_EQ(refused.exit_code, 6) << refused.out;
  EXPECT_NE(refused.err.find("must be logged"), std::string::npos) << refused.err;
  EXPECT_FALSE(is_held());
}

TEST_F(AuthorityLog, TellsEverybodyHowManyWereRefusedAndPeopleWho) {
  EXPECT_EQ(town.gt({"hold", "coder"}, {{"MAIL_IDENTITY", "coder"}}).exit_code, 5);
  const auto to_an_agent = value_at(town.json({"status"}, {{"MAIL_IDENTITY", "coder"}}), "refused");
  EXPECT_EQ(number_at(to_an_agent, "count"), 1);
  EXPECT_EQ(text_at(to_an_agent, "last"), "") << "the words of another agent";
  EXPECT_NE(text_at(value_at(town.json({"status"}), "refused"), "last"), "");
}

}  // namespace
}  // namespace townpost
