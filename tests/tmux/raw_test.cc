#include "base/text.h"
#include "tmux/lab.h"

namespace townpost {
namespace {

class RawSession : public TmuxLab {
 protected:
  std::string inject_raw(const std::string& given) {
    return text(session("tmux:agent", "raw").inject({.text = given, .ids = {}, .at = Injection::At::idle}));
  }
};

TEST_F(RawSession, IsAlwaysIdleAndShowsWhatItWasGiven) {
  start("agent", {"sh", "-c", cat("cat > '", folder().string(), "/got'")});
  EXPECT_EQ(text(session("tmux:agent", "raw").look()), "idle");
  for (const auto* given :
       {"deploy is red;", "deploy is red;", "-x\nsecond line", "日本語 😀", "e\u0301 \U0001F44D\U0001F3FD"})
    EXPECT_EQ(inject_raw(given), "shown") << given;
  EXPECT_EQ(read_file(folder() / "got").value(),
            "deploy is red;\ndeploy is red;\n-x\nsecond line\n日本語 😀\ne\u0301 \U0001F44D\U0001F3FD\n");
}

TEST_F(RawSession, IsTypedIntoInCopyModeToo) {
  const auto pane = start("agent", {"cat"});
  tmux({"copy-mode", "-t", pane});
  EXPECT_EQ(inject_raw("deploy is red"), "shown");
  wait_for(pane, "deploy is red");
}

TEST_F(RawSession, IsNotTypedIntoAtADialog) {
  const auto pane = start_harness("agent", {"dialog"});
  EXPECT_EQ(inject_raw("deploy is red"), "not_started: a dialog or selection list is open");
  EXPECT_EQ(stray_keys("agent"), Words{});
}

TEST_F(RawSession, ThatDoesNotShowTheTextProvesNothing) {
  waits_.looks = 5;
  const auto pane = start("agent", {"sh", "-c", "stty -echo; echo ready; cat >/dev/null"});
  wait_for(pane, "ready");
  EXPECT_EQ(inject_raw("ready"), "failed: the text was typed, but the pane does not show it");
}

TEST_F(RawSession, IsGoneWhenItEnds) {
  start("keeper", {"cat"});
  const auto pane = start("agent", {"cat"});
  tmux({"send-keys", "-t", pane, "C-d"});
  for (int looks = 0; looks < 500 && tmux({"list-sessions"}).find("agent") != std::string::npos; ++looks)
    waits_.sleep(Millis(10));
  EXPECT_EQ(text(session("tmux:agent", "raw").look()), "gone: there is no tmux session agent");
}

}  // namespace
}  // namespace townpost
