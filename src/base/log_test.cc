#include "base/log.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"

namespace townpost {
namespace {

class LogTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(folder_); }
  std::string text(const std::filesystem::path& file) { return read_file(file).value_or("(no file)"); }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make("townpost-log-");
  std::filesystem::path file_ = folder_->path() / "logs" / "town.log";
  std::filesystem::path old_ = folder_->path() / "logs" / "town.log.1";
  ManualClock clock_{{1'772'706'600'123}};
  Log log_{file_, clock_};
};

TEST_F(LogTest, AnEntryIsOneLineWithItsInstant) {
  log_.line("first");
  clock_.advance(Millis(1));
  log_.line("second");
  EXPECT_EQ(text(file_), "2026-03-05T10:30:00.123Z first\n2026-03-05T10:30:00.124Z second\n");
}

TEST_F(LogTest, TextWithALineBreakCannotForgeAnEntry) {
  log_.line("mail from x\n2026-03-05T10:30:00.123Z all is well\x1b[0m");
  EXPECT_EQ(text(file_), "2026-03-05T10:30:00.123Z mail from x 2026-03-05T10:30:00.123Z all is well\\x1b[0m\n");
}

TEST_F(LogTest, AFileOverOneMebibyteIsMovedAsideFirst) {
  const std::string large((1u << 20) + 1, 'x');
  ASSERT_TRUE(make_folders(file_.parent_path()));
  ASSERT_TRUE(write_file_lightly(file_, large));
  ASSERT_TRUE(write_file_lightly(old_, "older still"));
  log_.line("fresh");
  EXPECT_EQ(text(file_), "2026-03-05T10:30:00.123Z fresh\n");
  EXPECT_TRUE(text(old_) == large);
}

TEST_F(LogTest, AFileOfOneMebibyteIsAddedTo) {
  ASSERT_TRUE(make_folders(file_.parent_path()));
  ASSERT_TRUE(write_file_lightly(file_, std::string(1u << 20, 'x')));
  log_.line("more");
  EXPECT_FALSE(modified_ns(old_));
  EXPECT_GT(text(file_).size(), 1u << 20);
}

TEST_F(LogTest, OneEndlessEntryIsShortened) {
  log_.line(std::string(5u << 20, 'x'));
  EXPECT_LT(text(file_).size(), 5000u);
  EXPECT_TRUE(text(file_).ends_with("…\n"));
}

TEST_F(LogTest, WhatCannotBeWrittenIsDropped) {
  ASSERT_TRUE(write_file_lightly(folder_->path() / "file", "not a folder"));
  Log(folder_->path() / "file" / "town.log", clock_).line("lost");
  Log("/dev/full", clock_).line("lost");
}

}  // namespace
}  // namespace townpost
