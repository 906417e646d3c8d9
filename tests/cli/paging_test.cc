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

/// Rows and the line below them, as a pipe gets it.
std::size_t rows_in(const TestTown& town, const Words& words) { return lines_of(town.gt(words).out).size(); }

TEST_F(Paging, ALimitMeansTheSameIntoAPipe) {
  fill(25);
  for (const auto& [limit, lines] : std::vector<std::pair<std::string, std::size_t>>{{"3", 4}, {"22", 23}, {"25", 25}})
    EXPECT_EQ(rows_in(town, {"mail", "inbox", "--as", "alice", "--limit", limit}), lines);
  EXPECT_EQ(lines_of(town.gt({"mail", "inbox", "--as", "alice", "--limit", "22"}).out).back().substr(0, 8), "+3 more:");
}

TEST_F(Paging, HowManyMoreThereAreIsTrueHoweverTheListIsNarrowed) {
  fill(60);
  for (const Words& narrowed : {Words{}, {"--unread"}, {"--from", "overseer"}, {"--type", "notification"}}) {
    Words words = with({"mail", "inbox", "--as", "alice"}, narrowed);
    auto last = lines_of(town.gt(words).out).back();
    EXPECT_EQ(last.substr(0, 9), "+40 more:") << join(words, " ") << ": " << last;
    const auto cursor = last.substr(last.find("--cursor ") + 9);
    last = lines_of(town.gt(with(words, {"--cursor", cursor})).out).back();
    EXPECT_EQ(last.substr(0, 9), "+20 more:") << join(words, " ") << ": " << last;
    const auto page = town.json(with(words, {"--limit", "5", "--cursor", cursor, "--page"}));
    EXPECT_EQ(number_at(page, "total"), 60) << join(words, " ");
    EXPECT_EQ(number_at(page, "more"), 35) << join(words, " ");
  }
}

TEST_F(Paging, APageSaysHowManyThereAreAndWhereItGoesOn) {
  fill(7);
  Ids paged;
  Words words = {"mail", "inbox", "--as", "alice", "--limit", "3", "--page"};
  for (const std::int64_t more : {4, 1, 0}) {
    const auto page = town.json(words);
    EXPECT_EQ(keys_of(page), (Words{"items", "total", "more", "cursor"}));
    EXPECT_EQ(number_at(page, "total"), 7);
    EXPECT_EQ(number_at(page, "more"), more);
    for (const auto& id : texts_in(page.at("items"), "id")) paged.push_back(id);
    EXPECT_EQ(page.at("cursor").is_null(), more == 0);
    if (more > 0)
      words = {"mail",   "inbox",    "--as",
               "alice",  "--limit",  "3",
               "--page", "--cursor", std::to_string(number_at(page, "cursor"))};
  }
  EXPECT_EQ(std::set<std::string>(paged.begin(), paged.end()), sent);
}

TEST_F(Paging, JsonThatWasCutSaysSoBesideTheList) {
  fill(60);
  const auto cut = town.gt({"mail", "inbox", "--as", "alice", "--json"});
  EXPECT_EQ(parse_json(trim(cut.out))->as_array().size(), 50u) << "a list stays a list";
  EXPECT_TRUE(cut.err.starts_with("gt: 10 more: --cursor ")) << cut.err;
  EXPECT_EQ(town.gt({"mail", "inbox", "--as", "alice", "--json", "--limit", "60"}).err, "");
}

TEST_F(Paging, IdsOfAListWhoseLimitWasSaidAreAllThatIsPrinted) {
  fill(4);
  EXPECT_EQ(town.gt({"mail", "inbox", "--as", "alice", "-q", "--limit", "1"}).err, "");
  fill(51);
  EXPECT_NE(town.gt({"mail", "inbox", "--as", "alice", "-q"}).err, "") << "else it is news that there are more";
}

TEST_F(Paging, OfWhatWasSentIsCountedFromItsPlaceOn) {
  fill(30);
  auto last = lines_of(town.gt({"mail", "sent"}).out).back();
  EXPECT_EQ(last.substr(0, 9), "+10 more:") << last;
  last = lines_of(town.gt({"mail", "sent", "--limit", "4", "--cursor", last.substr(last.find("--cursor ") + 9)}).out)
             .back();
  EXPECT_EQ(last.substr(0, 8), "+6 more:") << last;
}

TEST_F(Paging, OfNudgesAndPostsSaysHowManyThereAre) {
  ASSERT_EQ(town.gt({"channel", "create", "news"}).exit_code, 0);
  for (int i = 0; i < 23; ++i) {
    ASSERT_EQ(town.gt({"nudge", "alice", cat("look ", i)}).exit_code, 0);
    town.send("overseer", "channel:news", cat("post ", i));
  }
  EXPECT_EQ(lines_of(town.gt({"nudge", "list"}).out).back(), "+3 more: --limit 23");
  auto page = town.json({"channel", "read", "news", "--limit", "10", "--page"});
  EXPECT_EQ(number_at(page, "total"), 23);
  EXPECT_EQ(number_at(page, "more"), 13);
  page = town.json(
      {"channel", "read", "news", "--limit", "10", "--page", "--cursor", std::to_string(number_at(page, "cursor"))});
  EXPECT_EQ(number_at(page, "more"), 3);
}

TEST_F(Paging, HelpSaysHowManyRowsAPipeGets) {
  for (const Words& words : {Words{"mail", "inbox"}, {"mail", "sent"}, {"mail", "search"}, {"nudge", "list"}})
    EXPECT_NE(town.gt(with(words, {"--help"})).out.find("(default: 50, or 20 into a pipe)"), std::string::npos)
        << join(words, " ");
}

}  // namespace
}  // namespace townpost
