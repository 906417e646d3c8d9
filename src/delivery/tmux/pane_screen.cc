#include "delivery/tmux/pane_screen.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"
#include "delivery/tmux/input_area.h"
#include "delivery/tmux/styled_text.h"

namespace townpost {

namespace {

using Lines = std::vector<StyledLine>;

bool holds(std::string_view line, std::string_view words) {
  return lower_ascii(line).find(lower_ascii(words)) != std::string::npos;
}

/// The first character of `line` as text; empty if there is none.
std::string_view first_character(std::string_view line) {
  return line.empty() ? line : line.substr(0, first_step(line).bytes);
}

bool is_busy_line(std::string_view line, const HarnessProfile::BusyLine& mark) {
  if (!mark.begins.empty()) {
    const auto first = first_character(line);
    if (first.empty() || first == " " || mark.begins.find(first) == std::string_view::npos) return false;
  }
  return holds(line, mark.holds);
}

bool is_busy(const Lines& lines, const std::optional<InputArea>& input, const HarnessProfile& profile) {
  const std::size_t above = input ? input->begin : lines.size();
  const std::size_t below = input ? input->end : 0;  // without an input line everything counts as both
  return std::any_of(profile.busy.begin(), profile.busy.end(), [&](const auto& mark) {
    const bool is_above = mark.where == HarnessProfile::BusyLine::Where::above;
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(is_above ? 0 : below);
    const auto last = is_above ? lines.begin() + static_cast<std::ptrdiff_t>(above) : lines.end();
    return std::any_of(first, last, [&](const StyledLine& line) { return is_busy_line(line.text, mark); });
  });
}

/// Takes spaces and the sides of boxes off the beginning.
std::string_view inside_box(std::string_view line) {
  for (;;) {
    const auto first = first_character(line);
    if (first != " " && first != "│" && first != "┃" && first != "|") return line;
    line.remove_prefix(first.size());
  }
}

/// "1. Yes", "2) No"
bool is_option(std::string_view text) {
  const auto digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && digits <= 2 &&
         (text[digits] == '.' || text[digits] == ')') && digits + 1 < text.size() && text[digits + 1] == ' ';
}

/// The option that an arrow or dot points at.
bool is_chosen_option(std::string_view line) {
  line = inside_box(line);
  const auto pointer = first_character(line);
  if (pointer.empty() || std::string_view("❯›▶➤→●◉>").find(pointer) == std::string_view::npos) return false;
  return is_option(trim(line.substr(pointer.size())));
}

/// Whether an arrow or dot points at this line.
bool is_pointed_at(std::string_view line) {
  line = inside_box(line);
  const auto pointer = first_character(line);
  return !pointer.empty() && std::string_view("❯›▶➤→●◉>").find(pointer) != std::string_view::npos &&
         !trim(line.substr(pointer.size())).empty();
}

/// Frames, arrows and signs say nothing; their first byte is 0xE2 in UTF-8.
bool has_letter(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (byte >= 0xC3 && byte != 0xE2);
  });
}

/// Whether the lines [from, to) hold a list of numbered options, one of them pointed at.
bool holds_selection(const Lines& lines, std::size_t from, std::size_t to) {
  constexpr std::size_t kNear = 4;  // an option may take several lines
  for (std::size_t i = from; i < to; ++i) {
    if (!is_chosen_option(lines[i].text)) continue;
    for (std::size_t k = i > from + kNear ? i - kNear : from; k < std::min(i + kNear + 1, to); ++k)
      if (k != i && is_option(inside_box(lines[k].text))) return true;
  }
  return false;
}

/// Whether the lines say how a dialog is answered.
bool holds_dialog_hint(const Lines& lines, std::size_t from, std::size_t to) {
  static constexpr std::string_view kHints[] = {"esc to cancel",
                                                "enter to confirm",
                                                "enter to select",
                                                "enter to continue",
                                                "to navigate",
                                                "esc to go back",
                                                "do you want to",
                                                "enter to submit",
                                                "permission required",
                                                "enter confirm",
                                                "esc dismiss",
                                                "enter submit",
                                                "(esc)",
                                                "(y/n)",
                                                "enter to set",
                                                "allow execution of"};
  return std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(from), lines.begin() + static_cast<std::ptrdiff_t>(to),
                     [](const StyledLine& line) {
                       return std::any_of(std::begin(kHints), std::end(kHints),
                                          [&](std::string_view hint) { return holds(line.text, hint); });
                     });
}

/// Whether something stands in the place of an input line that is drawn between rules: a list, a panel, another view.
bool is_covered(const Lines& lines, const HarnessProfile& profile) {
  return profile.input == HarnessProfile::Input::ruled &&
         std::any_of(lines.begin(), lines.end(), [](const StyledLine& line) { return is_rule(line.text); });
}

bool is_dialog(const Lines& lines, const std::optional<InputArea>& input, const HarnessProfile& profile) {
  const auto both = [&](std::size_t from, std::size_t to) {
    return holds_selection(lines, from, to) && holds_dialog_hint(lines, from, to);
  };
  if (!input)
    return holds_selection(lines, 0, lines.size()) || holds_dialog_hint(lines, 0, lines.size()) ||
           is_covered(lines, profile);
  // With an input line at hand, one sign alone may be an agent's own words or a draft that is a list.
  constexpr std::size_t kHighestDialog = 25;
  const std::size_t above = input->begin > kHighestDialog ? input->begin - kHighestDialog : 0;
  return both(above, lines.size()) || holds_selection(lines, input->end, lines.size());
}

/// For programs of which nothing is known: Enter would answer this one too.
bool is_dialog_at_the_end(const Lines& lines) {
  constexpr std::size_t kLowest = 15;
  const std::size_t from = lines.size() > kLowest ? lines.size() - kLowest : 0;
  return holds_selection(lines, from, lines.size()) && holds_dialog_hint(lines, from, lines.size());
}

/// A line of what a dialog asks: the lowest question above what may be chosen, else the first line of the dialog, which
/// begins below a rule or an empty screen.
std::string asked_by(const Lines& lines) {
  constexpr std::size_t kHighest = 25;
  constexpr std::size_t kLongest = 120;
  const auto words = [&](std::size_t i) {
    auto line = trim(inside_box(lines[i].text));
    for (const std::string_view side : {"│", "┃"})
      if (line.ends_with(side)) line = trim(line.substr(0, line.size() - side.size()));
    return line;
  };
  const auto is_said = [&](std::size_t i) {
    const auto line = words(i);
    return !line.empty() && !is_rule(lines[i].text) && has_letter(line);
  };
  std::size_t chosen = lines.size();
  for (std::size_t i = lines.size(); i-- > 0 && chosen == lines.size();)
    if (is_pointed_at(lines[i].text)) chosen = i;
  const std::size_t from = chosen > kHighest ? chosen - kHighest : 0;
  std::size_t top = from;
  for (std::size_t i = from; i < chosen; ++i)
    if (is_rule(lines[i].text)) top = i;
  std::optional<std::size_t> first, question;
  for (std::size_t i = top; i < chosen; ++i) {
    if (!is_said(i)) continue;
    if (!first) first = i;
    if (words(i).ends_with('?') || words(i).find("? ") != std::string_view::npos) question = i;
  }
  if (question) return shorten(words(*question).substr(0, words(*question).rfind('?') + 1), kLongest);
  return first ? shorten(words(*first), kLongest) : std::string();
}

std::string text_of(const Lines& lines, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += lines[i].text + "\n";
  return text;
}

}  // namespace

PaneScreen read_screen(std::string_view capture, const HarnessProfile& profile) {
  Lines lines = styled_lines(capture);
  while (!lines.empty() && lines.back().text.empty()) lines.pop_back();
  PaneScreen screen;
  if (profile.input == HarnessProfile::Input::unknown) {
    screen.prompt = true;
    screen.dialog = is_dialog_at_the_end(lines);
    if (screen.dialog) screen.asks = asked_by(lines);
    screen.body = text_of(lines, 0, lines.size());
    return screen;
  }
  const auto input = find_input(lines, profile);
  screen.prompt = input.has_value();
  screen.busy = is_busy(lines, input, profile);
  screen.dialog = is_dialog(lines, input, profile);
  if (screen.dialog) screen.asks = asked_by(lines);
  if (input) screen.draft = draft_of(*input, profile);
  screen.body = text_of(lines, 0, input ? input->body_end : lines.size());
  return screen;
}

std::string squeezed(std::string_view text) {
  std::string out;
  for_each_character(text, [&](char32_t point, std::string_view bytes) {
    if (point != U' ' && point != U'\n' && point != U'\t' && point != U'\r' && point != 0xA0) out += bytes;
  });
  return out;
}

bool is_folded_paste(std::string_view draft) {
  return draft.starts_with("[Pasted ") && draft.find(']') == draft.size() - 1;
}

}  // namespace townpost
