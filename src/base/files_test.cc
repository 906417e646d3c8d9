#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/text.h"

namespace townpost {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(folder_); }
  std::filesystem::path at(std::string_view name) const { return folder_->path() / name; }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_->path()))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make("townpost-files-");
};

/// A disk that is full, for files over `bytes`: the kernel then fails the write as it does for want of space.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST_F(Files, WhatIsWrittenDurablyIsReadBackTheSame) {
  const std::string text("a\0b\n\xff", 5);
  ASSERT_TRUE(write_file_durably(at("file"), text));
  EXPECT_EQ(read_file(at("file")), text);
  ASSERT_TRUE(write_file_durably(at("file"), ""));
  EXPECT_EQ(read_file(at("file")), "");
}

TEST_F(Files, WhatIsWrittenLightlyIsReadBackTheSame) {
  ASSERT_TRUE(write_file_lightly(at("hint"), "3 unread"));
  EXPECT_EQ(read_file(at("hint")), "3 unread");
}

TEST_F(Files, WritingLeavesNothingElseInTheFolder) {
  ASSERT_TRUE(write_file_durably(at("one"), "1"));
  ASSERT_TRUE(write_file_durably(at("one"), "2"));
  ASSERT_TRUE(write_file_lightly(at("two"), "2"));
  EXPECT_EQ(names(), (std::vector<std::string>{"one", "two"}));
}

TEST_F(Files, AFileWithTheLongestNameCanBeReplaced) {
  const std::string name(255, 'n');
  ASSERT_TRUE(write_file_durably(at(name), "text"));
  EXPECT_EQ(read_file(at(name)), "text");
}

TEST_F(Files, AFileInTheWorkingFolderNeedsNoFolderInItsName) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_->path());
  const auto written = write_file_durably("bare", "text");
  std::filesystem::current_path(before);
  EXPECT_TRUE(written);
  EXPECT_EQ(read_file(at("bare")), "text");
}

TEST_F(Files, ASecretIsNeverReadableByOthers) {
  ASSERT_TRUE(write_file_durably(at("token"), "secret", 0600));
  struct stat found {};
  ASSERT_EQ(stat(at("token").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(Files, AFileThatIsReplacedKeepsItsMode) {
  for (const unsigned mode : {0600u, 0640u, 0644u, 0755u}) {
    ASSERT_TRUE(write_file_durably(at("settings"), "old"));
    ASSERT_EQ(chmod(at("settings").c_str(), mode), 0);
    ASSERT_TRUE(write_file_durably(at("settings"), "new"));
    struct stat found {};
    ASSERT_EQ(stat(at("settings").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, mode);
  }
}

TEST_F(Files, AFailedWriteLeavesTheOldFileAndNoTemporary) {
  ASSERT_TRUE(write_file_durably(at("file"), "old"));
  {
    const FullDisk full(1000);
    const auto failed = write_file_durably(at("file"), std::string(5000, 'x'));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Code::unavailable);
  }
  EXPECT_EQ(read_file(at("file")), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(Files, AFolderIsNotReplacedByAFile) {
  ASSERT_TRUE(make_folders(at("folder")));
  EXPECT_FALSE(write_file_durably(at("folder"), "text"));
  EXPECT_FALSE(write_file_lightly(at("folder"), "text"));
  EXPECT_EQ(names(), std::vector<std::string>{"folder"});
}

TEST_F(Files, WritingIntoAMissingFolderIsUnavailableAndNamesTheFile) {
  const auto failed = write_file_durably(at("missing") / "file", "text");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::unavailable);
  EXPECT_EQ(failed.error().message, cat("cannot write ", at("missing/file").native(), ": No such file or directory"));
}

TEST_F(Files, AReaderSeesTheOldOrTheNewTextAndNothingBetween) {
  const std::string old_text(100'000, 'o'), new_text(100'000, 'n');
  ASSERT_TRUE(write_file_lightly(at("file"), old_text));
  std::thread writer([this, &old_text, &new_text] {
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(write_file_lightly(at("file"), i % 2 == 0 ? new_text : old_text));
  });
  for (int i = 0; i < 200; ++i) {
    const auto seen = read_file(at("file"));
    EXPECT_TRUE(seen == old_text || seen == new_text);
  }
  writer.join();
}

TEST_F(Files, AMissingFileIsNotFound) {
  EXPECT_EQ(read_file(at("missing")).error().code, Code::not_found);
  ASSERT_TRUE(write_file_lightly(at("file"), ""));
  EXPECT_EQ(read_file(at("file") / "below").error().code, Code::not_found);
}

TEST_F(Files, ThatTheKernelMakesUpAreNotWaitedFor) {
  const auto link = folder_->path() / "settings.json";
  std::filesystem::create_symlink("/proc/kmsg", link);
  ASSERT_TRUE(open_to_read(link)) << "run this as root, who alone may open one that waits";
  for (int reads = 0; reads < 2; ++reads) {  // whatever the first one found, nothing is left for the second
    const auto text = read_file(link);
    EXPECT_EQ(text ? Code::unavailable : text.error().code, Code::unavailable);
  }
}

TEST_F(Files, APipeIsNotWaitedForWhereAFileIsMeant) {
  const auto pipe = folder_->path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_file(pipe).error().code, Code::unavailable);
  EXPECT_EQ(read_file("/dev/zero").error().code, Code::unavailable);
  EXPECT_FALSE(open_to_read(pipe));
}

TEST_F(Files, AFolderCannotBeReadAsAFile) { EXPECT_EQ(read_file(folder_->path()).error().code, Code::unavailable); }

TEST_F(Files, AFileIsReadUpToTheLimitAndRefusedBeyondIt) {
  for (std::size_t size : {1u, 4095u, 4096u, 4097u, 100'000u}) {
    const std::string text(size, 'x');
    ASSERT_TRUE(write_file_lightly(at("file"), text));
    EXPECT_TRUE(read_file(at("file"), size) == text) << size;
    EXPECT_TRUE(read_file(at("file"), SIZE_MAX) == text) << size;
    EXPECT_EQ(read_file(at("file"), size - 1).error().code, Code::usage) << size;
  }
}

TEST_F(Files, AFileWithoutASizeIsReadToItsEnd) {
  const auto text = read_file("/proc/self/status");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("Name:"), std::string::npos);
}

TEST_F(Files, AnInputThatDoesNotBlockIsStillReadToItsEnd) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const FileDescriptor reader(ends[0]);
  std::thread writer([&ends] {
    const FileDescriptor end(ends[1]);
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(Millis(2));
      EXPECT_EQ(write(end.get(), "abc", 3), 3);
    }
  });
  EXPECT_EQ(read_all(reader.get(), 100), "abcabcabc");
  writer.join();
}

TEST_F(Files, AnInputOverTheLimitIsRefused) {
  const FileDescriptor endless(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(read_all(endless.get(), 1000).error().code, Code::usage);
}

TEST_F(Files, AnInputThatCannotBeReadIsUnavailable) { EXPECT_EQ(read_all(-1, 10).error().code, Code::unavailable); }

TEST_F(Files, LinesAreAddedAtTheEndAndFoldersMadeOnTheWay) {
  const auto file = at("a") / "b" / "log";
  ASSERT_TRUE(append_line(file, "one"));
  ASSERT_TRUE(append_line(file, ""));
  ASSERT_TRUE(append_line(file, "three"));
  EXPECT_EQ(read_file(file), "one\n\nthree\n");
}

TEST_F(Files, LinesOfSeveralWritersNeverMix) {
  std::vector<std::thread> writers;
  for (char letter : {'a', 'b', 'c', 'd'})
    writers.emplace_back([this, letter] {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(append_line(at("log"), std::string(3000, letter)));
    });
  for (std::thread& writer : writers) writer.join();
  const auto text = read_file(at("log"));
  ASSERT_TRUE(text);
  std::size_t lines = 0;
  for (std::string_view line : split(trim(*text), '\n')) {
    ++lines;
    EXPECT_EQ(line, std::string(3000, line[0]));
  }
  EXPECT_EQ(lines, 400u);
}

TEST_F(Files, AFullDiskIsReportedWithWhatToDo) {
  EXPECT_EQ(file_error("write", "/full/disk", ENOSPC),
            (Error{Code::unavailable, "cannot write /full/disk: No space left on device",
                   "free some space and try again", std::nullopt}));
}

TEST_F(Files, AReadOnlyOrForbiddenPlaceIsReportedWithWhatToDo) {
  for (int number : {EROFS, EACCES})
    EXPECT_EQ(file_error("write", "/x/y", number).hint, "check the permissions of the folder");
}

TEST_F(Files, AnErrorShowsAHostileNameSafelyOnOneLine) {
  EXPECT_EQ(file_error("read", "/x/\x1b[2J\n", EIO).message, "cannot read /x/\\x1b[2J : Input/output error");
  EXPECT_EQ(file_error("read", "/x", 99999).message, "cannot read /x: error 99999");
}

TEST_F(Files, FoldersAreMadeWithAllAboveThemAndMayExist) {
  ASSERT_TRUE(make_folders(at("a/b/c")));
  ASSERT_TRUE(make_folders(at("a/b/c")));
  EXPECT_TRUE(std::filesystem::is_directory(at("a/b/c")));
}

TEST_F(Files, AFolderCannotBeMadeWhereAFileIs) {
  ASSERT_TRUE(write_file_lightly(at("file"), ""));
  EXPECT_EQ(make_folders(at("file")).error().code, Code::unavailable);
  EXPECT_EQ(make_folders(at("file/below")).error().code, Code::unavailable);
}

TEST_F(Files, TheModificationIsThatOfTheFileToTheNanosecond) {
  EXPECT_EQ(modified_ns(at("file")), std::nullopt);
  ASSERT_TRUE(write_file_lightly(at("file"), ""));
  const timespec times[2] = {{1, 2}, {1'700'000'000, 123'456'789}};
  ASSERT_EQ(utimensat(AT_FDCWD, at("file").c_str(), times, 0), 0);
  EXPECT_EQ(modified_ns(at("file")), 1'700'000'000'123'456'789);
}

TEST_F(Files, WhatTheKernelMakesUpIsOnNoNetwork) {
  EXPECT_EQ(network_file_system("/proc"), std::nullopt);
  EXPECT_EQ(network_file_system("/proc/no/such/thing/yet"), std::nullopt);
}

TEST_F(Files, ATemporaryFolderIsGoneAfterwardsWithAllItHeld) {
  std::filesystem::path path;
  {
    auto folder = TemporaryFolder::make("townpost-gone-");
    ASSERT_TRUE(folder);
    const TemporaryFolder moved(std::move(*folder));
    path = moved.path();
    ASSERT_TRUE(append_line(path / "deep" / "er" / "file", "text"));
    EXPECT_TRUE(path.filename().native().starts_with("townpost-gone-"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Files, TwoTemporaryFoldersAreNeverTheSame) {
  const auto one = TemporaryFolder::make("same-"), two = TemporaryFolder::make("same-");
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->path(), two->path());
}

TEST_F(Files, ADescriptorIsClosedWithItsOwnerAndMovesToANewOne) {
  const auto is_open = [](int fd) { return fcntl(fd, F_GETFD) >= 0; };
  FileDescriptor one(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = one.get();
  FileDescriptor two(std::move(one));
  EXPECT_TRUE(is_open(number));
  two = FileDescriptor();
  EXPECT_FALSE(two);
  EXPECT_FALSE(is_open(number));
}

}  // namespace
}  // namespace townpost
