#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "support/test_town.h"

namespace townpost {
namespace {

/// Stands in the writers' queue of a town until it goes out of scope, as a writer that hangs does.
class HangingWriter {
 public:
  explicit HangingWriter(const TestTown& town)
      : queue_(::open((town.folder() / ".town" / "write.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    EXPECT_EQ(::fcntl(queue_.get(), F_OFD_SETLK, &lock), 0);
  }

 private:
  FileDescriptor queue_;
};

TEST(Hook, DoesNotWaitForAWriterThatHangs) {
  const TestTown town;
  town.agents({"ann"});
  const auto id = town.send("overseer", "ann", "deploy is red");
  {
    const HangingWriter writer(town);
    const auto told = town.gt({"mail", "check", "--inject", "--as", "ann"});
    EXPECT_EQ(told.exit_code, 0) << "a hook never disturbs its agent";
    EXPECT_NE(told.out.find(id), std::string::npos) << "reading does not need the queue: " << told.out;
    EXPECT_EQ(told.err, "");
  }
  const auto log = read_file(town.folder() / ".town" / "log" / "signal.log");
  ASSERT_TRUE(log.has_value()) << "what could not be noted is in the log";
  EXPECT_NE(log->find("unavailable"), std::string::npos) << *log;
  const auto again = town.gt({"mail", "check", "--inject", "--as", "ann"});
  EXPECT_NE(again.out.find(id), std::string::npos) << "not noted, so told again: " << again.out;
}

}  // namespace
}  // namespace townpost
