#include "delivery/tmux/input_area.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "delivery/tmux/pane_screen.h"

namespace townpost {

namespace {

using Lines = std::vector<StyledLine>;

std::size_t leading_spaces(std::string_view text) { return std::min(text.find_first_not_of(' '), text.size()); }

StyledLine without_indent(const StyledLine& line, std::size_t most) {
  return line.from(std::min(most, leading_spaces(line.text)));
}

/// What follows the prompt and the space behind it.
StyledLine behind_prompt(const StyledLine& line, std::string_view prompt) {
  return without_indent(line.from(prompt.size()), 1);
}

std::optional<InputArea> find_ruled(const Lines& lines, const HarnessProfile& profile) {
  // The lowest pair counts: the conversation above may quote another.
  for (std::size_t below = lines.size(); below-- > 2;) {
    if (!is_rule(lines[below].text)) continue;
    std::size_t above = below - 1;
    while (above > 0 && !is_rule(lines[above].text)) --above;
    const StyledLine& first = lines[above + 1];
    const bool prompt = is_prompt_line(first.text, profile.prompt);
    if (!is_rule(lines[above].text) || (!prompt && !is_prompt_line(first.text, profile.other_prompt)))
      return std::nullopt;
    // The line above the upper rule holds passing hints of the harness, not the conversation.
    InputArea area{.body_end = above > 0 ? above - 1 : 0, .begin = above, .end = below + 1, .content = {}};
    area.content.push_back(prompt ? behind_prompt(first, profile.prompt) : first);  // the mark itself is a draft
    for (std::size_t i = above + 2; i < below; ++i) area.content.push_back(without_indent(lines[i], 2));
    return area;
  }
  return std::nullopt;
}

/// Without the indent and the side of a box around the whole input.
StyledLine inside_frame(const StyledLine& line) {
  constexpr std::string_view kSide = "│";
  StyledLine inner = without_indent(line, 1);
  if (!inner.text.starts_with(kSide)) return inner;
  inner = without_indent(inner.from(kSide.size()), 1);
  if (!inner.text.ends_with(kSide)) return inner;
  const auto last = inner.text.find_last_not_of(' ', inner.text.size() - kSide.size() - 1);
  inner.text.resize(last == std::string::npos ? 0 : last + 1);
  inner.style.resize(inner.text.size());
  return inner;
}

std::optional<InputArea> find_open(const Lines& lines, std::string_view prompt) {
  for (std::size_t i = lines.size(); i-- > 0;) {
    const auto first = inside_frame(lines[i]);
    if (!is_prompt_line(first.text, prompt)) continue;
    InputArea area{.body_end = i, .begin = i, .end = i + 1, .content = {behind_prompt(first, prompt)}};
    while (area.end < lines.size()) {
      const auto next = inside_frame(lines[area.end]);
      if (next.text.empty() || next.text.starts_with("╰")) break;
      area.content.push_back(without_indent(next, 2));
      ++area.end;
    }
    return area;
  }
  return std::nullopt;
}

std::optional<InputArea> find_boxed(const Lines& lines, std::string_view bar) {
  const auto inner = [](const StyledLine& line) { return line.from(leading_spaces(line.text)); };
  for (std::size_t bottom = lines.size(); bottom-- > 0;) {
    if (!inner(lines[bottom]).text.starts_with("╹")) continue;
    std::size_t top = bottom;
    while (top > 0 && inner(lines[top - 1]).text.starts_with(bar)) --top;
    if (bottom - top < 2) return std::nullopt;
    InputArea area{.body_end = top, .begin = top, .end = bottom + 1, .content = {}};
    for (std::size_t i = top; i + 1 < bottom; ++i)  // the last one is the status line
      area.content.push_back(without_indent(inner(lines[i]).from(bar.size()), 2));
    const auto empty = [](const StyledLine& line) { return line.text.empty(); };
    area.content.erase(area.content.begin(), std::find_if_not(area.content.begin(), area.content.end(), empty));
    while (!area.content.empty() && area.content.back().text.empty()) area.content.pop_back();
    return area;
  }
  return std::nullopt;
}

/// Dimmed all over, but for the cell that the cursor stands on.
bool is_dimmed(const Lines& content) {
  bool any = false;
  for (const auto& line : content)
    for (std::size_t i = 0; i < line.text.size(); ++i) {
      if (line.text[i] == ' ' || (line.style[i] & StyledLine::kInverse) != 0) continue;
      if ((line.style[i] & StyledLine::kDim) == 0) return false;
      any = true;
    }
  return any;
}

}  // namespace

bool is_rule(std::string_view line) {
  if (!line.starts_with("───") && !line.starts_with("▔▔▔")) return false;
  std::size_t bars = 0;
  std::size_t all = 0;
  for_each_character(line, [&](char32_t, std::string_view bytes) {
    ++all;
    if (bytes == "─" || bytes == "▔") ++bars;
  });
  return bars * 2 > all;
}

bool is_prompt_line(std::string_view line, std::string_view prompt) {
  if (prompt.empty() || !line.starts_with(prompt)) return false;
  return line.size() == prompt.size() || line[prompt.size()] == ' ';
}

std::optional<InputArea> find_input(const Lines& lines, const HarnessProfile& profile) {
  switch (profile.input) {
    case HarnessProfile::Input::ruled:
      return find_ruled(lines, profile);
    case HarnessProfile::Input::open:
      return find_open(lines, profile.prompt);
    case HarnessProfile::Input::boxed:
      return find_boxed(lines, profile.prompt);
    case HarnessProfile::Input::unknown:
      break;
  }
  return std::nullopt;
}

std::string draft_of(const InputArea& input, const HarnessProfile& profile) {
  if (is_dimmed(input.content)) return "";
  std::vector<std::string> texts;
  for (const auto& line : input.content) texts.push_back(line.text);
  auto draft = join(texts, "\n");
  const auto is_hint = [&](std::string_view hint) { return trim(draft).starts_with(hint); };
  if (std::any_of(profile.placeholders.begin(), profile.placeholders.end(), is_hint)) return "";
  return draft;
}

}  // namespace townpost
