#pragma once
#include <functional>
#include <optional>
#include <string>

#include "delivery/session/agent_session.h"
#include "delivery/tmux/harness_profile.h"
#include "delivery/tmux/pane_screen.h"
#include "delivery/tmux/tmux.h"
#include "delivery/tmux/tmux_waits.h"

namespace townpost {

/// Types into one pane and finds out what became of it. Whoever calls holds the session's lock and has looked: the pane
/// is ready for input. Never presses Enter while a dialog is to be seen.
class Typist {
 public:
  /// `a_person_typed`: whether somebody used the keyboard there just now.
  Typist(Tmux& tmux, std::string pane_id, const HarnessProfile& profile, const TmuxWaits& waits,
         std::function<bool()> a_person_typed)
      : tmux_(tmux),
        pane_id_(std::move(pane_id)),
        profile_(profile),
        waits_(waits),
        a_person_typed_(std::move(a_person_typed)) {}

  /// Types `text` into an empty input line and submits it.
  Injected type(const std::string& text, const PaneScreen& before);
  /// Submits `text`, which stands in the input line already.
  Injected submit(const std::string& text, const PaneScreen& before);
  /// Types a line for a program of which nothing is known. `before`: what was on the screen.
  Injected type_raw(const std::string& text, const PaneScreen& before);
  /// Empties an input line that holds nothing but our own text.
  bool clear(const std::string& text);

  /// Whether our text was left in the input line.
  bool left_something() const { return left_something_; }

 private:
  std::optional<PaneScreen> look(int history = 0);
  std::optional<PaneScreen> press(const TmuxTyping& typing);
  Injected take_back(const std::string& text, std::string_view why);
  Injected leave_to_the_person(const std::string& text, const PaneScreen& screen);
  TmuxTyping key(HarnessProfile::Submit submit) const;

  Tmux& tmux_;
  std::string pane_id_;
  const HarnessProfile& profile_;
  const TmuxWaits& waits_;
  std::function<bool()> a_person_typed_;
  bool left_something_ = false;
};

}  // namespace townpost
