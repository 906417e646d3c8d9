// A person takes back what an agent wrote, wherever nobody has had it yet: in mailboxes, in queues, on channels.
#include "post/mail/recall.h"

#include "contract/nudge_fixture.h"
#include "post/mail/explain.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class RecallTest : public NudgeTest {
 protected:
  Recalled take_back() { return must(recall(town(), "slit", clock().now() - hours(24), caller("overseer"))); }
  std::vector<std::string> standings(MessageId id) {
    std::vector<std::string> out;
    for (const auto& one : must(explain(town(), id, caller("overseer"))).standings)
      out.push_back(cat(one.address, " ", name(one.state)));
    return out;
  }
};
ON_EVERY_STORE(RecallTest);

TEST_P(RecallTest, TakesBackWorkThatNobodyHasClaimed) {
  queue({.name = "jobs", .lease = minutes(10), .max_attempts = 3});
  const auto claimed = send("slit", "queue:jobs", "claimed").message.id;
  claim("nux", "jobs");
  const auto waiting = send("slit", "queue:jobs", "waiting").message.id;
  const auto of_another = send("max", "queue:jobs", "of another").message.id;
  const auto done = take_back();
  EXPECT_EQ(done.jobs, 1);
  EXPECT_EQ(done.ids, std::vector<MessageId>{waiting});
  EXPECT_EQ(claimed_id("nux", "jobs"), of_another);
  EXPECT_EQ(claimed_id("nux", "jobs"), std::nullopt);
  EXPECT_EQ(counts("jobs"), (QueueCounts{0, 2, 0, 0}));
  EXPECT_EQ(must(claims().complete(claimed, caller("nux"))).item.state, ItemState::completed);
  EXPECT_EQ(events(waiting), (Strings{"stored", "recalled"}));
  EXPECT_EQ(standings(waiting), Strings{"queue:jobs recalled"});
  EXPECT_EQ(error_of(room().read(waiting, Mailroom::Ack::no, caller("nux"))).code, Code::not_found);
}

TEST_P(RecallTest, TakesBackWorkThatNobodyHasAnyLonger) {
  queue({.name = "jobs", .lease = minutes(10), .max_attempts = 3});
  const auto released = send("slit", "queue:jobs").message.id;
  claim("nux", "jobs");
  must(claims().release(released, caller("nux")));
  EXPECT_EQ(take_back().jobs, 1);
  const auto ran_out = send("slit", "queue:jobs").message.id;
  claim("nux", "jobs");
  tick(minutes(10), seconds(30));  // somebody watches, so this is no night
  EXPECT_EQ(take_back().ids, std::vector<MessageId>{ran_out});
  EXPECT_EQ(counts("jobs"), QueueCounts());
}

TEST_P(RecallTest, LeavesAfterANightWhatSomebodyStillHas) {
  queue({.name = "jobs", .lease = minutes(10)});
  const auto id = send("slit", "queue:jobs").message.id;
  must(nudges().tend());
  claim("nux", "jobs");
  clock().advance(hours(8));
  EXPECT_EQ(take_back().jobs, 0) << "nobody watched, so the lease runs";
  EXPECT_EQ(counts("jobs"), (QueueCounts{0, 1, 0, 0}));
  EXPECT_EQ(must(claims().complete(id, caller("nux"))).item.state, ItemState::completed);
}

TEST_P(RecallTest, TakesBackPostsForThoseWhoHaveNotReadThem) {
  channel("builds");
  subscribe("nux", "builds");
  subscribe("max", "builds");
  const auto read_by_all = publish("builds", "read by all", "slit").id;
  unread("nux", "builds");
  unread("max", "builds");
  const auto read_by_one = publish("builds", "read by one", "slit").id;
  unread("nux", "builds");
  const auto fresh = publish("builds", "fresh", "slit").id;
  publish("builds", "of another", "max");
  const auto done = take_back();
  EXPECT_EQ(done.posts, 2);
  EXPECT_EQ(done.ids, (std::vector<MessageId>{read_by_one, fresh}));
  EXPECT_EQ(read_channel("nux", "builds"), (Strings{"read by all", "read by one", "of another"}));
  EXPECT_EQ(read_channel("max", "builds"), (Strings{"read by all", "of another"}));
  EXPECT_EQ(standings(read_by_all), Strings{"channel:builds posted"});
  EXPECT_EQ(standings(fresh), Strings{"channel:builds recalled"});
  EXPECT_EQ(error_of(room().read(read_by_one, Mailroom::Ack::no, caller("max"))).code, Code::not_found);
  EXPECT_EQ(must(room().read(read_by_one, Mailroom::Ack::no, caller("nux"))).message.subject, "read by one");
  EXPECT_EQ(must(room().read(fresh, Mailroom::Ack::no, caller("overseer"))).message.subject, "fresh");
}

TEST_P(RecallTest, TakesPostsOutOfTheNews) {
  channel("builds");
  subscribe("nux", "builds");
  publish("builds", "evil", "slit");
  publish("builds", "good", "max");
  EXPECT_EQ(news("nux"), Strings{"builds 2"});
  take_back();
  EXPECT_EQ(news("nux"), Strings{"builds 1"});
  EXPECT_EQ(unread("nux", "builds"), Strings{"good"});
}

TEST_P(RecallTest, OfWhatWasTakenBackNothingIsTakenAgain) {
  channel("builds");
  queue({.name = "jobs"});
  publish("builds", "evil", "slit");
  send("slit", "queue:jobs");
  send("slit", "nux");
  EXPECT_EQ(take_back().total(), 3);
  EXPECT_EQ(take_back().total(), 0);
}

}  // namespace
}  // namespace townpost
