#include "base/sealed_line.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 16u << 10;

class SealedLine : public ::testing::Test {
 protected:
  std::string file(const std::string& name = "file") const { return (folder_.path() / name).native(); }
  void write(const std::string& line) { ASSERT_TRUE(write_sealed_line(file(), line)); }
  std::optional<std::string> read() const { return sealed_line(file(), kMost); }
  std::string bytes() const { return *read_file(file()); }
  void put(std::string_view bytes) { ASSERT_TRUE(write_file_lightly(file(), bytes)); }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::make("sealed");
};

TEST_F(SealedLine, IsReadAsItWasWrittenWhateverStoodThere) {
  EXPECT_EQ(read(), std::nullopt);
  for (const std::string& line : {std::string("one"), std::string(3000, 'x'), std::string(), std::string("two"),
                                  std::string("0123456789abcdef looks like a seal")}) {
    write(line);
    EXPECT_EQ(read(), line);
  }
}

TEST_F(SealedLine, IsWrittenOverTheOldOneInTheSameFile) {
  write("the first, which is longer");
  const FileDescriptor open = open_to_read(file());
  write("the second");
  EXPECT_TRUE(read_all(open.get(), kMost)->find("the second") != std::string::npos) << "no new file was made";
}

TEST_F(SealedLine, OfWhichOnlyAPartIsThereIsNone) {
  write("the whole line");
  const auto whole = bytes();
  for (std::size_t size = 17; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    EXPECT_EQ(read(), std::nullopt) << size;
  }
  auto mixed = whole;
  mixed.replace(mixed.find("whole"), 5, "other");
  put(mixed);
  EXPECT_EQ(read(), std::nullopt) << "of two lines that were mixed";
}

TEST_F(SealedLine, OfAnOlderReleaseHasNoSeal) {
  put("{\"state\":\"idle\"}\n");
  EXPECT_EQ(read(), "{\"state\":\"idle\"}");
  write("new");
  EXPECT_EQ(read(), "new");
}

TEST_F(SealedLine, OverTheLimitIsNone) {
  write(std::string(200, 'x'));
  EXPECT_EQ(sealed_line(file(), 100), std::nullopt);
}

TEST_F(SealedLine, NeverReachesAFileOutside) {
  ASSERT_TRUE(write_file_lightly(file("precious"), "precious"));
  fs::create_hard_link(file("precious"), file());
  write("by its second name");
  EXPECT_EQ(read(), "by its second name");
  EXPECT_EQ(*read_file(file("precious")), "precious");
  fs::remove(file());
  fs::create_symlink(file("precious"), file());
  (void)write_sealed_line(file(), "by a link");
  EXPECT_EQ(*read_file(file("precious")), "precious");
}

TEST_F(SealedLine, IsWholeForEveryReaderWhileSeveralWrite) {
  const std::vector<std::string> lines{std::string(40, 'a'), std::string(2500, 'b'), std::string(700, 'c')};
  write(lines[0]);
  std::atomic<bool> over = false;
  std::vector<std::thread> writers;
  for (const auto& line : lines)
    writers.emplace_back([&] {
      while (!over) EXPECT_TRUE(write_sealed_line(file(), line));
    });
  int whole = 0;
  for (int i = 0; i < 20'000; ++i)
    if (const auto line = read()) {
      ++whole;
      EXPECT_TRUE(*line == lines[0] || *line == lines[1] || *line == lines[2]) << *line;
      if (HasFailure()) break;
    }
  over = true;
  for (auto& writer : writers) writer.join();
  EXPECT_GT(whole, 10'000) << "whoever looks again finds it whole";
  EXPECT_TRUE(read()) << "the last one is whole";
}

}  // namespace
}  // namespace townpost
