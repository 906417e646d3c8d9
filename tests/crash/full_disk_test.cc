#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/text.h"
#include "crash/evidence.h"
#include "crash/running_gt.h"
#include "support/test_town.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

constexpr int kExitUnavailable = 6;

/// Runs `work` where `folder` is a disk of `size` that only `work` and the processes it starts can see. Needs root.
template <class Work>
void on_small_disk(const fs::path& folder, const char* size, Work work) {
  std::string trouble;
  std::thread([&] {  // a thread of its own: its view of the file system ends with it, and the mount with that
    // In a chroot / is no mount of its own; then there is nothing to make private, which is no trouble.
    if (::unshare(CLONE_NEWNS) != 0 ||
        (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 && errno != EINVAL) ||
        ::mount("tmpfs", folder.c_str(), "tmpfs", 0, cat("size=", size).c_str()) != 0) {
      trouble = std::strerror(errno);
      return;
    }
    work();
  })
      .join();
  ASSERT_EQ(trouble, "") << "cannot mount a small disk (are you root?)";
}

ProcessOutput gt(const fs::path& folder, const std::vector<std::string>& words) {
  return RunningGt::start(words, folder).end();
}

struct Sends {
  std::map<std::string, std::string> stored;  ///< id → name
  std::vector<std::string> refused;
};

void send(const fs::path& disk, const std::string& name, std::size_t bytes, Sends& sends) {
  const auto ended = gt(disk, {"mail", "send", "ann", "ben", "-s", name, "-m", sealed_body(name, bytes), "--json"});
  if (ended.exit_code == 0) {
    const auto id = receipt_id(ended.out);
    EXPECT_NE(id, "") << name << ": " << ended.out;
    sends.stored[id] = name;
    return;
  }
  sends.refused.push_back(name);
  EXPECT_EQ(ended.exit_code, kExitUnavailable) << name << ": " << ended.err;
  EXPECT_TRUE(ended.err.starts_with("gt: ") && std::count(ended.err.begin(), ended.err.end(), '\n') == 1) << ended.err;
  EXPECT_NE(ended.err.find("; "), std::string::npos) << "an error says what to do: " << ended.err;
}

void judge(const fs::path& disk, const Sends& sends) {
  const StoreEvidence evidence(disk / ".town" / "town.db");
  evidence.expect_sound();
  const auto messages = evidence.messages();
  std::map<std::string, std::string> found;
  for (const auto& [id, message] : messages) {
    found[id] = seal_of(message.body);
    EXPECT_EQ(message.deliveries, 2) << id;
  }
  EXPECT_EQ(found, sends.stored) << "what said 0 is there, and nothing else";
}

TEST(FullDisk, RefusesWhatDoesNotFitAndLosesNothingThatDid) {
  const TestTown above(TestTown::Start::empty_folder);
  const fs::path disk = above.folder();
  on_small_disk(disk, "5m", [&] {
    ASSERT_EQ(gt(disk, {"init"}).exit_code, 0);
    ASSERT_EQ(gt(disk, {"agent", "add", "ann"}).exit_code, 0);
    ASSERT_EQ(gt(disk, {"agent", "add", "ben"}).exit_code, 0);
    const auto ballast = disk / "ballast";
    ASSERT_TRUE(write_file_durably(ballast, std::string(1u << 20, 'x')));

    Sends sends;
    int number = 0;
    while (sends.refused.empty() && number < 400) send(disk, cat("large ", ++number), 30'000, sends);
    ASSERT_FALSE(sends.refused.empty()) << "the disk never became full";
    ASSERT_FALSE(sends.stored.empty());
    // Near the brim some still fit and others do not; each tells the truth about itself.
    for (const std::size_t bytes : {30'000u, 10'000u, 3'000u, 300u, 0u})
      for (int i = 0; i < 12; ++i) send(disk, cat("small ", ++number), bytes, sends);
    std::printf("%zu sends fitted, %zu were refused\n", sends.stored.size(), sends.refused.size());

    fs::remove(ballast);
    for (int i = 0; i < 5; ++i) {
      const auto refused = sends.refused.size();
      send(disk, cat("with space again ", ++number), 3'000, sends);
      EXPECT_EQ(sends.refused.size(), refused) << "there is space again";
    }
    judge(disk, sends);
  });
}

TEST(FullDisk, LeavesNoHalfMadeTown) {
  const TestTown above(TestTown::Start::empty_folder);
  const fs::path disk = above.folder();
  on_small_disk(disk, "2m", [&] {
    const auto ballast = disk / "ballast";
    ASSERT_TRUE(write_file_durably(ballast, std::string((2u << 20) - 60'000, 'x')));
    const auto refused = gt(disk, {"init"});
    EXPECT_EQ(refused.exit_code, kExitUnavailable) << refused.err;
    EXPECT_EQ(std::distance(fs::directory_iterator(disk), {}), 1) << "nothing but the ballast is left";
    fs::remove(ballast);
    EXPECT_EQ(gt(disk, {"init"}).exit_code, 0);
  });
}

}  // namespace
}  // namespace townpost
