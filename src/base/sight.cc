#include "base/sight.h"

#include <algorithm>
#include <iterator>

namespace townpost {

namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool is_in(const Range (&ranges)[N], char32_t point) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [point](const Range& range) { return point >= range.first && point <= range.last; });
}

constexpr char32_t kNonJoiner = 0x200C, kJoiner = 0x200D, kAsText = 0xFE0E, kAsEmoji = 0xFE0F, kKeycap = 0x20E3;

bool is_pictograph(char32_t point) {
  // Without the brackets and quotation marks among them.
  static constexpr Range kPictographs[] = {{0xA9, 0xA9},     {0xAE, 0xAE},     {0x203C, 0x203C}, {0x2049, 0x2049},
                                           {0x2122, 0x2122}, {0x2139, 0x2139}, {0x2190, 0x21FF}, {0x2300, 0x2328},
                                           {0x232B, 0x23FF}, {0x2460, 0x24FF}, {0x25A0, 0x275A}, {0x2763, 0x2767},
                                           {0x2776, 0x27BF}, {0x2900, 0x297F}, {0x2B00, 0x2BFF}, {0x3030, 0x3030},
                                           {0x303D, 0x303D}, {0x3297, 0x3297}, {0x3299, 0x3299}, {0x1F000, 0x1FAFF}};
  return is_in(kPictographs, point);
}

/// Letters and marks of scripts in which a joiner changes how a word is written.
bool is_of_joining_script(char32_t point) {
  static constexpr Range kScripts[] = {{0x600, 0xDFF},   {0x1000, 0x109F}, {0x1780, 0x17FF},   {0x1800, 0x18AF},
                                       {0x1B00, 0x1B7F}, {0xA840, 0xA87F}, {0xA8E0, 0xA9DF},   {0xFB50, 0xFDCF},
                                       {0xFDF0, 0xFDFF}, {0xFE70, 0xFEFC}, {0x11000, 0x11FFF}, {0x1E900, 0x1E95F}};
  return is_in(kScripts, point) && !is_hidden(point);
}

bool is_keycap_sign(char32_t point) { return point == U'#' || point == U'*' || (point >= U'0' && point <= U'9'); }

}  // namespace

bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7F && point <= 0x9F); }

bool is_line_separator(char32_t point) { return point == 0x2028 || point == 0x2029; }

bool is_hidden(char32_t point) {
  if (point < 0xAD) return false;
  static constexpr Range kHidden[] = {{0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},    {0x115F, 0x1160},
                                      {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},  {0x202A, 0x202E},
                                      {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFDD0, 0xFDEF},  {0xFE00, 0xFE0F},
                                      {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},  {0x13430, 0x1343F},
                                      {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
  return is_in(kHidden, point) || (point & 0xFFFE) == 0xFFFE;
}

bool shapes(char32_t before, char32_t point, char32_t after) {
  switch (point) {
    case kJoiner:
      if ((is_pictograph(before) || before == kAsEmoji) && is_pictograph(after)) return true;
      return is_of_joining_script(before) && is_of_joining_script(after);
    case kNonJoiner:
      return is_of_joining_script(before) && is_of_joining_script(after);
    case kAsEmoji:
      return is_pictograph(before) || (is_keycap_sign(before) && after == kKeycap);
    case kAsText:
      return is_pictograph(before);
    default:
      return false;
  }
}

}  // namespace townpost
