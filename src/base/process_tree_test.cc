#include "base/process_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/child.h"
#include "base/files.h"
#include "support/await.h"

namespace townpost {
namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A shell that runs a program and waits for it.
class Family : public testing::Test {
 protected:
  Child shell =
      Child::start({.command = {"/bin/sh", "-c", "sleep 600; echo over"}, .ends = ChildPlan::Ends::pipes}).value();
  int grandchild = [this] {
    await("the shell runs it", [this] {
      const auto children = children_of(shell.pid());
      return !children.empty() && holds(names_of_process(children.front()), "sleep");
    });
    return children_of(shell.pid()).front();
  }();
  ~Family() override {
    ::kill(grandchild, SIGKILL);
    shell.signal(SIGKILL);
    await("the shell ends", [this] { return shell.exit_code().has_value(); });
  }
};

TEST_F(Family, IsKnownUpwardsAndDownwards) {
  EXPECT_EQ(parent_of(grandchild), shell.pid());
  EXPECT_EQ(parent_of(shell.pid()), ::getpid());
  EXPECT_TRUE(runs_within(grandchild, ::getpid()));
  EXPECT_TRUE(runs_within(grandchild, grandchild));
  EXPECT_FALSE(runs_within(shell.pid(), grandchild));
}

TEST_F(Family, HasNames) {
  EXPECT_TRUE(holds(names_of_process(shell.pid()), "sh"));
  EXPECT_TRUE(holds(names_of_process(grandchild), "sleep"));
}

TEST_F(Family, BeganOneAfterTheOther) {
  const auto first = start_of(shell.pid());
  const auto second = start_of(grandchild);
  ASSERT_TRUE(first && second);
  EXPECT_LE(first->ms, second->ms);
  EXPECT_LE(start_of(1)->ms, first->ms);
}

TEST(ProcessTree, KnowsWhoHasEndedThoughNobodyAskedHow) {
  auto child = Child::start({.command = {"/bin/sh", "-c", "read line"}, .ends = ChildPlan::Ends::pipes}).value();
  EXPECT_FALSE(is_zombie(child.pid()));
  child.close_input();
  await("it ends", [&] { return is_zombie(child.pid()); });
  await("its end is known", [&] { return child.exit_code().has_value(); });
  EXPECT_FALSE(is_zombie(child.pid()));
}

TEST(ProcessTree, NamesTheScriptThatAnInterpreterRuns) {
  const auto folder = TemporaryFolder::make("gt-tree-").value();
  const auto script = folder.path() / "an-agent";
  ASSERT_TRUE(write_file_durably(script, "#!/bin/sh\nread line\n", 0755));
  auto child = Child::start({.command = {script.string()}, .ends = ChildPlan::Ends::pipes}).value();
  await("the script runs", [&] { return names_of_process(child.pid()).size() >= 3; });
  EXPECT_TRUE(holds(names_of_process(child.pid()), "an-agent"));
  child.close_input();
  await("its end is known", [&] { return child.exit_code().has_value(); });
}

TEST(ProcessTree, KnowsNothingOfAProcessThatIsNotThere) {
  EXPECT_FALSE(look_at(0x7ffffff0));
  EXPECT_FALSE(is_zombie(0x7ffffff0));
  EXPECT_EQ(start_of(0x7ffffff0), std::nullopt);
  EXPECT_EQ(parent_of(0x7ffffff0), 0);
  EXPECT_TRUE(children_of(0x7ffffff0).empty());
  EXPECT_TRUE(names_of_process(0x7ffffff0).empty());
  EXPECT_FALSE(runs_within(0x7ffffff0, ::getpid()));
}

}  // namespace
}  // namespace townpost
