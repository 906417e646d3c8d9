#include "tty/keys.h"

#include <algorithm>

#include "base/sight.h"
#include "base/utf8.h"

namespace townpost {

namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kLongestSequence = 64;
constexpr std::size_t kLongestCharacter = 4;

bool is_final(char c) { return c >= 0x40 && c <= 0x7e; }
bool is_within_sequence(char c) { return c >= 0x20 && c <= 0x3f; }

/// Whether the bytes may be the beginning of a character that is not whole yet.
bool may_go_on(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  if (first > 0xf4 || text.size() >= wanted || text.size() >= kLongestCharacter) return false;
  return std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
}

}  // namespace

void KeyReader::add(std::string_view bytes) {
  for (const char c : bytes) {
    held_ += c;
    while (!held_.empty()) {
      const auto taken = take();
      if (taken == 0) break;
      held_.erase(0, taken);
    }
  }
}

std::optional<Key> KeyReader::next() {
  if (keys_.empty()) return std::nullopt;
  const Key out = keys_.front();
  keys_.pop_front();
  return out;
}

void KeyReader::settle() {
  if (held_ == "\x1b") push(Key::Name::escape);
  if (held_.size() == 2 && held_.front() == kEscape) character(static_cast<unsigned char>(held_[1]), true);  // Alt-[
  held_.clear();
}

std::size_t KeyReader::take() {
  const char first = held_.front();
  if (first == kEscape) return take_escaped();
  if (may_go_on(held_)) return 0;
  const auto step = first_step(held_);
  if (step.well_formed) character(step.point, false);
  return step.bytes;
}

std::size_t KeyReader::take_escaped() {
  if (held_.size() == 1) return 0;
  const char second = held_[1];
  if (second == '[' || second == 'O') return take_sequence();
  if (second == kEscape) {  // the first one stands alone
    push(Key::Name::escape);
    return 1;
  }
  const auto rest = std::string_view(held_).substr(1);
  if (may_go_on(rest)) return 0;
  const auto step = first_step(rest);
  if (step.well_formed) character(step.point, true);
  return 1 + step.bytes;
}

std::size_t KeyReader::take_sequence() {
  for (std::size_t i = 2; i < held_.size(); ++i) {
    const char c = held_[i];
    if (is_final(c)) {
      sequence(std::string_view(held_).substr(2, i - 2), c);
      return i + 1;
    }
    // It is none, or was broken off: what comes next begins by itself.
    if (!is_within_sequence(c)) return i;
  }
  return held_.size() < kLongestSequence ? 0 : held_.size();
}

void KeyReader::sequence(std::string_view parameters, char last) {
  const bool alt = parameters.ends_with(";3");
  if (last == '~') {
    const auto number = parameters.substr(0, parameters.find(';'));
    if (number == "200" || number == "201")
      in_paste_ = number == "200";
    else if (number == "1" || number == "7")
      push(Key::Name::home);
    else if (number == "4" || number == "8")
      push(Key::Name::end);
    else if (number == "3")
      push(Key::Name::remove);
    else if (number == "5")
      push(Key::Name::page_up);
    else if (number == "6")
      push(Key::Name::page_down);
    return;
  }
  switch (last) {
    case 'A':
      return push(Key::Name::up, alt);
    case 'B':
      return push(Key::Name::down, alt);
    case 'C':
      return push(Key::Name::right, alt);
    case 'D':
      return push(Key::Name::left, alt);
    case 'H':
      return push(Key::Name::home, alt);
    case 'F':
      return push(Key::Name::end, alt);
    case 'Z':
      return push(Key::Name::back_tab);
    case 'M':  // the enter key of a keypad
      if (parameters.empty()) push(Key::Name::enter);
      return;
    default:
      return;
  }
}

void KeyReader::character(char32_t point, bool alt) {
  if (in_paste_) {
    const bool is_space = point == '\r' || point == '\n' || point == '\t';
    if (is_space) point = ' ';
    if (!is_control(point)) keys_.push_back({.point = point, .pasted = true});
    return;
  }
  if (point == '\r' || point == '\n') return push(Key::Name::enter, alt);
  if (point == '\t') return push(Key::Name::tab, alt);
  if (point == 0x7f || point == '\b') return push(Key::Name::backspace, alt);
  if (point > 0 && point < 0x20) {
    const char32_t letter = point + 0x60;
    if (letter >= 'a' && letter <= 'z') keys_.push_back({.name = Key::Name::control, .point = letter, .alt = alt});
    return;
  }
  if (!is_control(point)) keys_.push_back({.point = point, .alt = alt});
}

}  // namespace townpost
