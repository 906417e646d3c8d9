#include "ops/table.h"

#include <algorithm>
#include <array>

namespace townpost {

namespace {

struct Row {
  std::string_view name;
  const Op& (*op)();
  std::string_view also;
  std::string_view instead;
};

#define TOWNPOST_ROW(name, row, also, instead) Row{name, ops::row, also, instead},
constexpr std::array kRows = {TOWNPOST_OPERATIONS(TOWNPOST_ROW)};
#undef TOWNPOST_ROW

constexpr std::size_t words_in(std::string_view words) {
  return words.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(words.begin(), words.end(), ' '));
}

constexpr std::size_t sum(std::string_view Row::*column) {
  std::size_t out = 0;
  for (const auto& row : kRows) out += words_in(row.*column);
  return out;
}

/// Takes the first of the words away: its name, and what stands behind its `=`.
constexpr std::pair<std::string_view, std::string_view> take_word(std::string_view& words) {
  const auto space = std::min(words.find(' '), words.size());
  const auto word = words.substr(0, space);
  words.remove_prefix(std::min(space + 1, words.size()));
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) return {word, {}};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

// Made by the compiler: a start pays for none of it.
constexpr auto kTable = [] {
  std::array<OpEntry, kRows.size() + sum(&Row::also)> out{};
  std::size_t at = 0;
  for (const auto& row : kRows) {
    out[at++] = {row.name, row.op};
    for (auto words = row.also; !words.empty();) {
      const auto [name, lead] = take_word(words);
      out[at++] = {name, row.op, lead};
    }
  }
  return out;
}();

constexpr auto kHints = [] {
  std::array<OpHint, sum(&Row::instead)> out{};
  std::size_t at = 0;
  for (const auto& row : kRows)
    for (auto words = row.instead; !words.empty();) {
      const auto [name, args] = take_word(words);
      out[at++] = {name, row.op, args};
    }
  return out;
}();

}  // namespace

std::span<const OpEntry> op_table() { return kTable; }

std::span<const OpHint> op_hints() { return kHints; }

}  // namespace townpost
