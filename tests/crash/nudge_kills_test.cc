// Whoever carries nudges may be killed at any moment: the sender, the watcher, the hooks of a session, an agent.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "base/text.h"
#include "crash/nudge_harness.h"
#include "delivery/opencode/fake_opencode_test.h"
#include "support/await.h"
#include "support/stress.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

constexpr int kMostRounds = 3000;
const int kKills = stress(200, 100);

/// A town with three agents: `server` is a session of an OpenCode server, `lines` reads lines under a supervisor, and
/// `hooked` is known by its hooks.
class NudgeKills : public ::testing::Test {
 protected:
  NudgeKills() {
    server_.add("ses_1", town_.folder().string());
    town_.agents({"lines", "hooked"});
    town_.json({"agent", "add", "server", "--session", cat("opencode:", server_.url(), "#ses_1")});
    hooked_.emplace(town_, "hooked");
    start_watcher();
    start_lines();
  }
  ~NudgeKills() override {
    if (lines_) lines_->kill_after(0us);
  }

  // ---- who runs ----
  void start_watcher() {
    watcher_.reset();
    watcher_.emplace(town_, TestTown::Words{"up"});
  }
  void start_lines() {
    std::filesystem::remove(lines_pid());
    lines_.emplace(town_, TestTown::Words{"agent", "run", "--as", "lines", "--adapter", "lines", "--idle-timeout", "0",
                                          "--", LINES_AGENT, lines_pid()});
    await("the agent of lines starts", [&] { return read_file(lines_pid()).value_or("").ends_with("\n"); });
  }
  std::string lines_pid() const { return (town_.folder() / "lines.pid").string(); }

  // ---- nudging ----
  TestTown::Words words_for(const std::string& target) {
    return {"nudge", target, cat("nudge number ", ++sent_), "--json"};
  }
  void note_receipt(const Victim::End& ended) {
    if (ended.exit_code == 0) {
      const auto ids = nudge_ids(ended.out);
      ASSERT_EQ(ids.size(), 1U) << ended.out;
      reported_.insert(*ids.begin());
    } else {
      ASSERT_TRUE(ended.killed) << ended.exit_code << ended.out;
    }
  }
  /// If a server is killed meanwhile, nobody knows whether it has noted the nudge.
  inline static const TestTown::Variables kByItself = {{"GT_SERVER", "off"}};
  void nudge(const std::string& target) {
    note_receipt(Victim(town_, words_for(target), kByItself).end());
  }
  std::string anybody() {
    constexpr std::array<const char*, 3> kAll = {"server", "lines", "hooked"};
    return kAll[static_cast<std::size_t>(chance_.below(3))];
  }

  // ---- killing ----
  bool kill_sender() {
    const auto ended = Victim(town_, words_for(anybody()), kByItself).kill_after(chance_.within(send_time_));
    note_receipt(ended);
    return ended.killed;
  }
  /// While it carries something that could not be delivered by its sender.
  bool kill_watcher() {
    server_.status("ses_1", "busy");
    nudge("server");
    server_.status("ses_1", "");
    Victim ring(town_, words_for("hooked"), kByItself);  // the bell wakes the watcher, and it looks at everybody
    const auto ended = watcher_->kill_after(chance_.within(2 * send_time_));
    note_receipt(ring.end());
    start_watcher();
    return ended.killed;
  }
  bool kill_hook() {
    constexpr std::array<const char*, 3> kTurn = {"UserPromptSubmit", "PostToolUse", "Stop"};
    nudge("hooked");
    return hooked_->event(kTurn[static_cast<std::size_t>(chance_.below(3))], chance_.within(send_time_));
  }
  bool kill_waiter() {
    hooked_->event("Stop");
    return hooked_->wait_for([&] { nudge("hooked"); }, chance_.within(send_time_));
  }
  bool kill_agent() {
    Victim sender(town_, words_for("lines"), kByItself);
    std::this_thread::sleep_for(chance_.within(2 * send_time_));
    const int pid = std::atoi(read_file(lines_pid()).value_or("0").c_str());
    const bool killed = pid > 0 && ::kill(pid, SIGKILL) == 0;
    note_receipt(sender.end());
    end_of_lines();
    start_lines();
    return killed;
  }
  void end_of_lines() {
    const auto said = lines_->end().out;
    for (const auto line : split(said, '\n')) {
      const auto event = parse_json(line);
      if (!event || text_at(*event, "type") != "shown") continue;
      for (const auto& id : nudge_ids(text_at(*event, "text"))) ++shown_by_lines_[id];
    }
    lines_.reset();
  }

  // ---- judging ----
  int pending(const std::string& condition = "1=1") {
    return std::atoi(town_.sql(cat("SELECT count(*) FROM nudge WHERE ended_at IS NULL AND ", condition, ";")).c_str());
  }
  /// Nobody is killed any more: everything arrives.
  void finish() {
    const auto hooked = std::to_string(number_of("hooked"));
    await("the others' nudges end", [&] { return pending(cat("target <> ", hooked)) == 0; });
    watcher_.reset();
    const int pid = std::atoi(read_file(lines_pid()).value_or("0").c_str());
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    end_of_lines();
    for (int turn = 0; pending() > 0; ++turn) {
      ASSERT_LT(turn, 200) << town_.gt({"nudge", "list", "--state", "handed"}).out
                           << town_.gt({"nudge", "list", "--state", "queued"}).out;
      // What a hook handed over before it was killed is under way for a minute. Nobody else is there to see the time,
      // so it may go on more quickly now.
      const int later = turn < 5 ? 0 : 40 * (turn - 4);
      for (const auto* event : {"UserPromptSubmit", "Stop"}) hooked_->event(event, std::nullopt, later);
      std::this_thread::sleep_for(20ms);
    }
  }
  int count_nudges(const char* those) {
    return std::atoi(town_.sql(cat("SELECT count(*) FROM nudge WHERE ", those)).c_str());
  }
  /// Whose carrier died before it showed them.
  int put_back() {
    return count_nudges(
        "EXISTS (SELECT 1 FROM event WHERE nudge = id AND kind = 'put back' AND detail LIKE '%carrier%');");
  }
  /// Whose carrier died after it showed them and before it said so.
  int found() {
    return count_nudges(
        "ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM event WHERE nudge = id AND kind = 'handed');");
  }
  std::int64_t number_of(const std::string& address) {
    return std::atoll(town_.sql(cat("SELECT id FROM agent WHERE address = '", address, "';")).c_str());
  }
  std::map<std::string, int> shown() {
    auto out = hooked_->shown();
    for (const auto& [id, times] : shown_by_lines_) out[id] += times;
    for (const auto& text : server_.texts("ses_1"))
      for (const auto& id : nudge_ids(text)) ++out[id];
    return out;
  }

  TestTown town_;
  Chance chance_;
  FakeOpencode server_;
  std::optional<HookedSession> hooked_;
  std::optional<Victim> watcher_, lines_;
  std::map<std::string, int> shown_by_lines_;
  std::set<std::string> reported_;
  int sent_ = 0;
  microseconds send_time_{0};
};

TEST_F(NudgeKills, LeaveEveryNudgeWithOneEndAndNoneShownTwice) {
  int killed = 0;
  std::map<std::string, int> kills;
  // Chance decides where they are hit: it goes on until both of the moments that matter were among them.
  for (int round = 0; killed < kKills || (round < kMostRounds && !(put_back() > 0 && found() > 0)); ++round) {
    if (round % 40 == 0) {  // a machine is not always equally busy
      const auto start = std::chrono::steady_clock::now();
      nudge("server");
      send_time_ = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - start) * 6 / 5;
    }
    const auto [whom, done] = [&]() -> std::pair<const char*, bool> {
      switch (round % 5) {
        case 0:
          return {"senders", kill_sender()};
        case 1:
          return {"watchers", kill_watcher()};
        case 2:
          return {"hooks", kill_hook()};
        case 3:
          return {"waiting hooks", kill_waiter()};
        default:
          return {"agents", kill_agent()};
      }
    }();
    if (HasFatalFailure()) return;
    if (done) ++killed;
    if (done) ++kills[whom];
    if (pending("1=1") > 30) hooked_->event("UserPromptSubmit");  // or its line would be full
    if (round % 5 == 2) hooked_->event("Stop");
  }
  finish();
  if (HasFatalFailure()) return;

  const auto told = shown();
  std::map<std::string, int> ends;
  for (const auto& nudge : items_of(town_.json({"nudge", "list", "--limit", "1000"}))) {
    const auto id = text_at(nudge, "id");
    ++ends[text_at(nudge, "state")];
    reported_.erase(id);
    EXPECT_EQ(text_at(nudge, "state"), "delivered") << to_line(nudge);
    const auto found = told.find(id);
    EXPECT_EQ(found == told.end() ? 0 : found->second, 1)
        << "so often was it shown: " << town_.gt({"nudge", "explain", id}).out;
  }
  EXPECT_EQ(reported_, std::set<std::string>()) << "reported, and not there";
  EXPECT_EQ(
      town_.sql(
          "SELECT nudge, count(*) FROM event WHERE nudge IS NOT NULL AND kind IN ('delivered','expired','superseded',"
          "'dropped','dead','lost') GROUP BY nudge HAVING count(*) <> 1;"),
      "")
      << "ended more than once";
  EXPECT_EQ(town_.sql("PRAGMA integrity_check;"), "ok");
  EXPECT_GT(put_back(), 0) << "nobody died between lease and injection";
  EXPECT_GT(found(), 0) << "nobody died between injection and confirmation";
  std::printf("%d were put back, %d were found to have been shown\n", put_back(), found());
  for (const auto& [whom, times] : kills) std::printf("%d %s killed\n", times, whom.c_str());
  for (const auto& [state, times] : ends) std::printf("%d nudges are %s\n", times, state.c_str());
}

}  // namespace
}  // namespace townpost
