#include "app/this_machine.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/text.h"
#include "delivery/tmux/tmux_socket.h"

namespace townpost {
namespace {

/// A tmux that says what it was told to.
class SayingProcesses final : public Processes {
 public:
  Result<ProcessOutput> run(const ProcessCall& call) override {
    asked = call.command;
    return ProcessOutput{.exit_code = 0, .out = says, .err = ""};
  }
  std::string says;
  std::vector<std::string> asked;
};

using Variables = std::map<std::string, std::string>;

class OwnPaneOf : public ::testing::Test {
 protected:
  /// Of the process of that name; empty: this one.
  std::optional<OwnPane> own_pane(const std::string& caller = "") {
    return ThisMachine(processes, random, environment, notes, caller).own_pane();
  }
  SayingProcesses processes;
  ProcessNotes notes{""};
  SystemRandom random;
  FixedEnvironment environment{Variables{{"TMUX", "/tmp/of-mine/sock,77,0"}, {"TMUX_PANE", "%5"}}};
};

TEST_F(OwnPaneOf, TheCallerIsTheOneWhoseProcessItRunsBelow) {
  processes.says = cat("%5 ", ::getppid(), " 1.1 two words\n");
  const auto own = own_pane();
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->pane, "%5");
  EXPECT_EQ(own->session, "two words");
  EXPECT_EQ(own->socket, "/tmp/of-mine/sock");
  EXPECT_EQ(own->pid, ::getppid());
  EXPECT_TRUE(own->is_alone);
  EXPECT_EQ(own->uri(), "tmux:/tmp/of-mine/sock/%5");
  EXPECT_EQ(own->session_uri(), "tmux:/tmp/of-mine/sock/two words");
  EXPECT_EQ(processes.asked.at(3), "/tmp/of-mine/sock") << "the server that TMUX names is asked, no other";
}

TEST_F(OwnPaneOf, TheUsualServerNeedsNoSocketInItsUri) {
  environment = FixedEnvironment(Variables{{"TMUX", cat(usual_tmux_socket(), ",77,0")}, {"TMUX_PANE", "%5"}});
  processes.says = cat("%5 ", ::getppid(), " 2.1 work\n");
  EXPECT_EQ(own_pane().value().uri(), "tmux:%5");
  EXPECT_FALSE(own_pane().value().is_alone) << "its session has two windows";
}

TEST_F(OwnPaneOf, AProcessThatIsNotBelowItIsNotItsOwn) {
  const int child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  processes.says = cat("%5 ", child, " 1.1 work\n");
  EXPECT_EQ(own_pane(), std::nullopt);
  ::kill(child, SIGKILL);
  processes.says = "%5 1 1.1 work\n";
  EXPECT_EQ(own_pane(), std::nullopt) << "everybody is below the first process";
}

TEST_F(OwnPaneOf, TheCallerIsLookedForAroundTheCallerAndNotAroundWhoeverServesIt) {
  const int caller = ::fork();
  if (caller == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto name = process_name(caller);
  processes.says = cat("%5 ", caller, " 1.1 work\n");
  EXPECT_EQ(own_pane(name).value_or(OwnPane{}).pid, caller) << "it is the first process of its pane";
  processes.says = cat("%5 ", ::getpid(), " 1.1 work\n");
  EXPECT_EQ(own_pane(process_name(::getppid())), std::nullopt) << "only the server runs in that pane";
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  processes.says = cat("%5 ", ::getpid(), " 1.1 work\n");
  EXPECT_EQ(own_pane(name), std::nullopt) << "it has ended";
  EXPECT_EQ(own_pane(cat(::getpid(), ".1-0@", host_name())), std::nullopt) << "its number is another's now";
}

TEST_F(OwnPaneOf, NobodyIsToldByWordsThatAreNoPane) {
  processes.says = cat("%6 ", ::getppid(), " work\n");
  EXPECT_EQ(own_pane(), std::nullopt) << "tmux spoke of another pane";
  processes.says = cat("%5 ", ::getppid(), " 2.1 work\n");
  for (const auto* pane : {"work", "%5;", "%", "5", "%5/../%6"}) {
    environment = FixedEnvironment(Variables{{"TMUX", "/tmp/s,1,0"}, {"TMUX_PANE", pane}});
    EXPECT_EQ(own_pane(), std::nullopt) << pane;
  }
  environment = FixedEnvironment(Variables{{"TMUX_PANE", "%5"}});
  EXPECT_EQ(own_pane(), std::nullopt) << "without a server nobody can confirm it";
}

TEST(StoredTmuxUri, SaysOnWhichServerTheSessionIs) {
  const FixedEnvironment outside;
  const FixedEnvironment inside(Variables{{"TMUX", "/tmp/tmux-0/other,1,0"}});
  EXPECT_EQ(stored_tmux_uri("tmux:%5", outside), "tmux:%5");
  EXPECT_EQ(stored_tmux_uri("tmux:coder", outside), "tmux:coder");
  EXPECT_EQ(stored_tmux_uri("tmux:%5", inside), "tmux:/tmp/tmux-0/other/%5");
  EXPECT_EQ(stored_tmux_uri("tmux:coder", inside), "tmux:/tmp/tmux-0/other/coder");
  EXPECT_EQ(stored_tmux_uri("tmux:/run/sock/%5", inside), "tmux:/run/sock/%5");
  EXPECT_EQ(stored_tmux_uri(cat("tmux:", usual_tmux_socket(), "/%5"), inside), "tmux:%5");
  EXPECT_EQ(stored_tmux_uri("opencode:http://127.0.0.1:4096#s", inside), "opencode:http://127.0.0.1:4096#s");
}

}  // namespace
}  // namespace townpost
