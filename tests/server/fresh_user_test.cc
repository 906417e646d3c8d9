// Users who have nothing of ours yet: no folder in which their processes find each other.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "cli/expect.h"
#include "post/town/server_note.h"

namespace townpost {
namespace {

constexpr int kUser = 54'321;

class FreshUser : public testing::Test {
 protected:
  FreshUser() {
    EXPECT_EQ(::geteuid(), 0u) << "only root can be another";
    std::filesystem::remove_all(folder_);
    EXPECT_EQ(town.shell(cat("chown ", kUser, " . && chmod 755 .")).exit_code, 0);
    EXPECT_EQ(as_user("$GT init -q").exit_code, 0);
  }
  ~FreshUser() override {
    as_user("$GT down");
    std::filesystem::remove_all(folder_);
  }
  ProcessOutput as_user(const std::string& script) const {
    return town.shell(
        cat("setpriv --reuid ", kUser, " --regid ", kUser, " --clear-groups env HOME=$PWD sh -c '", script, "'"));
  }

  const std::filesystem::path folder_ = cat("/tmp/townpost-", kUser);
  const TestTown town{TestTown::Start::empty_folder};
};

TEST_F(FreshUser, IsServedByTheFirstStart) {
  const auto up = as_user("$GT up --detach --listen 127.0.0.1:0 && cat .town/log/up.log");
  EXPECT_EQ(up.exit_code, 0) << up.err;
  EXPECT_EQ(up.out.find("warning"), std::string::npos) << up.out;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "session"));
  EXPECT_TRUE(std::filesystem::exists(ServerNote::place(town.folder() / ".town")));
}

TEST_F(FreshUser, IsServedOverHttpThoughAnotherTookTheFoldersName) {
  std::filesystem::create_directory(folder_);
  const auto up = as_user("$GT up --detach --listen 127.0.0.1:0 && cat .town/log/up.log");
  EXPECT_EQ(up.exit_code, 0) << up.err;
  EXPECT_NE(up.out.find(cat("warning: the folder ", folder_.string(), " is not yours alone")), std::string::npos)
      << up.out;
  EXPECT_TRUE(std::filesystem::exists(ServerNote::place(town.folder() / ".town")));
}

}  // namespace
}  // namespace townpost
