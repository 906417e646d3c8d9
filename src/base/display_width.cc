#include "base/display_width.h"

#include <algorithm>

#include "base/sight.h"
#include "base/text.h"
#include "base/utf8.h"

namespace townpost {

namespace {

constexpr char32_t kJoiner = 0x200D, kAsEmoji = 0xFE0F;

bool is_letter_of_flags(char32_t point) { return point >= 0x1F1E6 && point <= 0x1F1FF; }
bool is_skin(char32_t point) { return point >= 0x1F3FB && point <= 0x1F3FF; }

bool is_plain(char letter) { return letter >= ' ' && letter < 0x7F; }

std::size_t columns_of(CharacterWidth width) {
  switch (width) {
    case CharacterWidth::nothing:
      return 0;
    case CharacterWidth::one:
    case CharacterWidth::mark:
      return 1;
    case CharacterWidth::two:
      return 2;
  }
  return 0;
}

}  // namespace

Cluster first_cluster(std::string_view text) {
  const auto first = first_step(text);
  Cluster out{first.bytes, columns_of(width_of(first.point))};
  if (is_line_separator(first.point) || is_control(first.point)) return out;
  char32_t before = first.point;
  bool half_flag = is_letter_of_flags(first.point);
  while (out.bytes < text.size()) {
    const auto step = first_step(text.substr(out.bytes));
    const auto width = width_of(step.point);
    const bool ends_flag = half_flag && is_letter_of_flags(step.point);
    // What is joined to an emoji is drawn with it, in its place.
    const bool joined = before == kJoiner && width == CharacterWidth::two && out.width == 2;
    const bool stands_on_it = width == CharacterWidth::nothing && !is_control(step.point);
    if (!ends_flag && !joined && !stands_on_it && width != CharacterWidth::mark &&
        !(is_skin(step.point) && out.width == 2))
      break;
    if (ends_flag || step.point == kAsEmoji) out.width = 2;
    if (width == CharacterWidth::mark) ++out.width;
    half_flag = false;
    before = step.point;
    out.bytes += step.bytes;
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    // Most text is plain; the last plain letter may carry an accent.
    const auto plain = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    const auto alone = plain == text.size() ? plain : plain - std::min<std::size_t>(plain, 1);
    width += alone;
    text.remove_prefix(alone);
    if (text.empty()) break;
    const auto cluster = first_cluster(text);
    width += cluster.width;
    text.remove_prefix(cluster.bytes);
  }
  return width;
}

namespace {

/// What stands before a cut. A joiner with nothing behind it to join would be shown as an escape.
std::string_view without_loose_end(std::string_view kept) {
  while (kept.ends_with(' ')) kept.remove_suffix(1);
  for (const std::string_view joiner : {"\u200C", "\u200D"})
    while (kept.ends_with(joiner)) kept.remove_suffix(joiner.size());
  return kept;
}

}  // namespace

std::string fit_into(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t bytes = 0;
  for (std::size_t used = 0;;) {
    const auto next = first_cluster(text.substr(bytes));
    if (used + next.width > width - 1) break;
    used += next.width;
    bytes += next.bytes;
  }
  return cat(without_loose_end(text.substr(0, bytes)), "…");
}

std::vector<std::string> folded(std::string_view text, std::size_t width) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t bytes = 0;
    std::size_t at_space = 0;
    for (std::size_t used = 0; bytes < text.size();) {
      const auto next = first_cluster(text.substr(bytes));
      if (text[bytes] == ' ') at_space = bytes;
      if (used + next.width > width && bytes > 0) break;  // even where nothing fits one is taken
      used += next.width;
      bytes += next.bytes;
    }
    if (bytes < text.size() && at_space > 0) bytes = at_space;
    out.emplace_back(without_loose_end(text.substr(0, bytes)));
    text.remove_prefix(bytes);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  if (out.empty()) out.emplace_back();
  return out;
}

std::string fit_end_into(std::string_view text, std::size_t width) {
  auto left = display_width(text);
  if (left <= width) return std::string(text);
  if (width == 0) return {};
  while (left > width - 1) {
    const auto cluster = first_cluster(text);
    left -= cluster.width;
    text.remove_prefix(cluster.bytes);
  }
  return cat("…", text);
}

bool has_right_to_left(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0xD6; })) return false;
  bool found = false;
  for_each_character(text, [&](char32_t point, std::string_view) {
    found = found || (point >= 0x590 && point <= 0x8FF) || (point >= 0xFB1D && point <= 0xFDFF) ||
            (point >= 0xFE70 && point <= 0xFEFC) || (point >= 0x10800 && point <= 0x10FFF) ||
            (point >= 0x1E800 && point <= 0x1EFFF);
  });
  return found;
}

}  // namespace townpost
