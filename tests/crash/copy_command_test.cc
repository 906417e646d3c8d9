#include <gtest/gtest.h>

#include "base/text.h"
#include "support/postgres_server.h"
#include "support/terminal.h"
#include "support/test_town.h"

namespace townpost {
namespace {

using Words = std::vector<std::string>;

/// `gt store copy`, as people call it.
class CopyCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new PostgresServer(); }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  static std::string new_database() { return server_->make_database(); }

  CopyCommand() {
    town_.agents({"ann"});
    for (int i = 0; i < 5; ++i) town_.send("overseer", "ann", cat("letter ", i));
  }
  std::vector<std::string> inbox(const std::string& store) const {
    return texts_in(town_.json({"mail", "inbox", "--as", "ann"}, {{"GT_STORE", store}}), "subject");
  }
  /// Runs it in a shell that waits 30 seconds at most; exit 124 then.
  ProcessOutput copy_in_time(const std::string& from, const std::string& to) const {
    return town_.shell("timeout 30 \"$GT\" store copy --as overseer --from \"$FROM\" --to \"$TO\"",
                       {{"FROM", from}, {"TO", to}});
  }

  TestTown town_;
  inline static PostgresServer* server_ = nullptr;
};

TEST_F(CopyCommand, TellsWhatItCopiedAndTheTownLivesThere) {
  const auto url = new_database();
  const auto answer = town_.json({"store", "copy", "--from", "sqlite", "--to", url, "--as", "overseer"});
  EXPECT_EQ(keys_of(answer), (Words{"from", "to", "rows", "written", "messages"}));
  EXPECT_EQ(number_at(answer, "messages"), 5);
  EXPECT_EQ(number_at(answer, "written"), number_at(answer, "rows"));
  EXPECT_EQ(text_at(answer, "from"), town_.store().string());
  EXPECT_EQ(inbox(url), inbox("sqlite"));

  const auto back = (town_.folder() / "back.db").string();
  EXPECT_EQ(town_.gt({"store", "copy", "--from", url, "--to", "sqlite:" + back, "--as", "overseer"}).exit_code, 0);
  EXPECT_EQ(inbox(back), inbox("sqlite"));
}

TEST_F(CopyCommand, TakesTheFileOfTheTownWhereNoSourceIsNamed) {
  const auto url = new_database();
  EXPECT_EQ(town_.gt({"store", "copy", "--to", url, "--as", "overseer"}).exit_code, 0);
  EXPECT_EQ(inbox(url).size(), 5u);
}

TEST_F(CopyCommand, ShowsAProgressBarOnATerminalOnly) {
  const auto on_terminal = gt_on_terminal(town_, {"store", "copy", "--to", new_database(), "--as", "overseer"});
  EXPECT_EQ(on_terminal.exit_code, 0) << on_terminal.out;
  EXPECT_NE(on_terminal.out.find("copying ["), std::string::npos) << on_terminal.out;
  EXPECT_NE(on_terminal.out.find("\r\x1b[K"), std::string::npos) << "it stays on the screen";
  const auto in_pipe = town_.gt({"store", "copy", "--to", new_database(), "--as", "overseer"});
  EXPECT_EQ(in_pipe.exit_code, 0);
  EXPECT_EQ(in_pipe.err.find("copying"), std::string::npos) << in_pipe.err;
  EXPECT_EQ(in_pipe.out.find("copying ["), std::string::npos) << in_pipe.out;
}

TEST_F(CopyCommand, NeverShowsThePasswordOfAUrl) {
  auto url = new_database();
  url.replace(url.find("town@"), 5, "town:secret@");
  for (const Words& more : {Words{}, Words{"--json"}}) {
    Words words = {"store", "copy", "--to", url, "--as", "overseer"};
    words.insert(words.end(), more.begin(), more.end());
    const auto ended = town_.gt(words);
    EXPECT_EQ((ended.out + ended.err).find("secret"), std::string::npos) << ended.out << ended.err;
  }
}

TEST_F(CopyCommand, RefusesATargetThatHoldsATown) {
  const auto url = new_database();
  ASSERT_EQ(town_.gt({"store", "copy", "--to", url, "--as", "overseer"}).exit_code, 0);
  const auto before = town_.dump();
  for (const auto& [from, to] : {std::pair<std::string, std::string>("sqlite", url), {url, "sqlite"}}) {
    const auto refused = town_.gt({"store", "copy", "--from", from, "--to", to, "--as", "overseer"});
    EXPECT_EQ(refused.exit_code, 5) << refused.out << refused.err;
    EXPECT_NE(refused.err.find("holds a town already"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(town_.dump(), before);
  EXPECT_EQ(inbox(url).size(), 5u);
}

TEST_F(CopyCommand, RefusesToCopyAStoreOntoItself) {
  for (const auto& store : {std::string("sqlite"), new_database()}) {
    const auto refused = copy_in_time(store, store);
    EXPECT_EQ(refused.exit_code, 2) << refused.out << refused.err;
    EXPECT_NE(refused.err.find("the same store"), std::string::npos) << refused.err;
  }
}

TEST_F(CopyCommand, RefusesToCopyAStoreOntoItselfByAnotherName) {
  const TestTown fresh;  // nothing in it, so that it does not look like a town that is in use
  const auto url = server_->make_database();
  ASSERT_EQ(fresh.gt({"store", "migrate"}, {{"GT_STORE", url}}).exit_code, 0);
  auto other_url = url;
  other_url.replace(0, other_url.find(':'), "postgresql");
  const std::string store = fresh.store().string();
  for (const auto& [from, to] : {std::pair(std::string("sqlite"), "sqlite:" + store),
                                 {std::string("sqlite"), std::string("./.town/town.db")},
                                 {store, std::string("sqlite")},
                                 {url, other_url}}) {
    const auto refused = fresh.shell("timeout 20 \"$GT\" store copy --as overseer --from \"$FROM\" --to \"$TO\"",
                                     {{"FROM", from}, {"TO", to}});
    EXPECT_TRUE(refused.exit_code == 2 || refused.exit_code == 5)
        << from << " to " << to << ": exit " << refused.exit_code << " " << refused.err;
    const auto after = fresh.gt({"mail", "inbox"}, {{"GT_STORE", from}});
    EXPECT_EQ(after.exit_code, 0) << from << " to " << to << " broke it: " << after.err;
    if (HasFailure()) return;  // what follows would find a broken town
  }
}

TEST_F(CopyCommand, CopiesToAFileBesideTheOtherOne) {
  const auto ended = copy_in_time("sqlite", (town_.folder() / ".town" / "other.db").string());
  EXPECT_EQ(ended.exit_code, 0) << (ended.exit_code == 124 ? "it hung" : ended.err);
}

TEST_F(CopyCommand, SaysWhatIsWrongWithItsArguments) {
  EXPECT_EQ(town_.gt({"store", "copy", "--as", "overseer"}).exit_code, 2);
  EXPECT_EQ(town_.gt({"store", "copy", "--to", "nonsense", "--as", "overseer"}).exit_code, 2);
  EXPECT_EQ(town_.gt({"store", "copy", "--to", "mysql://host/town", "--as", "overseer"}).exit_code, 2);
  const auto target = town_.folder() / "new.db";
  const auto missing = town_.gt(
      {"store", "copy", "--from", "sqlite:missing/town.db", "--to", "sqlite:" + target.string(), "--as", "overseer"});
  EXPECT_EQ(missing.exit_code, 6) << missing.err;
  EXPECT_FALSE(std::filesystem::exists(target)) << "nothing was copied, so there is nothing";
}

TEST_F(CopyCommand, IsForPeople) {
  const auto url = new_database();
  const auto refused = town_.gt({"store", "copy", "--to", url}, {{"MAIL_IDENTITY", "ann"}});
  EXPECT_EQ(refused.exit_code, 5) << refused.out << refused.err;
}

}  // namespace
}  // namespace townpost
