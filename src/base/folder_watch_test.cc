#include "base/folder_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>

namespace townpost {
namespace {

namespace fs = std::filesystem;

class FolderWatchTest : public testing::TestWithParam<bool> {
 protected:
  /// As the test's parameter says, watched by the system or refused by it: nothing more can be opened then.
  static FolderWatch make(const std::vector<fs::path>& folders) {
    for (const auto& folder : folders) fs::create_directories(folder);
    rlimit usual{};
    ::getrlimit(RLIMIT_NOFILE, &usual);
    rlimit none = usual;
    const FileDescriptor next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    none.rlim_cur = static_cast<rlim_t>(next.get());
    if (GetParam()) ::setrlimit(RLIMIT_NOFILE, &none);
    FolderWatch out(folders);
    ::setrlimit(RLIMIT_NOFILE, &usual);
    return out;
  }
  fs::path folder(const std::string& name) const { return root_.path() / name; }
  static void write(const fs::path& file, const std::string& text) { ASSERT_TRUE(write_file_lightly(file, text)); }
  TemporaryFolder root_ = std::move(*TemporaryFolder::make("watch"));
};
INSTANTIATE_TEST_SUITE_P(, FolderWatchTest, testing::Values(false, true),
                         [](const auto& refused) { return refused.param ? "refused" : "watched"; });

TEST_P(FolderWatchTest, SaysWhetherTheSystemRefuses) {
  const auto watch = make({folder("a")});
  EXPECT_EQ(watch.fd() < 0, GetParam());
  EXPECT_EQ(watch.refusal().find("max_user_instances") != std::string::npos, GetParam()) << watch.refusal();
}

TEST_P(FolderWatchTest, NamesTheFilesThatChangedEachOnce) {
  fs::create_directories(folder("a"));
  write(folder("a") / "old", "1");
  auto watch = make({folder("a"), folder("b")});
  (void)watch.read();  // nothing can be looked at either while nothing can be opened
  write(folder("a") / "1", "x");
  write(folder("b") / "2", "x");
  write(folder("b") / "2", "y");
  auto changed = watch.read().files;
  std::sort(changed.begin(), changed.end());
  EXPECT_EQ(changed, (std::vector{folder("a") / "1", folder("b") / "2"}));
  EXPECT_EQ(watch.read().files, std::vector<fs::path>()) << "it was told already";
  write(folder("a") / "old", "1");
  EXPECT_EQ(watch.read().files, std::vector{folder("a") / "old"}) << "also if it says the same";
}

TEST_P(FolderWatchTest, SaysNothingOfHiddenFiles) {
  auto watch = make({folder("a")});
  write(folder("a") / ".gt-1.tmp", "x");
  EXPECT_EQ(watch.read().files, std::vector<fs::path>());
}

}  // namespace
}  // namespace townpost
