#include "delivery/tmux/tmux_session.h"

#include <algorithm>

#include "base/process_tree.h"
#include "base/text.h"
#include "delivery/tmux/likeness.h"
#include "delivery/tmux/session_lock.h"
#include "delivery/tmux/typed_text.h"
#include "delivery/tmux/typist.h"

namespace townpost {

namespace {

using Outcome = Injected::Outcome;

std::string lock_name(std::string_view pane_id) { return cat("tmux-", pane_id); }

/// Whether a draft is what an earlier attempt typed. Of a long text only a part may be to be seen, but a few letters
/// could be anybody's.
bool is_left_of(std::string_view draft, std::string_view typed) {
  constexpr std::size_t kNoAccident = 40;
  const Likeness ours(typed);
  return is_folded_paste(draft) || ours.is_all(draft) ||
         (visible_points(draft).size() >= kNoAccident && ours.is_part(draft));
}

bool is_raw(const HarnessProfile& profile) { return profile.input == HarnessProfile::Input::unknown; }

SessionLook without_a_view(const Error& error) {
  switch (error.code) {
    case Code::not_found:
      return {SessionState::gone, error.message};
    case Code::forbidden:
      return {SessionState::shut, error.message};
    case Code::refused:  // it is there, but which pane is it?
      return {SessionState::unknown, error.message};
    default:
      return {SessionState::silent, error.message};
  }
}

}  // namespace

bool TmuxSession::is_its_own(const TmuxPane& pane) const {
  return !place_.pid || runs_within(*place_.pid, static_cast<int>(pane.pid));
}

Result<> TmuxSession::check(const TmuxPane& pane) const {
  if (pane.dead) return fail(Code::not_found, cat("the program in tmux pane ", pane.id, " has ended"));
  if (place_.target.pane.empty() && pane.session != place_.target.session)
    return fail(Code::not_found, cat("there is no tmux session ", place_.target.session));
  if (!is_its_own(pane))
    return fail(Code::not_found,
                cat("tmux pane ", pane.id, " is another's: process ", *place_.pid, " does not run there"));
  return place_.admits ? place_.admits(pane) : Result<>();
}

Result<TmuxPane> TmuxSession::pick(const TmuxPane& found) {
  if (!place_.target.pane.empty() || found.alone) return found;
  // Somebody has split the session. The agent's pane is the one with its pid, else the one that the session began with;
  // but where no prompt would show that it is an agent, do not guess.
  if (!place_.pid && is_raw(place_.profile))
    return fail(Code::refused, cat("tmux session ", found.session, " has several panes"), "name one: tmux:%ID");
  TRY(panes, tmux_.panes());
  for (const auto& pane : panes)
    if (pane.session == found.session && is_its_own(pane)) return pane;
  return fail(Code::not_found, cat("no pane of tmux session ", found.session, " runs process ", *place_.pid));
}

Result<TmuxView> TmuxSession::view(const TmuxLooks& looks) {
  // The pane that we know may be gone and its name taken by a new one: then look by name once more.
  if (!pane_id_.empty()) {
    auto seen = tmux_.view({.pane = pane_id_, .session = ""}, looks);
    if (seen) {
      auto fits = check(seen->pane);
      if (fits) return seen;
      if (fits.error().code == Code::forbidden) return fail(std::move(fits.error()));
    }
    if (!seen && seen.error().code != Code::not_found) return seen;
    pane_id_.clear();
  }
  TRY(seen, tmux_.view(place_.target, looks));
  TRY(pane, pick(seen.pane));
  if (pane.id != seen.pane.id) {
    TRY(other, tmux_.view({.pane = pane.id, .session = ""}, looks));
    seen = std::move(other);
  }
  TRY_VOID(check(seen.pane));
  pane_id_ = seen.pane.id;
  return seen;
}

bool TmuxSession::a_person_is_at(const TmuxView& view) const {
  // tmux counts whole seconds: rather wait one too many.
  return waits_.hands_off_s > 0 && std::any_of(view.clients.begin(), view.clients.end(), [&](const TmuxClient& client) {
           return (client.pane == view.pane.id || view.pane.synchronized) && client.idle_s <= waits_.hands_off_s;
         });
}

bool TmuxSession::a_person_typed() {
  const auto seen = view({.count = 0});
  return !seen || a_person_is_at(*seen);
}

TypedNote TmuxSession::note(const TmuxPane& pane) const {
  return TypedNote(place_.locks, lock_name(pane.id), pane.pid);
}

bool TmuxSession::is_ours(std::string_view draft, std::string_view text, std::string_view unsubmitted) const {
  if (draft.empty()) return true;
  if (!text.empty() && Likeness(text).is_all(draft)) return true;
  if (!unsubmitted.empty() && is_left_of(draft, unsubmitted)) return true;
  return std::any_of(place_.own_triggers.begin(), place_.own_triggers.end(), [&](const std::string& trigger) {
    return Likeness(typed_text(trigger, place_.profile)).is_all(draft);
  });
}

SessionLook TmuxSession::judge(const Sight& sight, std::string_view text) const {
  const auto any = [&](auto is_so) { return std::any_of(sight.screens.begin(), sight.screens.end(), is_so); };
  if (any([](const PaneScreen& screen) { return screen.dialog; })) {
    const auto asks = std::find_if(sight.screens.begin(), sight.screens.end(),
                                   [](const PaneScreen& screen) { return !screen.asks.empty(); });
    return {SessionState::blocked, "a dialog or selection list is open",
            asks == sight.screens.end() ? std::string() : asks->asks};
  }
  if (any([](const PaneScreen& screen) { return screen.busy; })) return {SessionState::busy, "it works"};
  if (any([](const PaneScreen& screen) { return !screen.prompt; }))
    return {SessionState::starting, "its prompt is not visible"};
  if (any([&](const PaneScreen& screen) { return !is_ours(screen.draft, text, sight.unsubmitted); }))
    return {SessionState::typing, "there is a draft in the input line"};
  if (a_person_is_at(sight.view)) return {SessionState::typing, "somebody used the keyboard just now"};
  const auto moved = [&](const PaneScreen& screen) { return screen.body != sight.screens.front().body; };
  if (any(moved)) return {SessionState::busy, "its screen is moving"};
  return {SessionState::idle, "its prompt is empty"};
}

TmuxSession::Sight TmuxSession::sight(std::string_view text) { return sight(text, is_raw(place_.profile) ? 1 : 2); }

TmuxSession::Sight TmuxSession::sight(std::string_view text, int captures) {
  auto seen = view({.count = captures, .apart = waits_.between_looks});
  if (!seen) return {.look = without_a_view(seen.error()), .view = {}, .screens = {}, .unsubmitted = ""};
  Sight sight{.look = {}, .view = std::move(*seen), .screens = {}, .unsubmitted = ""};
  sight.unsubmitted = note(sight.view.pane).read().value_or("");
  for (const auto& capture : sight.view.captures) sight.screens.push_back(read_screen(capture, place_.profile));
  sight.look = judge(sight, text);
  return sight;
}

TmuxSession::Sight TmuxSession::sight_at_rest(std::string_view text) {
  const auto only_moves = [](const Sight& seen) {
    return seen.look.state == SessionState::busy &&
           std::none_of(seen.screens.begin(), seen.screens.end(), [](const PaneScreen& screen) { return screen.busy; });
  };
  Sight seen = sight(text);
  for (int looks = 1; only_moves(seen) && looks < waits_.rest_looks; ++looks) seen = sight(text);
  return seen;
}

TmuxSession::Sight TmuxSession::sight_when_ready(std::string_view text, std::optional<Sight> first) {
  Sight seen = first ? std::move(*first) : sight_at_rest(text);
  for (int looks = 1; seen.look.state == SessionState::starting && looks < waits_.ready_looks; ++looks) {
    waits_.sleep(waits_.until_ready);
    seen = sight_at_rest(text);
  }
  return seen;
}

SessionLook TmuxSession::look() { return sight_at_rest("").look; }

SessionLook TmuxSession::glance() { return sight("", 1).look; }

bool TmuxSession::may_type(const Sight& sight, Injection::At at, std::string_view text) const {
  if (sight.look.state == SessionState::idle) return true;
  if (sight.look.state != SessionState::busy || at != Injection::At::any || !place_.profile.takes_input_while_busy)
    return false;
  const auto& screen = sight.screens.back();
  return screen.prompt && is_ours(screen.draft, text, sight.unsubmitted) && !a_person_is_at(sight.view);
}

Injected TmuxSession::inject(const Injection& injection) {
  const auto text = typed_text(injection.text, place_.profile);
  if (text.empty()) return {Outcome::failed, "there is nothing in it that could be typed"};
  // The lock is the pane's, and which pane it is only a look tells. What that shows holds, unless another of us has had
  // the lock since.
  const auto begun = SessionLock::Moment::now();
  std::optional<Sight> first;
  if (pane_id_.empty()) {
    first = sight_at_rest(text);
    if (pane_id_.empty()) return {Outcome::not_started, first->look.detail};
  }
  const auto locked = pane_id_;
  const auto lock = SessionLock::take(place_.locks, lock_name(locked), waits_.lock, waits_.sleep);
  if (!lock) return {Outcome::not_started, lock.error().message};
  if (first && !lock->was_free_since(begun)) first.reset();

  const Sight before = sight_when_ready(text, std::move(first));
  if (!may_type(before, injection.at, text)) return {Outcome::not_started, before.look.detail};
  if (pane_id_ != locked) return {Outcome::not_started, "the session moved to another pane just now"};

  Typist typist(tmux_, pane_id_, place_.profile, waits_, [this] { return a_person_typed(); });
  const PaneScreen& screen = before.screens.back();
  if (is_raw(place_.profile)) return typist.type_raw(text, screen);
  const bool already_there = !screen.draft.empty() && Likeness(text).is_all(screen.draft);
  if (!screen.draft.empty() && !already_there && !typist.clear(screen.draft))
    return {Outcome::not_started, "text of ours is in the input line and cannot be taken back"};
  const TypedNote typed = note(before.view.pane);
  typed.write(text);
  auto injected = already_there ? typist.submit(text, screen) : typist.type(text, screen);
  if (!typist.left_something()) typed.remove();
  return injected;
}

std::optional<bool> TmuxSession::shows(std::string_view id) {
  const auto seen = view({.count = 1, .apart = Millis(0), .history = 2000});
  if (!seen || seen->captures.empty()) return std::nullopt;
  // What still stands in the input line has not been shown to anybody.
  const auto shown = squeezed(read_screen(seen->captures.front(), place_.profile).body);
  if (shown.find(squeezed(id)) != std::string::npos) return true;
  if (shown.find("[Pasted") != std::string::npos) return std::nullopt;
  return false;
}

void TmuxSession::tell_people(std::string_view text) {
  const auto seen = view({.count = 0});
  if (!seen) return;
  auto here = seen->clients;
  std::erase_if(here, [&](const TmuxClient& client) { return client.pane != seen->pane.id; });
  (void)tmux_.tell(here, text);
}

}  // namespace townpost
