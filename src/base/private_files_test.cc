#include "base/private_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class PrivateFiles : public testing::Test {
 protected:
  PrivateFiles() {
    fs::create_directory(inside());
    fs::create_directory(outside());
  }
  fs::path inside() const { return folder_.path() / "inside"; }
  fs::path outside() const { return folder_.path() / "outside"; }
  static unsigned mode(const fs::path& path) {
    struct stat found {};
    EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777;
  }
  bool nothing_outside() const { return fs::is_empty(outside()); }

 private:
  TemporaryFolder folder_ = std::move(*TemporaryFolder::make("townpost-private-"));
};

/// The umask of a test, put back at its end.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

TEST_F(PrivateFiles, AreForTheirUserOnlyWhateverTheUmaskSays) {
  for (const mode_t mask : {0u, 022u, 077u, 0177u}) {
    const Umask umask(mask);
    fs::remove_all(inside() / "run");
    ASSERT_TRUE(make_private_folders(inside() / "run/deep"));
    ASSERT_TRUE(append_line(inside() / "run/log/file", "line"));
    ASSERT_TRUE(write_file_lightly(inside() / "run/hint", "hint"));
    EXPECT_EQ(mode(inside() / "run"), 0700u);
    EXPECT_EQ(mode(inside() / "run/deep"), 0700u);
    EXPECT_EQ(mode(inside() / "run/log/file"), 0600u);
    EXPECT_EQ(mode(inside() / "run/hint"), 0600u);
  }
}

TEST_F(PrivateFiles, AreForTheGroupWhereTheirFolderIs) {
  const Umask umask(077);
  ASSERT_TRUE(set_privacy(inside(), Privacy::group));
  ASSERT_TRUE(append_line(inside() / "log/file", "line"));
  ASSERT_TRUE(write_file_lightly(inside() / "log/hint", "hint"));
  EXPECT_EQ(mode(inside() / "log"), 02770u);
  EXPECT_EQ(mode(inside() / "log/file"), 0660u);
  EXPECT_EQ(mode(inside() / "log/hint"), 0660u);
  ASSERT_TRUE(set_privacy(inside(), Privacy::owner));
  EXPECT_EQ(mode(inside()), 0700u);
  EXPECT_EQ(mode(inside() / "log"), 0700u);
  EXPECT_EQ(mode(inside() / "log/file"), 0600u);
}

TEST_F(PrivateFiles, AreNeverReachedOverALink) {
  const auto secret = outside() / "secret";
  ASSERT_TRUE(write_file_durably(secret, "old"));
  fs::create_symlink(secret, inside() / "file");
  EXPECT_FALSE(append_line(inside() / "file", "line"));
  EXPECT_FALSE(open_private(inside() / "file", O_RDWR | O_CREAT));
  EXPECT_EQ(errno, ELOOP);
  const auto read = read_private_file(inside() / "file");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("there is a link in the way"), std::string::npos) << read.error().message;
  ASSERT_TRUE(write_file_lightly(inside() / "file", "new")) << "the link itself is replaced";
  EXPECT_EQ(read_file(secret), "old");
  EXPECT_EQ(read_private_file(inside() / "file"), "new");
}

TEST_F(PrivateFiles, AreNeverReachedOverALinkInTheirPath) {
  fs::create_symlink(outside(), inside() / "run");
  EXPECT_FALSE(append_line(inside() / "run/file", "line"));
  EXPECT_FALSE(write_file_lightly(inside() / "run/file", "text"));
  EXPECT_FALSE(make_private_folders(inside() / "run/deep"));
  EXPECT_FALSE(open_private(inside() / "run/file", O_RDWR | O_CREAT));
  EXPECT_TRUE(nothing_outside());
  ASSERT_TRUE(write_file_durably(outside() / "kept", "text"));
  EXPECT_FALSE(read_private_file(inside() / "run/kept"));
  remove_private_file(inside() / "run/kept");
  EXPECT_TRUE(fs::exists(outside() / "kept"));
}

TEST_F(PrivateFiles, ALinkThatLeadsNowhereMakesNothingThere) {
  fs::create_symlink(outside() / "new", inside() / "file");
  EXPECT_FALSE(append_line(inside() / "file", "line"));
  EXPECT_FALSE(open_private(inside() / "file", O_RDWR | O_CREAT));
  EXPECT_TRUE(nothing_outside());
}

TEST_F(PrivateFiles, APipeIsNoneAndNobodyWaitsAtIt) {
  ASSERT_EQ(::mkfifo((inside() / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_private_file(inside() / "pipe"));
  EXPECT_FALSE(open_private(inside() / "pipe", O_WRONLY | O_CREAT));
  EXPECT_FALSE(append_line(inside() / "pipe", "line"));
}

TEST_F(PrivateFiles, LinksAreLeftAloneWhenModesAreSet) {
  ASSERT_TRUE(write_file_durably(outside() / "theirs", "text", 0644));
  fs::create_symlink(outside() / "theirs", inside() / "file");
  fs::create_symlink(outside(), inside() / "folder");
  const auto before = mode(outside());
  ASSERT_TRUE(set_privacy(inside(), Privacy::owner));
  EXPECT_EQ(mode(outside() / "theirs"), 0644u);
  EXPECT_EQ(mode(outside()), before);
}

TEST_F(PrivateFiles, OfAStartAreReadWholeOrNotAtAll) {
  const auto file = inside() / "file";
  EXPECT_EQ(private_text(file.native(), 10), std::nullopt);
  for (const std::size_t size : {0u, 1u, 2047u, 2048u, 2049u, 4096u, 5000u}) {
    const std::string text(size, 'x');
    ASSERT_TRUE(write_file_lightly(file, text));
    EXPECT_EQ(private_text(file.native(), size), text);
    EXPECT_EQ(private_text(file.native(), 100'000), text);
    if (size > 0) {
      EXPECT_EQ(private_text(file.native(), size - 1), std::nullopt) << size;
    }
  }
  ASSERT_TRUE(write_file_lightly(outside() / "secret", "secret"));
  fs::create_symlink(outside() / "secret", inside() / "link");
  fs::create_directory_symlink(outside(), inside() / "folder");
  EXPECT_EQ(private_text((inside() / "link").native(), 100), std::nullopt);
  EXPECT_EQ(private_text((inside() / "folder/secret").native(), 100), std::nullopt);
  EXPECT_EQ(private_text(inside().native(), 100), std::nullopt);
}

}  // namespace
}  // namespace townpost
