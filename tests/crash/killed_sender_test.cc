#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/text.h"
#include "crash/evidence.h"
#include "crash/running_gt.h"
#include "support/stress.h"
#include "support/test_town.h"

namespace townpost {
namespace {

const int kKills = stress(500, 80);
constexpr std::int64_t kCopies = 4;  // three recipients and one by cc
constexpr std::int64_t kDuties = 2;  // of --reply-by

std::vector<std::string> send_words(const std::string& name, std::size_t bytes) {
  return {"mail",       "send", "ann",   "ben", "cat", "--cc", "dan", "-s", name, "-m", sealed_body(name, bytes),
          "--reply-by", "7d",   "--json"};
}

/// Sends without pause and is never killed: others' deaths must not disturb it.
class Neighbour {
 public:
  explicit Neighbour(const TestTown& town)
      : thread_([this, &town] {
          for (int number = 0; !stop_; ++number) {
            const auto name = cat("neighbour ", number);
            const auto sent = town.gt({"mail", "send", "ann", "-s", name, "-m", sealed_body(name, 3000), "--json"});
            if (sent.exit_code != 0) troubles_.push_back(cat("exit ", sent.exit_code, ": ", sent.err));
            ids_.push_back(receipt_id(sent.out));
          }
        }) {}
  ~Neighbour() { finish(); }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  void finish() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  const std::vector<std::string>& ids() const { return ids_; }
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  std::atomic<bool> stop_ = false;
  std::vector<std::string> ids_, troubles_;
  std::thread thread_;
};

/// Kills `kills` sends at random moments and judges what is left of each.
void kill_senders(const TestTown& town, int kills) {
  Moments moments;
  std::map<std::string, std::string> reported;  // id → name
  std::map<std::string, std::size_t> sizes;     // name → bytes
  int killed = 0;
  auto duration = std::chrono::nanoseconds(0);
  for (int number = 0; number < kills; ++number) {
    if (number % 50 == 0)  // measured again and again, because a machine is not always equally busy
      duration = typical_duration([&] { town.gt(send_words(cat("measured ", number), 2000)); });
    const auto name = cat("attempt ", number);
    sizes[name] = number % 10 == 0 ? 90'000 : 2000;
    const auto ended = run_and_kill(send_words(name, sizes[name]), town.folder(), moments.within(duration));
    ASSERT_TRUE(ended.exit_code == 0 || ended.exit_code == kKilled)
        << name << ": exit " << ended.exit_code << ended.err;
    const auto id = receipt_id(ended.out);
    EXPECT_TRUE(ended.exit_code == kKilled || id != "") << name << " printed no receipt: " << ended.out;
    if (!id.empty()) reported[id] = name;
    if (ended.exit_code == kKilled) ++killed;
  }
  EXPECT_GT(killed, kills / 10) << "too few were killed for this to mean anything";

  const StoreEvidence evidence(town.store());
  evidence.expect_sound();
  const auto messages = evidence.messages();
  std::map<std::string, int> stored;
  int unreported = 0;
  for (const auto& [id, message] : messages) {
    if (!message.subject.starts_with("attempt ")) continue;
    EXPECT_EQ(++stored[message.subject], 1) << message.subject << " is there twice";
    EXPECT_EQ(message.body, sealed_body(message.subject, sizes[message.subject])) << id;
    EXPECT_EQ(message.deliveries, kCopies) << id;
    EXPECT_EQ(message.stored_events, 1) << id;
    EXPECT_EQ(message.duties, kDuties) << id;
    if (!reported.contains(id)) ++unreported;
  }
  for (const auto& [id, name] : reported) {
    ASSERT_TRUE(messages.contains(id)) << name << " was reported as " << id << " and is lost";
    EXPECT_EQ(messages.at(id).subject, name);
  }
  std::printf("%d sends: %d killed, %zu reported success, %d died between commit and receipt, %zu left nothing\n",
              kills, killed, reported.size(), unreported, static_cast<std::size_t>(kills) - stored.size());
}

TEST(KilledSender, LeavesEachMessageWholeOrAbsentAndNeverOneThatWasReported) {
  const TestTown town;
  town.agents({"ann", "ben", "cat", "dan"});
  kill_senders(town, kKills);
  const auto later = town.send("overseer", "ann", "after all of them");
  EXPECT_EQ(town.json({"mail", "read", later}).at("subject"), "after all of them");
}

TEST(KilledSender, DisturbsNoOtherSender) {
  const TestTown town;
  town.agents({"ann", "ben", "cat", "dan"});
  Neighbour neighbour(town);
  kill_senders(town, kKills / 5);
  neighbour.finish();
  EXPECT_EQ(neighbour.troubles(), std::vector<std::string>());
  const auto messages = StoreEvidence(town.store()).messages();
  for (const auto& id : neighbour.ids()) {
    ASSERT_TRUE(messages.contains(id)) << id;
    EXPECT_EQ(seal_of(messages.at(id).body), messages.at(id).subject);
  }
}

}  // namespace
}  // namespace townpost
