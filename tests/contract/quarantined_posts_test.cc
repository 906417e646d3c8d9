// Posts of somebody in quarantine are no news, stand in no prompt and move nobody on; once it is lifted they are
// unread.
#include "contract/lists_fixture.h"
#include "post/nudge/announce.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

class QuarantinedPosts : public ListsTest {
 protected:
  QuarantinedPosts() {
    channel("builds");
    subscribe("nux", "builds");
  }
  void quarantine() { must(Cares(town()).quarantine("slit", {})); }
  void lift() { must(Cares(town()).lift_quarantine("slit", {})); }
  std::string prompt() {
    const auto announcement = must(announce(town(), caller("nux"), Compaction::no));
    must(announced(town(), caller("nux"), announcement));
    return announcement.text;
  }
  void post(const std::string& subject) { publish("builds", subject, subject.starts_with("evil") ? "slit" : "max"); }
};
ON_EVERY_STORE(QuarantinedPosts);

TEST_P(QuarantinedPosts, AreNoNews) {
  post("evil before");
  post("good before");
  quarantine();
  post("evil then");
  EXPECT_EQ(news("nux"), Strings{"builds 1"});
  EXPECT_EQ(unread("nux", "builds"), Strings{"good before"});
  EXPECT_EQ(news("nux"), Strings());
  EXPECT_FALSE(must(room().news_for(agent_of("nux"))).arrived);
}

TEST_P(QuarantinedPosts, AreInNoPrompt) {
  quarantine();
  post("evil");
  EXPECT_EQ(prompt(), "");
  post("good");
  EXPECT_TRUE(has(prompt(), "builds: 1 new post ("));
  lift();
  EXPECT_TRUE(has(prompt(), "builds: 2 new posts (")) << "it was never told of the other";
}

TEST_P(QuarantinedPosts, WakeNobodyWhoWantsToBeWoken) {
  subscribe("nux", "builds", Channels::Wake::yes);
  quarantine();
  post("evil");
  EXPECT_FALSE(must(room().news_for(agent_of("nux"))).arrived);
  lift();
  EXPECT_TRUE(must(room().news_for(agent_of("nux"))).arrived);
}

TEST_P(QuarantinedPosts, AreUnreadAfterItHoweverMuchWasReadMeanwhile) {
  post("evil 1");
  post("good 1");
  quarantine();
  post("evil 2");
  post("good 2");
  EXPECT_EQ(unread("nux", "builds"), (Strings{"good 1", "good 2"}));
  EXPECT_EQ(read_channel("nux", "builds").size(), 4u) << "their places are shown";
  post("good 3");
  EXPECT_EQ(unread("nux", "builds"), Strings{"good 3"});
  EXPECT_EQ(unread("nux", "builds"), Strings());
  lift();
  EXPECT_EQ(news("nux"), Strings{"builds 2"});
  EXPECT_EQ(unread("nux", "builds"), (Strings{"evil 1", "evil 2"}));
  EXPECT_EQ(unread("nux", "builds"), Strings());
}

TEST_P(QuarantinedPosts, AreUnreadAfterItAlsoInPortionsAndWithNewOnes) {
  quarantine();
  post("evil 1");
  post("evil 2");
  post("good 1");
  unread("nux", "builds");
  lift();
  post("good 2");
  EXPECT_EQ(read_channel("nux", "builds", {.unread_only = true, .limit = 1}), Strings{"evil 1"});
  EXPECT_EQ(read_channel("nux", "builds", {.unread_only = true, .limit = 2}), (Strings{"evil 2", "good 2"}));
  EXPECT_EQ(news("nux"), Strings());
}

TEST_P(QuarantinedPosts, ThatWereReadBeforeStayRead) {
  post("evil 1");
  unread("nux", "builds");
  quarantine();
  post("good 1");
  unread("nux", "builds");
  lift();
  EXPECT_EQ(unread("nux", "builds"), Strings());
}

TEST_P(QuarantinedPosts, AreThereForPeople) {
  subscribe("overseer", "builds");
  quarantine();
  post("evil");
  EXPECT_EQ(news("overseer"), Strings{"builds 1"});
  EXPECT_EQ(unread("overseer", "builds"), Strings{"evil"});
}

}  // namespace
}  // namespace townpost
