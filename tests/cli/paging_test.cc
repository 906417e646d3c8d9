// inbox --cursor: every message once, whatever arrives meanwhile.
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

using Ids = std::vector<std::string>;

class Paging : public testing::Test {
 protected:
  Paging() { town.agents({"alice"}); }
  void fill(int mails) {
    const Words priorities = {"urgent", "high", "normal", "low", "lowest"};
    for (int i = 0; i < mails; ++i)
      sent.insert(
          town.send("overseer", "alice", "mail", {"--priority", priorities[static_cast<std::size_t>(i * 7 % 5)]}));
  }
  /// One page behind `cursor`; moves the cursor.
  Ids page(std::string& cursor, const Words& more = {}) const {
    Words words = with({"mail", "inbox", "--limit", "4", "--as", "alice"}, more);
    if (!cursor.empty()) words = with(words, {"--cursor", cursor});
    const auto list = town.json(words);
    if (!list.as_array().empty()) cursor = std::to_string(number_at(list.as_array().back(), "seq"));
    return texts_in(list, "id");
  }
  TestTown town;
  std::set<std::string> sent;
};

TEST_F(Paging, ShowsEverythingOnceInTheOrderOfTheWholeList) {
  fill(23);
  const auto whole = inbox_ids(town, "alice", {"--limit", "100"});
  Ids paged;
  std::string cursor;
  for (auto next = page(cursor); !next.empty(); next = page(cursor))
    paged.insert(paged.end(), next.begin(), next.end());
  EXPECT_EQ(paged, whole);
  EXPECT_EQ(std::set<std::string>(paged.begin(), paged.end()), sent);
}

TEST_F(Paging, HasNoGapAndNoRepetitionWhileMailArrives) {
  fill(23);
  const auto at_first = sent;
  Ids paged;
  std::string cursor;
  for (auto next = page(cursor); !next.empty(); next = page(cursor)) {
    paged.insert(paged.end(), next.begin(), next.end());
    if (paged.size() < 40) fill(3);
  }
  const std::set<std::string> seen(paged.begin(), paged.end());
  EXPECT_EQ(seen.size(), paged.size()) << "something was shown twice";
  for (const auto& id : at_first) EXPECT_TRUE(seen.count(id)) << id << " was left out";
}

TEST_F(Paging, GoesOnBehindMailThatWasPutAwayMeanwhile) {
  fill(23);
  Ids paged;
  std::string cursor;
  for (auto next = page(cursor, {"--unread"}); !next.empty(); next = page(cursor, {"--unread"})) {
    paged.insert(paged.end(), next.begin(), next.end());
    town.json({"mail", "archive", next.back(), "--as", "alice"});
    town.json({"mail", "ack", next.front(), "--as", "alice"});
  }
  EXPECT_EQ(std::set<std::string>(paged.begin(), paged.end()), sent);
  EXPECT_EQ(paged.size(), sent.size());
}

TEST_F(Paging, OfTheArchiveWorksTheSame) {
  fill(11);
  for (const auto& id : sent) town.json({"mail", "archive", id, "--as", "alice"});
  Ids paged;
  std::string cursor;
  for (auto next = page(cursor, {"--archived"}); !next.empty(); next = page(cursor, {"--archived"}))
    paged.insert(paged.end(), next.begin(), next.end());
  EXPECT_EQ(paged.size(), sent.size());
  EXPECT_EQ(std::set<std::string>(paged.begin(), paged.end()), sent);
}

TEST_F(Paging, FollowsTheCursorThatAPipeIsTold) {
  fill(25);
  const auto first = lines_of(town.gt({"mail", "inbox", "--as", "alice"}).out);
  ASSERT_EQ(first.size(), 21u);
  const auto option = first.back().find("--cursor ");
  ASSERT_NE(option, std::string::npos) << first.back();
  const auto rest =
      lines_of(town.gt({"mail", "inbox", "--as", "alice", "--cursor", first.back().substr(option + 9)}).out);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < 20; ++i) seen.insert(first[i].substr(0, first[i].find(' ')));
  for (const auto& line : rest) seen.insert(line.substr(0, line.find(' ')));
  EXPECT_EQ(rest.size(), 5u);
  EXPECT_EQ(seen, sent);
}

}  // namespace
}  // namespace townpost
