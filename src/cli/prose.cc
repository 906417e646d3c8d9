#include "cli/prose.h"

#include <algorithm>
#include <vector>

#include "base/display_width.h"
#include "base/text.h"

namespace townpost {

namespace {

bool ends_clause(std::string_view word) {
  return word.ends_with(';') || word.ends_with(',') || word.ends_with(':') || word.ends_with(')') ||
         word.ends_with('?');
}

/// Words, and commands as if they were one: from "gt" to the end of the clause.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> out;
  bool in_command = false;
  for (const auto word : split(text, ' ')) {
    if (in_command && word != "·")
      out.back() += cat(" ", word);
    else
      out.emplace_back(word);
    if (word == "·") in_command = false;
    if (word == "gt" || word == "(gt") in_command = true;
    if (ends_clause(word)) in_command = false;
  }
  return out;
}

}  // namespace

Shown prose(std::string_view text, const Screen& screen, std::size_t indent) {
  const auto whole = for_terminal_line(text);
  if (screen.width == 0 || display_width(whole) <= screen.width) return Shown::line(whole);
  const auto begin = std::min(whole.find_first_not_of(' '), whole.size());
  Shown out;
  std::string line = whole.substr(0, begin);
  bool is_new = true;  // nothing stands in the line yet but what is before it
  for (const auto& piece : pieces_of(std::string_view(whole).substr(begin))) {
    if (!is_new && display_width(line) + 1 + display_width(piece) > screen.width) {
      out += Shown::line(line);
      line = std::string(indent, ' ');
      is_new = true;
    }
    line += is_new ? piece : cat(" ", piece);
    is_new = false;
  }
  return out += Shown::line(line);
}

}  // namespace townpost
