#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "base/random.h"
#include "delivery/tmux/tmux_session.h"

namespace townpost {

/// A tmux server of its own for one test, with its socket, locks and logs in a folder of its own.
class TmuxLab : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  ~TmuxLab() override;

  /// Runs tmux on this server; fails the test if it is refused. What it printed, without the last newline.
  std::string tmux(const Words& words, const std::string& input = "");
  /// A session that runs `command`; the id of its pane.
  std::string start(const std::string& session, const Words& command);
  /// A session with a fake harness that is ready, or slow, or not at all, as `options` say.
  std::string start_harness(const std::string& session, const Words& options = {});
  /// Waits until the pane shows `text`; fails the test if it never does.
  void wait_for(const std::string& pane, const std::string& text);
  std::string screen(const std::string& pane) { return tmux({"capture-pane", "-p", "-t", pane}); }
  std::int64_t pid(const std::string& pane);

  /// The prompts that the harness in `session` was given, byte for byte.
  Words prompts(const std::string& session) { return logged(session, "prompt"); }
  /// The keys that it took otherwise: into a dialog, or Escape.
  Words stray_keys(const std::string& session) { return logged(session, "key"); }

  /// The adapter for `uri`, with waits that suit a test. Change `place_` and `waits_` before.
  TmuxSession session(const std::string& uri, const std::string& harness = "claude");
  Injected inject(const std::string& uri, const std::string& text, Injection::At at = Injection::At::idle);

  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path socket() const { return folder() / "tmux"; }

  SystemProcesses processes_;
  SystemRandom random_;
  TmuxSessionPlace place_;
  TmuxWaits waits_{.between_looks = Millis(30),
                   .settle = Millis(30),
                   .first_look = Millis(20),
                   .next_look = Millis(20),
                   .looks = 200,
                   .until_ready = Millis(50),
                   .ready_looks = 100,
                   .lock = std::chrono::seconds(60)};

 private:
  Words logged(const std::string& session, const std::string& kind);
  std::filesystem::path log(const std::string& session) const { return folder() / (session + ".log"); }

  TemporaryFolder folder_ = TemporaryFolder::make("townpost-tmux").value();
};

/// "shown", "not_started: there is a draft in the input line", …
std::string text(const Injected& injected);
std::string text(const SessionLook& look);

}  // namespace townpost
