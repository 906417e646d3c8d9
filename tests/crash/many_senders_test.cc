#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "crash/evidence.h"
#include "crash/running_gt.h"
#include "support/stress.h"
#include "support/test_town.h"

namespace townpost {
namespace {

using std::chrono::nanoseconds;

constexpr int kSenders = 16;
const int kSendsEach = stress(250, 60);

struct Sender {
  std::map<std::string, std::string> sent;  ///< id → name of its body
  std::vector<std::string> errors;
  std::vector<nanoseconds> durations;
};

/// From a few bytes to several pages, so that messages of all shapes meet in the log.
std::size_t size_of(int number) { return static_cast<std::size_t>(number * number % 9001); }

void send_all(const TestTown& town, int who, Sender& sender) {
  for (int number = 0; number < kSendsEach; ++number) {
    const auto name = cat("message ", number, " of sender ", who);
    const auto start = std::chrono::steady_clock::now();
    const auto sent = town.gt({"mail", "send", "inbox-of-all", "-s", name, "-m", sealed_body(name, size_of(number)),
                               "--as", cat("sender-", who), "--json"});
    sender.durations.push_back(std::chrono::steady_clock::now() - start);
    if (sent.exit_code != 0 || !sent.err.empty())
      sender.errors.push_back(cat(name, ": exit ", sent.exit_code, ": ", sent.err));
    sender.sent[receipt_id(sent.out)] = name;
  }
}

double ms(nanoseconds duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

TEST(SixteenSenders, LoseNothingRepeatNothingAndTearNothing) {
  const TestTown town;
  ASSERT_TRUE(write_file_durably(town.folder() / ".town" / "town.toml", "[limits]\nenabled = false\n"));
  town.agents({"inbox-of-all"});
  for (int who = 0; who < kSenders; ++who) town.agents({cat("sender-", who)});

  std::vector<Sender> senders(kSenders);
  std::vector<std::thread> threads;
  for (int who = 0; who < kSenders; ++who)
    threads.emplace_back(send_all, std::cref(town), who, std::ref(senders[static_cast<std::size_t>(who)]));
  for (auto& thread : threads) thread.join();

  std::map<std::string, std::string> reported;
  std::vector<nanoseconds> durations;
  for (const auto& sender : senders) {
    EXPECT_EQ(sender.errors, std::vector<std::string>());
    EXPECT_EQ(sender.sent.size(), static_cast<std::size_t>(kSendsEach)) << "every receipt has an id of its own";
    reported.insert(sender.sent.begin(), sender.sent.end());
    durations.insert(durations.end(), sender.durations.begin(), sender.durations.end());
  }
  EXPECT_EQ(reported.size(), static_cast<std::size_t>(kSenders * kSendsEach));

  const auto inbox = town.json({"mail", "inbox", "--as", "inbox-of-all", "--limit", "10000"});
  std::map<std::string, std::string> found;
  for (const auto& mail : inbox.as_array()) {
    const std::string id(mail.at("id").as_string());
    EXPECT_TRUE(found.emplace(id, seal_of(mail.at("body").as_string())).second) << id << " is listed twice";
    EXPECT_EQ(found[id], std::string(mail.at("subject").as_string()));
  }
  EXPECT_EQ(inbox.as_array().size(), static_cast<std::size_t>(kSenders * kSendsEach));
  EXPECT_EQ(found, reported);
  StoreEvidence(town.store()).expect_sound();

  std::printf("%d sends: slowest %.1f ms, median %.1f ms\n", kSenders * kSendsEach,
              ms(*std::max_element(durations.begin(), durations.end())), ms(median(durations)));
}

}  // namespace
}  // namespace townpost
