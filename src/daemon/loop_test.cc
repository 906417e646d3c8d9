#include "daemon/loop.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <deque>

#include "base/files.h"

namespace townpost {
namespace {

/// Hears what a test says, one thing a wait.
class ScriptedListener final : public Listener {
 public:
  Heard wait(const std::vector<int>& also, Millis longest) override {
    waits.push_back(longest);
    ends = also;
    if (script.empty()) {
      ::kill(::getpid(), SIGUSR2);  // the end of every story
      return {};
    }
    Heard heard = std::move(script.front());
    script.pop_front();
    return heard;
  }
  Millis trusted() const override { return Millis::max(); }
  std::deque<Heard> script;
  std::vector<Millis> waits;
  std::vector<int> ends;
};

class ScriptedService final : public Service {
 public:
  explicit ScriptedService(const Clock& clock) : clock_(clock) {}
  std::vector<int> descriptors() const override { return {42}; }
  void hear(const Heard& what) override { heard.insert(heard.end(), what.bells.begin(), what.bells.end()); }
  Then hear_signal(int number) override {
    signals.push_back(number);
    return Then::end;
  }
  Result<Instant> round() override {
    ++rounds;
    if (fails) return fail(Code::unavailable, "the store cannot be reached", "");
    return clock_.now() + pause;
  }
  bool is_over() const override { return rounds == last_round; }
  std::vector<BellKey> heard;
  std::vector<int> signals;
  int rounds = 0;
  int last_round = -1;
  bool fails = false;
  Millis pause = std::chrono::seconds(30);

 private:
  const Clock& clock_;
};

class LoopTest : public testing::Test {
 protected:
  void run(const std::vector<Service*>& services) { Loop(listener, signals_, clock, log_).run(services); }
  std::string log() const { return read_file(folder_.path() / "log").value_or(""); }
  TemporaryFolder folder_ = std::move(*TemporaryFolder::make("loop"));
  ManualClock clock;
  ScriptedListener listener;
  ScriptedService one{clock}, other{clock};

 private:
  Log log_{folder_.path() / "log", clock};
  SignalInbox signals_{SIGUSR2};
};

TEST_F(LoopTest, TellsEachServiceWhatOneListenerHeard) {
  listener.script = {{.bells = {AgentId{7}}, .told = {}}, {.bells = {BellKey::registry()}, .told = {}}};
  run({&one, &other});
  EXPECT_EQ(one.heard, (std::vector<BellKey>{AgentId{7}, BellKey::registry()}));
  EXPECT_EQ(other.heard, one.heard);
  EXPECT_EQ(one.rounds, 3);
}

TEST_F(LoopTest, SleepsUntilTheFirstOfThemWantsItsTurn) {
  other.pause = std::chrono::seconds(3);
  run({&one, &other});
  EXPECT_EQ(listener.waits, std::vector<Millis>{std::chrono::seconds(3)});
  EXPECT_EQ(std::count(listener.ends.begin(), listener.ends.end(), 42), 2) << "and for what they read";
}

TEST_F(LoopTest, EndsWhenAServiceEndsItForASignal) {
  run({&one});
  EXPECT_EQ(one.signals, std::vector<int>{SIGUSR2});
}

TEST_F(LoopTest, EndsWithAServiceThatIsOver) {
  other.last_round = 2;
  listener.script = {{}, {}, {}};
  run({&one, &other});
  EXPECT_EQ(other.rounds, 2);
  EXPECT_TRUE(one.signals.empty());
}

TEST_F(LoopTest, WritesDownTroubleAndTriesAgainSoon) {
  one.fails = true;
  run({&one, &other});
  EXPECT_EQ(listener.waits, std::vector<Millis>{std::chrono::seconds(5)});
  EXPECT_NE(log().find("unavailable: the store cannot be reached"), std::string::npos) << log();
  EXPECT_EQ(other.rounds, 1) << "the others go on";
}

}  // namespace
}  // namespace townpost
