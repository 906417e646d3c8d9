// A message tells its reader where it is: in a mailbox, in a queue, on a channel.
#include "contract/lists_fixture.h"
#include "post/mail/explain.h"

namespace townpost {
namespace {

using std::chrono::minutes;

class MailPlaceTest : public ListsTest {
 protected:
  Work work(MessageId id, std::string_view reader) { return must(room().look(id, caller(reader))).work.value(); }
  std::vector<std::string> went_to(std::string_view sender) {
    std::vector<std::string> out;
    for (const auto& sent : must(room().sent(std::nullopt, 10, caller(sender)))) {
      std::string line = sent.mail.message.subject;
      for (const auto& copy : sent.copies) line += cat(" ", copy.address);
      for (const auto& list : sent.lists) line += cat(list.copy ? " cc " : " ", list.address, " ", name(list.state));
      out.push_back(line);
    }
    return out;
  }
};
ON_EVERY_STORE(MailPlaceTest);

TEST_P(MailPlaceTest, WorkTellsWhoHasItAndUntilWhen) {
  queue({.name = "jobs", .lease = minutes(10), .max_attempts = 2});
  const auto id = put("jobs");
  EXPECT_EQ(work(id, "nux"), Work());
  const auto claimed_at = clock().now();
  claim("nux", "jobs");
  EXPECT_EQ(work(id, "max"), (Work{.state = ItemState::leased,
                                   .attempts = 1,
                                   .holder = "beads/polecats/nux",
                                   .claimed_at = claimed_at,
                                   .lease_until = claimed_at + minutes(10)}));
  must(claims().fail_attempt(id, "no tools", caller("nux")));
  EXPECT_EQ(work(id, "max"), (Work{.state = ItemState::available, .attempts = 1, .reason = "no tools"}));
  claim("nux", "jobs");
  must(claims().complete(id, caller("nux")));
  EXPECT_EQ(
      work(id, "max"),
      (Work{.state = ItemState::completed, .attempts = 2, .holder = "beads/polecats/nux", .claimed_at = claimed_at}));
}

TEST_P(MailPlaceTest, WorkWhoseLeaseRanOutIsAvailableBeforeAnybodyLooksForIt) {
  queue({.name = "jobs", .lease = minutes(10), .max_attempts = 1});
  queue({.name = "others", .lease = minutes(10), .max_attempts = 2});
  const auto last_try = put("jobs"), id = put("others");
  claim("nux", "jobs");
  claim("nux", "others");
  clock().advance(minutes(10));
  EXPECT_EQ(work(id, "nux"), (Work{.state = ItemState::available, .attempts = 1, .reason = "the lease ran out"}));
  EXPECT_EQ(work(last_try, "nux"), (Work{.state = ItemState::dead, .attempts = 1, .reason = "the lease ran out"}));
}

TEST_P(MailPlaceTest, WorkThatIsAlsoMailTellsBoth) {
  queue({.name = "jobs"});
  Letter both = letter("nux", "both");
  both.cc = {"queue:jobs"};
  const auto id = send("max", both).message.id;
  const auto got = claim("nux", "jobs").value();
  EXPECT_TRUE(got.copy.has_value()) << "the claimant was sent it, too";
  const auto mail = inbox("nux").at(0);
  EXPECT_EQ(mail.message.id, id);
  EXPECT_EQ(mail.work.value().state, ItemState::leased);
  EXPECT_EQ(went_to("max"), Strings{"both beads/polecats/nux cc queue:jobs processing"});
}

TEST_P(MailPlaceTest, APostIsReadOnceItsReaderHasComeThatFar) {
  channel("builds");
  subscribe("nux", "builds");
  const auto first = publish("builds", "first", "max").id;
  EXPECT_EQ(must(channels().read("builds", {}, caller("nux"))).known, std::set<MessageId>());
  EXPECT_FALSE(must(room().look(first, caller("nux"))).post_read);
  unread("nux", "builds");
  const auto second = publish("builds", "second", "max").id;
  EXPECT_EQ(must(channels().read("builds", {}, caller("nux"))).known, std::set<MessageId>{first});
  EXPECT_TRUE(must(room().look(first, caller("nux"))).post_read);
  EXPECT_FALSE(must(room().look(second, caller("nux"))).post_read);
  EXPECT_FALSE(must(room().look(first, caller("slit"))).post_read) << "it follows nothing";
  EXPECT_EQ(must(channels().read("builds", {}, caller("max"))).known, (std::set<MessageId>{first, second}))
      << "its author";
}

TEST_P(MailPlaceTest, WhatWasSentTellsWhereItWent) {
  queue({.name = "jobs", .max_attempts = 1});
  channel("builds");
  send("max", "queue:jobs", "dead");
  must(claims().fail_attempt(claim("nux", "jobs")->message.id, "", caller("nux")));
  send("max", "queue:jobs", "done");
  must(claims().complete(claim("nux", "jobs")->message.id, caller("nux")));
  send("max", "queue:jobs", "in work");
  claim("nux", "jobs");
  send("max", "queue:jobs", "waiting");
  send("max", "channel:builds", "post");
  EXPECT_EQ(went_to("max"),
            (Strings{"post channel:builds posted", "waiting queue:jobs available", "in work queue:jobs processing",
                     "done queue:jobs completed", "dead queue:jobs dead"}));
}

TEST_P(MailPlaceTest, WhyWorkFailedIsForThoseWhoMayKnow) {
  queue({.name = "jobs", .claimers = "beads/polecats/*", .max_attempts = 1});
  Letter both = letter("max", "both");
  both.cc = {"queue:jobs"};
  const auto id = send("slit", both).message.id;
  claim("nux", "jobs");
  must(claims().fail_attempt(id, "SECRET", caller("nux")));
  EXPECT_EQ(work(id, "nux").reason, "SECRET");
  EXPECT_EQ(work(id, "slit").reason, "SECRET") << "its sender";
  EXPECT_EQ(work(id, "max").reason, "") << "it may not claim there";
}

}  // namespace
}  // namespace townpost
