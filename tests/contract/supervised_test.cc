// An agent that runs as a server of ours and is known by its events: what it does is seen without them, too.
#include <csignal>

#include "contract/delivery_fixture.h"
#include "delivery/opencode/fake_opencode_test.h"
#include "delivery/supervisor.h"
#include "support/await.h"

namespace townpost {
namespace {

using std::chrono::seconds;

/// Its server tells no events: it answers a question for them with a page.
class SupervisedTest : public DeliveryTest {
 protected:
  SupervisedTest() {
    server_.add("ses_new");
    must(supervisor_.begin());
    await("its server is known", [this] { return after(Millis(0)) == AgentState::waiting; });
  }
  /// A supervisor that saw its end would take the rest of our children for what it left behind.
  ~SupervisedTest() override { ::kill(PresenceFiles(town().folder).read(id_of("nux"))->pid, SIGKILL); }
  /// Its state when its supervisor looked so much later.
  AgentState after(Millis time) {
    clock().advance(time);
    supervisor_.round();
    return state_of("nux");
  }

  FakeOpencode server_;
  Supervisor supervisor_{
      town(),
      agent_of("nux"),
      {.adapter = Adapter::opencode,
       .command = {"sh", "-c", cat("echo opencode server listening on ", server_.url(), "; exec sleep 600")}},
      "this host"};
};
INSTANTIATE_TEST_SUITE_P(, SupervisedTest, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(SupervisedTest, IsSeenToWorkAndToBeIdleThoughItsEventsAreNotHeard) {
  server_.status("ses_new", "busy");
  EXPECT_EQ(after(seconds(5)), AgentState::running);
  EXPECT_EQ(after(seconds(5)), AgentState::running);
  server_.status("ses_new", "");
  EXPECT_EQ(after(seconds(5)), AgentState::waiting);
}

TEST_P(SupervisedTest, IsToldOfTheNextNudgeThoughTheEndOfItsTurnWasNotHeard) {
  server_.status("ses_new", "busy");
  ASSERT_EQ(after(seconds(5)), AgentState::running);
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_EQ(after(seconds(5)), AgentState::running);
  EXPECT_EQ(state(sent), NudgeState::queued);
  server_.status("ses_new", "");
  after(seconds(5));
  EXPECT_NE(join(server_.texts("ses_new"), "\n").find(sent.id.str()), std::string::npos);
}

}  // namespace
}  // namespace townpost
