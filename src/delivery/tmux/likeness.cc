#include "delivery/tmux/likeness.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace townpost {

namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool is_in(const Range (&ranges)[N], char32_t point) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return point >= range.first && point <= range.last; });
}

bool is_space(char32_t point) { return point == U' ' || point == U'\n' || point == U'\t' || point == U'\r'; }

/// Letters that normalisation leaves alone, and of which every terminal knows how wide they are.
bool is_shown_as_it_is(char32_t point) {
  static constexpr Range kLetters[] = {{0xC0, 0x17F},    {0x388, 0x3FF},   {0x400, 0x481},   {0x48A, 0x52F},
                                       {0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},
                                       {0xAC00, 0xD7A3}, {0xFF01, 0xFF5E}};
  return point < 0x80 || is_in(kLetters, point);
}

}  // namespace

bool is_invisible(char32_t point) {
  static constexpr Range kInvisible[] = {{0xA0, 0xA0},     {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},
                                         {0x115F, 0x1160}, {0x1680, 0x1680},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
                                         {0x2000, 0x200F}, {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},
                                         {0x3164, 0x3164}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
                                         {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
  return is_in(kInvisible, point);
}

bool is_combining(char32_t point) {
  static constexpr Range kCombining[] = {
      {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x5BF, 0x5C7},   {0x610, 0x61A},     {0x64B, 0x65F},
      {0x670, 0x670},   {0x6D6, 0x6DC},   {0x6DF, 0x6ED},   {0x93C, 0x93C},   {0x9BC, 0x9BC},     {0xA3C, 0xA3C},
      {0xB3C, 0xB3C},   {0xF71, 0xF84},   {0xF90, 0xFBC},   {0x1160, 0x11FF}, {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},
      {0x20D0, 0x20FF}, {0x3099, 0x309A}, {0xD7B0, 0xD7FF}, {0xFE20, 0xFE2F}, {0x1D165, 0x1D172}, {0x1F3FB, 0x1F3FF}};
  return is_in(kCombining, point);
}

char32_t canonical(char32_t point) {
  switch (point) {
    case 0x212A:  // the sign of the kelvin
      return U'K';
    case 0x37E:  // the Greek question mark
      return U';';
    case 0x1FEF:  // the Greek varia
      return U'`';
    default:
      return point;
  }
}

std::u32string visible_points(std::string_view text) {
  std::u32string points;
  for_each_character(text, [&](char32_t point, std::string_view) {
    if (!is_space(point) && !is_invisible(point) && !is_combining(point)) points += canonical(point);
  });
  return points;
}

Likeness::Likeness(std::string_view typed) : points_(visible_points(typed)) {
  marks_.reserve(points_.size());
  for_each_character(typed, [&](char32_t point, std::string_view) {
    if (is_combining(point)) {
      // é is one character or two; and where the accent is left out, an e.
      if (!marks_.empty()) marks_.back().loose = true;
    } else if (!is_space(point) && !is_invisible(point)) {
      marks_.push_back({.point = canonical(point), .loose = !is_shown_as_it_is(point)});
    }
  });
}

std::size_t Likeness::loose() const {
  return static_cast<std::size_t>(std::count_if(marks_.begin(), marks_.end(), [](auto& mark) { return mark.loose; }));
}

bool Likeness::matches(const Mark& mark, char32_t shown) {
  return shown == mark.point || (mark.loose && shown >= 0x80);
}

// Follows every way in which the marks may stand in `shown` at once: at[i] means that all before marks_[i] are used up.
bool Likeness::runs(const std::u32string& shown, From from, To to, Whole whole) const {
  std::vector<char> at(marks_.size() + 1, whole == Whole::no ? 1 : 0);
  at[0] = true;
  std::vector<char> next(at.size());
  const auto pass_over_loose = [&](std::vector<char>& places) {
    for (std::size_t i = 0; i < marks_.size(); ++i)
      if (places[i] && marks_[i].loose) places[i + 1] = true;
  };
  pass_over_loose(at);
  for (const char32_t point : shown) {
    if (to == To::anywhere && at.back()) return true;
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t i = 0; i < marks_.size(); ++i)
      if (at[i] && matches(marks_[i], point)) next[i + 1] = true;
    if (from == From::anywhere) next[0] = true;
    pass_over_loose(next);
    at.swap(next);
  }
  return whole == Whole::yes ? at.back() : std::any_of(at.begin(), at.end(), [](char alive) { return alive; });
}

bool Likeness::is_all(std::string_view shown) const {
  const auto points = visible_points(shown);
  if (holds_only_loose()) return points == points_;
  return runs(points, From::start, To::end, Whole::yes);
}

bool Likeness::is_part(std::string_view shown) const {
  const auto points = visible_points(shown);
  return !points.empty() && runs(points, From::start, To::end, Whole::no);
}

bool Likeness::is_within(std::string_view shown) const {
  const auto points = visible_points(shown);
  if (holds_only_loose()) return points.find(points_) != std::u32string::npos;
  return runs(points, From::anywhere, To::anywhere, Whole::yes);
}

bool Likeness::is_end(std::string_view shown) const {
  const auto points = visible_points(shown);
  if (holds_only_loose()) return std::u32string_view(points).ends_with(points_);
  return runs(points, From::anywhere, To::end, Whole::yes);
}

}  // namespace townpost
