#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "crash/evidence.h"
#include "support/test_town.h"

namespace townpost {
namespace {

/// Runs `gt WORDS…` with a standard output that nobody reads any more: whoever started it has died.
int gt_with_nobody_listening(const TestTown& town, const std::string& words) {
  // The reader of the pipe ends at once; only then does the program start.
  const auto script =
      cat("{ sleep 0.2; \"$0\" ", words, "; echo $? >status; } | true; while ! [ -s status ]; do sleep 0.05; done");
  const auto ended = SystemProcesses().run({.command = {"/bin/sh", "-c", script, gt_program()},
                                            .environment = clean_environment(town.folder()),
                                            .folder = town.folder().string(),
                                            .timeout = std::chrono::seconds(60)});
  EXPECT_TRUE(ended.has_value()) << ended.error().message;
  const auto status = read_file(town.folder() / "status");
  std::filesystem::remove(town.folder() / "status");
  return status ? std::stoi(*status) : -1;
}

TEST(LostOutput, OfAnAnnouncementMeansThatItIsMadeAgain) {
  const TestTown town;
  town.agents({"ann"});
  const auto id = town.send("overseer", "ann", "deploy is red");
  EXPECT_EQ(gt_with_nobody_listening(town, "mail check --inject --as ann"), 0) << "a hook never disturbs its agent";
  const auto next = town.gt({"mail", "check", "--inject", "--as", "ann"});
  EXPECT_EQ(next.exit_code, 0) << next.err;
  EXPECT_NE(next.out.find(id), std::string::npos)
      << "the first announcement reached nobody, so the message must be announced again; instead: " << next.out;
}

TEST(LostOutput, OfASendLeavesTheMessageStored) {
  const TestTown town;
  town.agents({"ann"});
  EXPECT_EQ(gt_with_nobody_listening(town, "mail send ann -s 'still sent' -m '' --json"), 0);
  const auto inbox = town.json({"mail", "inbox", "--as", "ann"});
  ASSERT_EQ(inbox.as_array().size(), 1u);
  EXPECT_EQ(inbox.as_array()[0].at("subject"), "still sent");
}

}  // namespace
}  // namespace townpost
