// gt mail search: literal, any script, own mail only.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Ids = std::vector<std::string>;

class Search : public testing::Test {
 protected:
  Search() { town.agents({"alice", "bob", "carol"}); }
  Ids found(const Words& words, const std::string& who = "alice") const {
    return texts_in(town.json(with({"mail", "search", "--as", who}, words)), "id");
  }
  /// Twice: the first search covers what is not in the index yet, and puts it there.
  void expect_found(const Words& words, const Ids& ids) const {
    EXPECT_EQ(found(words), ids) << "before indexing: " << words.front();
    EXPECT_EQ(found(words), ids) << "after indexing: " << words.front();
  }
  TestTown town;
};

TEST_F(Search, OfAPersonCoversTheTownWithAll) {
  const auto id = town.send("bob", "alice", "between them");
  EXPECT_EQ(town.json({"mail", "search", "between", "--as", "overseer"}), Json(JsonArray{}));
  const auto found = town.json({"mail", "search", "between", "--all", "--as", "overseer"});
  ASSERT_EQ(items_of(found).size(), 1u);
  EXPECT_EQ(text_at(found.at(0), "id"), id);
  expect_refusal(town, {"mail", "search", "between", "--all", "--as", "alice"}, {5, "forbidden", "for people"});
}

// G134
TEST_F(Search, IsLiteral) {
  const auto dots = town.send("overseer", "alice", "a.b");
  town.send("overseer", "alice", "axb");
  const auto percent = town.send("overseer", "alice", "100% done_now", {"-m", "\"quoted\" AND NOT * ^ (x) NEAR/2"});
  expect_found({"a.b"}, {dots});
  expect_found({"0% d"}, {percent});
  expect_found({"done_now"}, {percent});
  expect_found({"\"quoted\" AND NOT * ^ (x) NEAR/2"}, {percent});
  expect_found({"doneXnow"}, {});
  expect_found({"[x]"}, {});
}

TEST_F(Search, FindsAnyScriptWithoutRegardToCase) {
  const auto cyrillic = town.send("overseer", "alice", "Сборка упала");
  const auto greek = town.send("overseer", "alice", "ΟΔΟΣ");
  const auto german = town.send("overseer", "alice", "Größe der Äpfel");
  const auto chinese = town.send("overseer", "alice", "构建失败了");
  const auto thai = town.send("overseer", "alice", "การทดสอบล้มเหลว");
  const auto arabic = town.send("overseer", "alice", "فشل الاختبار");
  const auto emoji = town.send("overseer", "alice", "ship it 🚀🚀🎉");
  const auto latin = town.send("overseer", "alice", "Flaky TEST in CI");
  expect_found({"СБОРКА"}, {cyrillic});
  expect_found({"сборка УПА"}, {cyrillic});
  expect_found({"οδο"}, {greek});
  expect_found({"GRÖ"}, {german});
  expect_found({"äpfel"}, {german});
  expect_found({"建失败"}, {chinese});
  expect_found({"ทดสอบ"}, {thai});
  expect_found({"الاختبار"}, {arabic});
  expect_found({"🚀🚀🎉"}, {emoji});
  expect_found({"flaky test"}, {latin});
  expect_found({"FLAKY"}, {latin});
}

TEST_F(Search, TakesTheWordsAsTheyStand) {
  const auto both = town.send("overseer", "alice", "a flaky test");
  town.send("overseer", "alice", "test is flaky");
  expect_found({"flaky", "test"}, {both});
  expect_found({"flaky test"}, {both});
  EXPECT_EQ(town.gt({"mail", "search", "--as", "alice"}).exit_code, 2);
}

TEST_F(Search, FindsOneAndTwoCharacters) {
  const auto one = town.send("overseer", "alice", "Q");
  const auto two = town.send("overseer", "alice", "构建");
  const auto long_one = town.send("overseer", "alice", "all about qs");
  expect_found({"q"}, {long_one, one});
  expect_found({"qs"}, {long_one});
  expect_found({"建"}, {two});
}

TEST_F(Search, LooksAtSubjectBodyAndSenderOrWhereItIsTold) {
  const auto in_subject = town.send("overseer", "alice", "needle");
  const auto in_body = town.send("overseer", "alice", "hay", {"-m", "a needle in here"});
  town.agents({"needle-maker"});
  const auto in_sender = town.send("needle-maker", "alice", "hay");
  expect_found({"needle"}, {in_sender, in_body, in_subject});
  expect_found({"needle", "--subject"}, {in_subject});
  expect_found({"needle", "--body"}, {in_body});
  expect_found({"needle", "--subject", "--body"}, {in_body, in_subject});
  expect_found({"needle", "--from", "needle-maker"}, {in_sender});
}

TEST_F(Search, FindsOwnMailOnly) {
  const auto sent = town.send("alice", "bob", "treasure sent");
  const auto received = town.send("bob", "alice", "treasure received");
  const auto foreign = town.send("bob", "carol", "treasure of others");
  expect_found({"treasure"}, {received, sent});
  EXPECT_EQ(found({"treasure"}, "carol"), Ids{foreign});
}

TEST_F(Search, LeavesArchivedMailOutUnlessAsked) {
  const auto away = town.send("overseer", "alice", "old treasure");
  town.json({"mail", "archive", away, "--as", "alice"});
  expect_found({"treasure"}, {});
  expect_found({"treasure", "--archived"}, {away});
}

TEST_F(Search, TakesTheTimeSince) {
  const auto old = town.send("overseer", "alice", "treasure then");
  town.sql("UPDATE message SET created_at = created_at - 8 * 24 * 3600000");
  const auto young = town.send("overseer", "alice", "treasure now");
  expect_found({"treasure"}, {young, old});
  expect_found({"treasure", "--since", "7d"}, {young});
  expect_found({"treasure", "--since", "2001-01-01T00:00:00Z"}, {young, old});
  expect_found({"treasure", "--since", "2999-01-01T00:00:00Z"}, {});
}

TEST_F(Search, GoesThroughTheIndexAndWhatIsNotInItYet) {
  const auto indexed = town.send("overseer", "alice", "treasure one");
  expect_found({"treasure"}, {indexed});
  const auto fresh = town.send("overseer", "alice", "treasure two");
  EXPECT_EQ(found({"treasure"}), (Ids{fresh, indexed}));
  EXPECT_EQ(found({"treasure", "--limit", "1"}), Ids{fresh});
}

TEST_F(Search, PrintsLikeTheInboxAndChangesNoState) {
  const auto id = town.send("overseer", "alice", "treasure");
  const auto before =
      town.sql("SELECT * FROM delivery; SELECT * FROM event; SELECT * FROM message; SELECT * FROM agent;");
  EXPECT_EQ(town.gt({"mail", "search", "treasure", "--as", "alice"}).out, id + " 2 now overseer treasure [unread]\n");
  EXPECT_EQ(town.sql("SELECT * FROM delivery; SELECT * FROM event; SELECT * FROM message; SELECT * FROM agent;"),
            before);
  EXPECT_EQ(text_at(read_as(town, "alice", "1"), "id"), id) << "a search is a listing, too";
}

}  // namespace
}  // namespace townpost
