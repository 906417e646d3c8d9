// What the town's log tells whom, as `gt feed` and `gt up` show it.
#include "post/mail/feed.h"

#include "contract/lists_fixture.h"
#include "post/nudge/cares.h"
#include "post/nudge/nudges.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class FeedTest : public ListsTest {
 protected:
  Feed feed() { return Feed(town()); }
  FeedPage latest(const FeedQuery& query = {}, std::string_view reader = "overseer") {
    return must(feed().latest(query, caller(reader)));
  }
  FeedPage after(std::int64_t number, const FeedQuery& query = {}, std::string_view reader = "overseer") {
    return must(feed().after(number, query, caller(reader)));
  }
  /// "stored nux: news": what happened, by or to whom, and the words.
  static Strings told(const FeedPage& page) {
    Strings out;
    for (const auto& entry : page.entries) {
      const auto& who = entry.from.empty() ? entry.agent : entry.from;
      out.push_back(
          cat(name(entry.kind), " ", who.substr(who.rfind('/') + 1), entry.words.empty() ? "" : ": ", entry.words));
    }
    return out;
  }
  void is(std::string_view who, AgentState state, const std::string& detail = "") {
    const AgentId agent = id_of(who);
    const Instant now = clock().now();
    writing(store(), [&](Ledger& ledger) {
      must(ledger.set_presence({.agent = agent, .state = state, .detail = detail, .since = now}));
    });
  }
  std::int64_t begin_ = must(Feed(town()).newest());
};
ON_EVERY_STORE(FeedTest);

TEST_P(FeedTest, TellsMailOnceWithItsPeopleAndItsSubject) {
  Letter asked = letter("nux", "Review the parser branch");
  asked.ack_required = true;
  const auto id = send("max", asked).message.id;
  const auto page = after(begin_);
  ASSERT_EQ(told(page), Strings{"stored max: Review the parser branch"}) << "the nudge that wakes for it is no news";
  const auto& entry = page.entries.front();
  EXPECT_EQ(entry.topic, FeedTopic::mail);
  EXPECT_EQ(entry.to, Strings{"beads/polecats/nux"});
  EXPECT_EQ(entry.message, id);
  EXPECT_TRUE(entry.ack_required);
  mark(id, Mark::read, "nux");
  EXPECT_EQ(told(after(page.upto)), Strings{"acked max: Review the parser branch"});
  EXPECT_EQ(after(page.upto).entries.front().agent, "beads/polecats/nux");
}

TEST_P(FeedTest, TellsEveryStepToWhoeverAsksForAll) {
  const auto id = send("max", "nux").message.id;
  mark(id, Mark::archived, "nux");
  EXPECT_EQ(told(after(begin_)), Strings{"stored max: news"});
  EXPECT_EQ(told(after(begin_, {.steps = FeedQuery::Steps::all})), (Strings{"stored max: news", "archived max: news"}));
}

TEST_P(FeedTest, TellsAnAgentNothingOfWhatIsNotItsOwn) {
  send("max", "nux", "for nux alone");
  must(Nudges(town()).send({.to = {"nux"}, .text = "psst", .mode = NudgeMode::immediate}, caller("max")));
  EXPECT_EQ(told(after(begin_, {.steps = FeedQuery::Steps::all}, "slit")), Strings{});
  EXPECT_EQ(told(after(begin_, {}, "nux")), (Strings{"stored max: for nux alone", "queued max: psst"}));
  EXPECT_EQ(told(after(begin_, {}, "max")), (Strings{"stored max: for nux alone", "queued max: psst"}));
}

TEST_P(FeedTest, TellsOfWorkWithoutItsWordsWhoMayNotClaimIt) {
  queue({.name = "secret", .claimers = "beads/crew/*"});
  put("secret");
  for (const auto& entry : after(begin_, {.topics = {FeedTopic::queue}}, "slit").entries) {
    EXPECT_EQ(entry.words, "") << name(entry.kind);
    EXPECT_EQ(entry.from, "");
    EXPECT_EQ(entry.queue, "secret");
  }
  EXPECT_EQ(told(after(begin_, {.topics = {FeedTopic::queue}}, "max")).back(), "stored overseer: work");
}

TEST_P(FeedTest, WithholdsWordsOfThoseInQuarantineFromAgentsAndNotFromPeople) {
  send("slit", "nux", "evil words");
  must(Nudges(town()).send({.to = {"nux"}, .text = "evil nudge", .mode = NudgeMode::immediate}, caller("slit")));
  is("slit", AgentState::blocked, "evil detail");
  must(Cares(town()).quarantine("slit", {}));
  for (const auto& entry : after(begin_, {.steps = FeedQuery::Steps::all}, "nux").entries) {
    EXPECT_EQ(entry.words.find("evil"), std::string::npos) << entry.words;
    EXPECT_EQ(entry.detail.find("evil"), std::string::npos) << entry.detail;
  }
  const auto seen = told(after(begin_));
  EXPECT_EQ(seen.front(), "stored slit: evil words");
  EXPECT_EQ(seen.back(), "quarantined slit");
}

TEST_P(FeedTest, TellsWhatABlockedAgentAsksAsLongAsItDoes) {
  is("nux", AgentState::blocked, "wants to run a command");
  auto page = after(begin_);
  ASSERT_EQ(page.entries.size(), 1u);
  EXPECT_EQ(page.entries.front().state, AgentState::blocked);
  EXPECT_EQ(page.entries.front().detail, "wants to run a command");
  clock().advance(minutes(1));
  is("nux", AgentState::running);
  page = after(begin_);
  ASSERT_EQ(page.entries.size(), 2u);
  EXPECT_EQ(page.entries.front().detail, "") << "it may be something else by now";
}

TEST_P(FeedTest, BeginsAtATimeAndShowsNoMoreThanWasAskedFor) {
  for (int i = 0; i < 30; ++i) {
    send("overseer", i % 2 == 0 ? "nux" : "slit", cat("mail ", i));
    clock().advance(minutes(10));
  }
  const auto since = latest({.since = clock().now() - minutes(25), .topics = {FeedTopic::mail}, .limit = 100});
  EXPECT_EQ(told(since), (Strings{"stored overseer: mail 28", "stored overseer: mail 29"}));
  const auto newest = latest({.topics = {FeedTopic::mail}, .limit = 3});
  EXPECT_EQ(told(newest),
            (Strings{"stored overseer: mail 27", "stored overseer: mail 28", "stored overseer: mail 29"}));
  EXPECT_EQ(latest({.since = clock().now(), .limit = 100}).entries.size(), 0u);
  EXPECT_EQ(latest({.since = Instant{0}, .topics = {FeedTopic::mail}, .limit = 1000}).entries.size(), 30u);
}

TEST_P(FeedTest, FindsTheFewOfOneAgentAmongMany) {
  send("max", "nux", "the one");
  for (int i = 0; i < 40; ++i) send("overseer", "slit", cat("mail ", i));
  EXPECT_EQ(told(latest({.agent = "nux", .topics = {FeedTopic::mail}, .limit = 5})), Strings{"stored max: the one"});
  EXPECT_EQ(told(latest({.agent = "max", .topics = {FeedTopic::mail}, .limit = 5})), Strings{"stored max: the one"});
  EXPECT_EQ(error_of(feed().latest({.agent = "nobody"}, caller("overseer"))).code, Code::not_found);
}

TEST_P(FeedTest, GoesOnWithoutAGapAndWithoutARepetition) {
  send("max", "nux", "one");
  const auto first = latest({.limit = 1});
  EXPECT_EQ(told(after(first.upto)), Strings{});
  send("max", "slit", "two");
  const auto second = after(first.upto);
  EXPECT_EQ(told(second), Strings{"stored max: two"});
  EXPECT_EQ(told(after(second.upto)), Strings{});
}

TEST_P(FeedTest, SaysThatEntriesAreMissing) {
  town().settings.log_age = hours(1);
  town().settings.log_entries = 10;
  writing(store(), [&](Ledger& ledger) {
    for (int i = 0; i < 1500; ++i) must(ledger.add_event({.at = clock().now(), .kind = EventKind::started}));
  });
  clock().advance(hours(2));
  for (int i = 0; i < 6; ++i) send("overseer", "slit");
  const auto page = after(begin_);
  EXPECT_TRUE(page.gap);
  EXPECT_EQ(after(page.upto).gap, false);
}

TEST_P(FeedTest, HoldsOfEverybodyNameNobody) {
  must(Cares(town()).hold(std::nullopt, hours(1), caller("overseer")));
  const auto page = after(begin_);
  ASSERT_EQ(page.entries.size(), 1u);
  EXPECT_EQ(page.entries.front().topic, FeedTopic::rule);
  EXPECT_EQ(page.entries.front().agent, "");
}

}  // namespace
}  // namespace townpost
