// What is large or nested stays bounded: the answers are right, and nobody else waits for them.
#include "contract/nudge_fixture.h"
#include "post/nudge/announce.h"
#include "post/nudge/cares.h"
#include "post/people/membership.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// A store that counts how often it was written to.
class CountingStore final : public Store {
 public:
  explicit CountingStore(Store& store) : store_(store) {}
  Result<> run(Access access, const Transaction& work, const Patience& patience) override {
    if (access == Access::write) ++writes;
    return store_.run(access, work, patience);
  }
  int writes = 0;

 private:
  Store& store_;
};

class BoundsTest : public NudgeTest {
 protected:
  /// Groups `prefix`0, `prefix`1, … each with the next in it; the last has `last` in it.
  void chain_of_groups(const std::string& prefix, int length, const std::string& last) {
    writing(store(), [&](Ledger& ledger) {
      for (int i = 0; i < length; ++i)
        must(ledger.add_group({.name = cat(prefix, i),
                               .creator = {1},
                               .created_at = clock().now(),
                               .members = {i + 1 < length ? cat("group:", prefix, i + 1) : last}}));
    });
  }
  void store_mail(int number, const std::string& body) {
    const AgentId from = id_of("max");
    const AgentId to = id_of("nux");
    writing(store(), [&](Ledger& ledger) {
      for (int i = 0; i < number; ++i) {
        Message message;
        message.id = MessageId::make(must(ledger.next_seq()), town().random);
        message.created_at = clock().now();
        message.sender = from;
        message.from = "beads/crew/max";
        message.to = {"beads/polecats/nux"};
        message.subject = cat("mail ", i);
        message.body = body;
        message.thread = cat("thread ", i);
        must(ledger.add_message(message));
        must(ledger.add_delivery({.message = message.id, .mailbox = to}));
      }
    });
  }
};
ON_EVERY_STORE(BoundsTest);

// ---- groups ----

TEST_P(BoundsTest, TenThousandGroupsWithinEachOtherCrashNobody) {
  chain_of_groups("g", 10'000, "beads/polecats/nux");
  channel("news");
  must(channels().subscribe("news", "group:g0", Channels::Wake::yes, caller("overseer")));
  publish("news");
  EXPECT_EQ(news("nux"), Strings()) << "so deep nobody looks";
  must(announce(town(), caller("nux"), Compaction::no));
  const Error error = refusal("max", "group:g0");
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_TRUE(has(error.message, "more than 1000 groups")) << error.message;
  EXPECT_EQ(error_of(groups().create("another", {"group:g0"}, caller("max"))).code, Code::refused);
  EXPECT_TRUE(must(groups().show("g0")).now.too_large);
  EXPECT_EQ(expansion("g9500"), Strings{"beads/polecats/nux"});
}

TEST_P(BoundsTest, GroupsThatManyContainAreLookedIntoOnce) {
  chain_of_groups("g", 900, "@town");
  channel("news");
  for (int i = 0; i < 100; ++i)
    must(channels().subscribe("news", cat("group:g", i), Channels::Wake::no, caller("overseer")));
  publish("news", "news", "max");
  EXPECT_EQ(news("nux"), Strings{"news 1"});
}

TEST_P(BoundsTest, AnAgentMakesAHundredGroupsAndAHundredChannels) {
  for (int i = 0; i < 100; ++i) {
    group(cat("g", i), {"nux"}, "max");
    channel(cat("c", i), {}, "max");
  }
  EXPECT_EQ(error_of(groups().create("one-more", {}, caller("max"))).code, Code::refused);
  EXPECT_EQ(error_of(channels().create("one-more", {}, caller("max"))).code, Code::refused);
  group("one-more", {}, "slit");
  must(groups().remove("g0", caller("max")));
  group("again", {}, "max");
  for (int i = 0; i < 101; ++i) group(cat("p", i));
}

TEST_P(BoundsTest, AGroupHasAThousandMembers) {
  Strings many;
  for (int i = 0; i < 1001; ++i) many.push_back(cat("alpha/crew/c", i));
  EXPECT_EQ(error_of(groups().create("crowd", many, caller("overseer"))).code, Code::refused);
  many.pop_back();
  group("crowd", many);
  EXPECT_EQ(error_of(groups().edit("crowd", Groups::Edit::add, {"nux"}, caller("overseer"))).code, Code::refused);
}

TEST_P(BoundsTest, ManyGroupsOfEverybodyAreExpandedOnce) {
  Letter many = letter("alpha/crew/c0");
  for (int i = 1; i < 600; ++i) many.to.push_back(cat("alpha/crew/c", i));
  many.unknown = Unknown::create;
  send("overseer", many);
  Strings inner;
  for (int i = 0; i < 100; ++i) {
    group(cat("g", i), {"@town"});
    inner.push_back(cat("group:g", i));
  }
  group("all", inner);
  const auto everybody = expansion("all");
  EXPECT_GE(everybody.size(), 603u);
  EXPECT_EQ(std::set<std::string>(everybody.begin(), everybody.end()).size(), everybody.size());
}

// ---- mail ----

TEST_P(BoundsTest, AnnouncementsReadNoBodies) {
  store_mail(300, std::string(1u << 20, 'x'));
  const auto announcement = must(announce(town(), caller("nux"), Compaction::no));
  EXPECT_EQ(announcement.unread, 300);
  ASSERT_FALSE(announcement.news.empty());
  for (const auto& message : announcement.news) EXPECT_EQ(message.body, "");
  const Parcel parcel = show("nux", Boundary::prompt);
  EXPECT_TRUE(has(parcel.text, "300 unread"));
}

TEST_P(BoundsTest, MarksAreMadeInSharesThatOthersWriteBetween) {
  store_mail(1700, "body");
  CountingStore counting(store());
  Town seen{town().folder, town().settings, counting, bell(), machine(), clock(), town().random};
  const auto outcomes = must(Mailroom(seen).mark_all_read(caller("nux")));
  EXPECT_EQ(outcomes.size(), 1700u);
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.change.event, EventKind::read);
  EXPECT_EQ(counting.writes, 4) << "five hundred at a time";
  EXPECT_EQ(inbox("nux", Shelf::unread).size(), 0u);
  EXPECT_EQ(must(room().mark_all_read(caller("nux"))).size(), 0u) << "again is no error";
  clock().advance(hours(48));
  EXPECT_EQ(must(room().archive_stale(hours(24), caller("nux"))).size(), 1700u);
}

TEST_P(BoundsTest, ADrainWalksThroughTheWholeInbox) {
  limits().enabled = false;
  store_mail(2500, "body");
  std::vector<MessageId> chatter;
  for (int i = 0; i < 3; ++i) chatter.push_back(send("max", letter("nux", "MERGED nux")).message.id);
  must(room().mark_all_read(caller("nux")));
  clock().advance(hours(1));
  EXPECT_EQ(must(room().drain(minutes(30), Mailroom::Chatter::read, caller("nux"))).size(), 3u);
  EXPECT_TRUE(copy_of(chatter[0], "nux").archived_at.has_value());
}

TEST_P(BoundsTest, OnlyRepliesThatAreOwedStillAreLookedAt) {
  limits().enabled = false;
  for (int i = 0; i < 5; ++i) {
    Letter question = letter("nux", cat("question ", i));
    question.reply_by = hours(1);
    const MessageId id = send("max", question).message.id;
    if (i != 3) reply("nux", id);
  }
  const auto by_nux = must(room().owed(caller("nux"), Parts::headers)).by_me;
  ASSERT_EQ(by_nux.size(), 1u);
  EXPECT_EQ(by_nux[0].message.subject, "question 3");
  EXPECT_EQ(must(room().owed(caller("max"), Parts::headers)).to_me.at(0).by, Strings{"beads/polecats/nux"});
  const AgentId nux = id_of("nux");
  EXPECT_EQ(reading(store(), [&](Ledger& ledger) { return must(ledger.replies_owed_by(nux, 100)).size(); }), 1u);
}

// ---- leases sleep, too ----

TEST_P(BoundsTest, AClaimSurvivesANightOnWhichNobodyWatched) {
  simple_queue("work");
  put("work");
  tick(seconds(1));
  const auto claimed = claimed_id("nux", "work");
  sleep(hours(9));
  EXPECT_EQ(claimed_id("slit", "work"), std::nullopt) << "the lid was closed";
  must(claims().complete(*claimed, caller("nux")));
}

TEST_P(BoundsTest, AClaimOfAWorkerThatIsGoneEndsWhileSomebodyWatches) {
  simple_queue("work");
  put("work");
  tick(seconds(1));
  const auto claimed = claimed_id("nux", "work");
  tick(minutes(11), seconds(30));
  EXPECT_EQ(claimed_id("slit", "work"), claimed);
}

TEST_P(BoundsTest, AndAfterADayEvenIfNobodyDoes) {
  simple_queue("work");
  put("work");
  tick(seconds(1));
  const auto claimed = claimed_id("nux", "work");
  for (int i = 0; i < 30; ++i) {
    sleep(hours(1));
    if (i < 20) {
      EXPECT_EQ(claimed_id("slit", "work"), std::nullopt) << i;
    }
  }
  EXPECT_EQ(claimed_id("slit", "work"), claimed);
}

}  // namespace
}  // namespace townpost
