#include "delivery/tmux/typist.h"

#include <algorithm>

#include "base/text.h"
#include "delivery/tmux/likeness.h"

namespace townpost {

namespace {

using Outcome = Injected::Outcome;
using Submit = HarnessProfile::Submit;

bool holds_ours(const PaneScreen& screen, const Likeness& ours) {
  return screen.prompt && (ours.is_part(screen.draft) || is_folded_paste(screen.draft));
}

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

/// The last characters of a text, enough to know it by.
std::string_view tail_of(std::string_view text) {
  constexpr std::size_t kEnough = 80;  // bytes
  if (text.size() <= kEnough) return text;
  auto from = text.size() - kEnough;
  while (is_inside_character(text, from)) ++from;
  return text.substr(from);
}

/// Whether `after` shows the end of the text in what it has more than `before`.
bool shows_newly(std::string_view before, std::string_view after, const Likeness& end) {
  const auto parting = std::mismatch(before.begin(), before.end(), after.begin(), after.end()).second;
  auto from = static_cast<std::size_t>(parting - after.begin());
  while (is_inside_character(after, from)) --from;
  return end.is_within(after.substr(from));
}

Injected failed(std::string detail) { return {Outcome::failed, std::move(detail)}; }

}  // namespace

std::optional<PaneScreen> Typist::look(int history) {
  waits_.sleep(waits_.next_look);
  const auto capture = tmux_.capture(pane_id_, history);
  if (!capture) return std::nullopt;
  return read_screen(*capture, profile_);
}

std::optional<PaneScreen> Typist::press(const TmuxTyping& typing) {
  const auto capture = tmux_.type(pane_id_, typing);
  if (!capture) return std::nullopt;
  return read_screen(*capture, profile_);
}

TmuxTyping Typist::key(Submit submit) const {
  TmuxTyping typing{.look_after = waits_.first_look};
  if (submit == Submit::enter) {
    typing.keys = {"Enter"};
  } else {
    typing.bytes = "\r";
  }
  return typing;
}

Injected Typist::type(const std::string& text, const PaneScreen& before) {
  auto screen = press({.text = text, .settle = waits_.settle});
  left_something_ = true;
  int dialogs = 0;  // one look may have caught the screen half drawn
  for (int looks = 0; screen && (!screen->prompt || screen->draft.empty()) && looks < waits_.looks; ++looks) {
    dialogs = screen->dialog ? dialogs + 1 : 0;
    if (dialogs == 2) return failed("a dialog opened while we typed; nothing was submitted");
    screen = look();
  }
  if (!screen) return failed("the session ended while we typed");
  if (screen->draft.empty()) return take_back(text, "the text did not show up in the input line");
  if (holds_ours(*screen, Likeness(text))) return submit(text, before);
  if (!a_person_typed_()) return take_back(text, "the text did not show as it was typed");
  return leave_to_the_person(text, *screen);
}

Injected Typist::submit(const std::string& text, const PaneScreen& before) {
  left_something_ = true;
  const Likeness ours(text);
  // Some harnesses do not take the first Enter (still busy with the paste), or know the key by another code.
  const Submit other = profile_.submit == Submit::enter ? Submit::carriage_return : Submit::enter;
  for (const Submit how : {profile_.submit, other, profile_.submit}) {
    auto screen = press(key(how));
    for (int looks = 0; screen && looks < waits_.looks; ++looks, screen = look()) {
      const bool whole = screen->prompt || screen->busy || screen->dialog;  // else it was caught half drawn
      if (!whole || holds_ours(*screen, ours) || screen->body == before.body) continue;
      left_something_ = false;
      // It may have been there a moment before our Enter; only the session itself can tell.
      if (screen->dialog) return {Outcome::handed, "the input line was cleared and a dialog opened"};
      return {Outcome::shown, "the input line was cleared and the pane moved"};
    }
    if (!screen) return failed("the session ended while we typed");
    if (!holds_ours(*screen, ours)) {
      left_something_ = false;
      if (!screen->prompt) return {Outcome::handed, "the input line is gone"};
      return failed("the input line was cleared, but nothing happened");
    }
  }
  return take_back(text, "the session did not take Enter");
}

Injected Typist::type_raw(const std::string& text, const PaneScreen& before) {
  TmuxTyping typing = key(profile_.submit);
  typing.text = text;
  typing.settle = waits_.settle;
  const Likeness end(tail_of(text));
  auto screen = press(typing);
  for (int looks = 1; screen; ++looks) {
    if (shows_newly(before.body, screen->body, end)) return {Outcome::shown, "the pane shows the text"};
    if (looks > waits_.looks) break;
    // What the program printed since may have pushed it off the screen; and far back is a costly look.
    constexpr int kFarBack = 500;
    screen = look(looks > 1 ? kFarBack : 0);
  }
  return failed(screen ? "the text was typed, but the pane does not show it" : "the session ended while we typed");
}

bool Typist::clear(const std::string& text) {
  // Each round empties a line and joins it to the one above. On an empty input line all three do nothing.
  const auto lines = std::count(text.begin(), text.end(), '\n') + static_cast<std::ptrdiff_t>(text.size() / 20) + 2;
  const auto characters = static_cast<int>(length_in_characters(text));
  const TmuxTyping ways[] = {
      {.keys = {"C-e", "C-u", "BSpace"}, .repeat = static_cast<int>(std::min<std::ptrdiff_t>(lines, 400))},
      {.keys = {"BSpace"}, .repeat = characters},
      {.keys = {"DC"}, .repeat = characters}};
  for (TmuxTyping way : ways) {
    way.look_after = waits_.first_look;
    auto screen = press(way);
    for (int looks = 0; screen && looks < waits_.looks; ++looks, screen = look()) {
      if (screen->dialog) return false;
      if (screen->prompt && screen->draft.empty()) return true;
    }
    if (!screen) return false;
  }
  return false;
}

Injected Typist::take_back(const std::string& text, std::string_view why) {
  left_something_ = !clear(text);
  return failed(cat(why, left_something_ ? "; it could not be taken back" : "; it was taken back"));
}

Injected Typist::leave_to_the_person(const std::string& text, const PaneScreen& screen) {
  // Their words first, then ours, and the cursor behind them: ours can be taken off, if it is known how many keys that
  // takes. Otherwise theirs would go too.
  const Likeness ours(text);
  if (ours.is_plain() && ours.is_end(screen.draft)) {
    (void)press({.keys = {"BSpace"}, .repeat = static_cast<int>(length_in_characters(text))});
    left_something_ = false;
    return failed("a person began to type at the same moment; our text was taken back");
  }
  return failed("a person began to type at the same moment; nothing was submitted");
}

}  // namespace townpost
