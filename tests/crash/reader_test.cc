#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "base/text.h"
#include "crash/evidence.h"
#include "support/test_town.h"

namespace townpost {
namespace {

constexpr int kSendsEach = 200;

std::set<std::string> listed(const TestTown& town) {
  std::set<std::string> ids;
  std::int64_t last_seq = INT64_MAX;
  const auto inbox = town.json({"mail", "inbox", "--as", "ann", "--limit", "10000"});
  for (const auto& mail : inbox.as_array()) {
    EXPECT_TRUE(ids.emplace(mail.at("id").as_string()).second) << "listed twice";
    EXPECT_EQ(seal_of(mail.at("body").as_string()), std::string(mail.at("subject").as_string()));
    const auto seq = mail.at("seq").as_int64();
    EXPECT_LT(seq, last_seq) << "newest first";
    last_seq = seq;
  }
  return ids;
}

TEST(Reader, BesideTwoWritersSeesTheMailboxOnlyGrow) {
  const TestTown town;
  town.agents({"ann"});
  std::atomic<int> writing = 2;
  std::vector<std::string> troubles[2];
  auto write = [&](int who) {
    for (int number = 0; number < kSendsEach; ++number) {
      const auto name = cat("mail ", number, " of writer ", who);
      const auto sent = town.gt({"mail", "send", "ann", "-s", name, "-m", sealed_body(name, 2500)});
      if (sent.exit_code != 0) troubles[who].push_back(cat(name, ": exit ", sent.exit_code, ": ", sent.err));
    }
    --writing;
  };
  std::thread one(write, 0), other(write, 1);

  std::set<std::string> seen;
  std::int64_t unread = 0;
  int looks = 0, growing = 0;
  while (writing > 0) {
    const auto now = listed(town);
    ++looks;
    if (now.size() > seen.size() && !seen.empty()) ++growing;
    for (const auto& id : seen) EXPECT_TRUE(now.contains(id)) << id << " was listed before and is gone";
    seen = now;
    const auto count = parse_json(trim(town.gt({"mail", "check", "--as", "ann", "--json"}).out));
    ASSERT_TRUE(count.has_value());
    const auto counted = count->at("unread").as_int64();
    EXPECT_GE(counted, unread) << "the count went backwards";
    EXPECT_GE(counted, static_cast<std::int64_t>(now.size())) << "the count is behind the list";
    unread = counted;
  }
  one.join();
  other.join();
  for (const auto& trouble : troubles) EXPECT_EQ(trouble, std::vector<std::string>());
  EXPECT_EQ(listed(town).size(), std::size_t{2 * kSendsEach});
  EXPECT_GT(growing, 0) << "the reader never looked while something was written";
  StoreEvidence(town.store()).expect_sound();
  std::printf("%d looks, %d of them saw the mailbox grow\n", looks, growing);
}

}  // namespace
}  // namespace townpost
