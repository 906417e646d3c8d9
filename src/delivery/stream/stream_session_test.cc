#include "delivery/stream/stream_session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include "base/files.h"
#include "base/text.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
using Kind = SessionEvent::Kind;
using Outcome = Injected::Outcome;

/// An agent's input, seen from both ends.
class StreamSessionTest : public testing::Test {
 protected:
  StreamSessionTest() : sigpipe_before_(signal(SIGPIPE, SIG_IGN)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    agent_ = FileDescriptor(ends[0]);
    ours_ = FileDescriptor(ends[1]);
    fcntl(agent_.get(), F_SETFL, O_NONBLOCK);
  }
  ~StreamSessionTest() override { signal(SIGPIPE, sigpipe_before_); }

  StreamSession session(StreamDialect dialect = StreamDialect::claude) { return {ours_.get(), dialect, 50ms}; }

  /// What the agent can read now.
  std::string read() {
    std::string all;
    std::array<char, 65536> piece{};
    for (ssize_t got = 0; (got = ::read(agent_.get(), piece.data(), piece.size())) > 0;)
      all.append(piece.data(), static_cast<std::size_t>(got));
    return all;
  }
  static Injection nudge(const std::string& id, std::string text = "look", Injection::At at = Injection::At::idle) {
    return {.text = cat(text, " ", id), .ids = {id}, .at = at};
  }
  static Injection long_nudge(const std::string& id) { return nudge(id, std::string(200'000, 'x')); }

  FileDescriptor agent_;
  FileDescriptor ours_;

 private:
  void (*sigpipe_before_)(int);
};

TEST_F(StreamSessionTest, HandsALineToAnIdleAgent) {
  auto agent = session();
  const auto injected = agent.inject(nudge("hq-n-1"));
  EXPECT_EQ(injected.outcome, Outcome::handed);
  EXPECT_EQ(read(), stream_message(StreamDialect::claude, nudge("hq-n-1")));
  EXPECT_EQ(agent.look().state, SessionState::busy);
}

TEST_F(StreamSessionTest, OfAnyProgramIsStartingUntilItSaysMore) {
  auto agent = session(StreamDialect::lines);
  EXPECT_EQ(agent.look().state, SessionState::starting);
  EXPECT_EQ(agent.inject(nudge("hq-n-1")).outcome, Outcome::not_started);
  agent.take({Kind::idle, "", ""});
  EXPECT_EQ(agent.inject(nudge("hq-n-1")).outcome, Outcome::handed);
  EXPECT_EQ(read(), stream_message(StreamDialect::lines, nudge("hq-n-1")));
}

TEST_F(StreamSessionTest, FollowsTheEvents) {
  auto agent = session();
  const auto after = [&](Kind kind) {
    agent.take({kind, "", "why"});
    return agent.look().state;
  };
  EXPECT_EQ(after(Kind::busy), SessionState::busy);
  EXPECT_EQ(after(Kind::alive), SessionState::busy);
  EXPECT_EQ(after(Kind::blocked), SessionState::blocked);
  EXPECT_EQ(agent.look().detail, "a person must decide: \"why\"");
  EXPECT_EQ(after(Kind::resumed), SessionState::busy);
  EXPECT_EQ(after(Kind::stalled), SessionState::unknown);
  EXPECT_EQ(agent.look().detail, "the model does not answer: \"why\"");
  EXPECT_EQ(after(Kind::idle), SessionState::idle);
  EXPECT_EQ(after(Kind::ended), SessionState::gone);
}

TEST_F(StreamSessionTest, LeavesABusyOrBlockedAgentAlone) {
  for (const auto kind : {Kind::busy, Kind::blocked, Kind::ended}) {
    auto agent = session();
    agent.take({kind, "", ""});
    EXPECT_EQ(agent.inject(nudge("hq-n-1")).outcome, Outcome::not_started);
    EXPECT_EQ(read(), "");
  }
}

TEST_F(StreamSessionTest, WritesToABusyAgentIfThatIsWanted) {
  auto agent = session();
  agent.take({Kind::busy, "", ""});
  EXPECT_EQ(agent.inject(nudge("hq-n-1", "now", Injection::At::any)).outcome, Outcome::handed);
  EXPECT_NE(read().find("now hq-n-1"), std::string::npos);
}

TEST_F(StreamSessionTest, ShowsWhatTheAgentRepeated) {
  auto agent = session();
  EXPECT_EQ(agent.shows("hq-n-1"), std::nullopt);
  agent.take({Kind::shown, "", "look hq-n-1"});
  EXPECT_EQ(agent.shows("hq-n-1"), true);
  EXPECT_EQ(agent.shows("hq-n-2"), false);
}

TEST_F(StreamSessionTest, ForgetsWhatIsLongAgoAndSaysSo) {
  auto agent = session();
  agent.take({Kind::shown, "", "look hq-n-1"});
  for (int i = 0; i < 11; ++i) agent.take({Kind::shown, "", std::string(100'000, 'x')});
  EXPECT_EQ(agent.shows("hq-n-1"), std::nullopt);
}

TEST_F(StreamSessionTest, FailsIfTheAgentDoesNotRead) {
  auto agent = session();
  const auto injected = agent.inject(long_nudge("hq-n-1"));
  EXPECT_EQ(injected.outcome, Outcome::failed);
  EXPECT_EQ(injected.detail, "it does not read its input");
}

TEST_F(StreamSessionTest, FinishesALineThatWasReadInPartBeforeTheNext) {
  auto agent = session();
  EXPECT_EQ(agent.inject(long_nudge("hq-n-1")).outcome, Outcome::failed);
  auto all = read();
  ASSERT_FALSE(all.empty());
  while (agent.inject(nudge("hq-n-2", "next", Injection::At::any)).outcome == Outcome::failed) all += read();
  all += read();
  EXPECT_EQ(all, stream_message(StreamDialect::claude, long_nudge("hq-n-1")) +
                     stream_message(StreamDialect::claude, nudge("hq-n-2", "next")));
}

TEST_F(StreamSessionTest, DoesNotWriteALineTwiceThatWasReadInPart) {
  auto agent = session();
  auto injected = agent.inject(long_nudge("hq-n-1"));
  EXPECT_EQ(injected.outcome, Outcome::failed);
  std::string all;
  while (injected.outcome == Outcome::failed) {
    all += read();
    injected = agent.inject(long_nudge("hq-n-1"));
  }
  all += read();
  EXPECT_EQ(injected.outcome, Outcome::handed);
  EXPECT_EQ(all, stream_message(StreamDialect::claude, long_nudge("hq-n-1")));
}

TEST_F(StreamSessionTest, IsGoneOnceTheAgentHasClosedItsInput) {
  auto agent = session();
  agent_ = FileDescriptor();
  EXPECT_EQ(agent.inject(nudge("hq-n-1")).outcome, Outcome::not_started);
  EXPECT_EQ(agent.look().state, SessionState::gone);
}

TEST_F(StreamSessionTest, FailsIfTheAgentEndsInTheMiddleOfALine) {
  auto agent = session();
  EXPECT_EQ(agent.inject(long_nudge("hq-n-1")).outcome, Outcome::failed);
  agent_ = FileDescriptor();
  EXPECT_EQ(agent.inject(long_nudge("hq-n-1")).outcome, Outcome::failed);
  EXPECT_EQ(agent.look().state, SessionState::gone);
}

}  // namespace
}  // namespace townpost
