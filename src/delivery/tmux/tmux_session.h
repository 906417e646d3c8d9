#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "delivery/session/agent_session.h"
#include "delivery/tmux/harness_profile.h"
#include "delivery/tmux/pane_screen.h"
#include "delivery/tmux/tmux.h"
#include "delivery/tmux/tmux_waits.h"
#include "delivery/tmux/typed_note.h"

namespace townpost {

/// Whose session it is and how it is reached.
struct TmuxSessionPlace {
  TmuxTarget target;
  TmuxServerName server;
  std::optional<int> pid;  ///< of the agent's process, if it is known: a pane that it does not run in is another's
  HarnessProfile profile;
  /// Whether it may be typed into now, asked at every look; not_found or forbidden with the reason. None: always.
  std::function<Result<>(const TmuxPane&)> admits;
  std::filesystem::path locks;            ///< the folder of the sessions' locks
  std::vector<std::string> own_triggers;  ///< fixed texts of ours: left in the input line they are no person's draft
};

/// An agent in a tmux pane, reached by looking at the screen and typing.
class TmuxSession final : public AgentSession {
 public:
  TmuxSession(Processes& processes, Random& random, TmuxSessionPlace place, TmuxWaits waits = {})
      : tmux_(processes, random, place.server), place_(std::move(place)), waits_(std::move(waits)) {}

  SessionLook look() override;
  SessionLook glance() override;
  /// Nothing also if it is not there but a long text was folded away, which may have held it.
  std::optional<bool> shows(std::string_view id) override;
  /// shown: the input line is empty again and the pane moved. failed: what was typed was taken back, if it could be.
  Injected inject(const Injection& injection) override;
  std::string_view harness() const override {
    return place_.profile.input == HarnessProfile::Input::unknown ? std::string_view() : place_.profile.name;
  }
  void tell_people(std::string_view text) override;

 private:
  // `text`: what is about to be typed. If it stands there already, an earlier attempt left it.

  /// One look: the state it means, and what that was told from.
  struct Sight {
    SessionLook look;
    TmuxView view;
    std::vector<PaneScreen> screens;
    std::string unsubmitted;  ///< what one of us typed and could neither submit nor take back
  };

  Result<TmuxView> view(const TmuxLooks& looks);
  Result<TmuxPane> pick(const TmuxPane& found);
  Result<> check(const TmuxPane& pane) const;
  bool is_its_own(const TmuxPane& pane) const;
  Sight sight(std::string_view text);
  Sight sight(std::string_view text, int captures);
  Sight sight_at_rest(std::string_view text);
  /// `first`: the first of its looks, if it is taken already.
  Sight sight_when_ready(std::string_view text, std::optional<Sight> first);
  SessionLook judge(const Sight& sight, std::string_view text) const;
  bool is_ours(std::string_view draft, std::string_view text, std::string_view unsubmitted) const;
  bool a_person_typed();
  TypedNote note(const TmuxPane& pane) const;
  bool a_person_is_at(const TmuxView& view) const;
  bool may_type(const Sight& sight, Injection::At at, std::string_view text) const;

  Tmux tmux_;
  TmuxSessionPlace place_;
  TmuxWaits waits_;
  std::string pane_id_;  ///< once it is known
};

}  // namespace townpost
