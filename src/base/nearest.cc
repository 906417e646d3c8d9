#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace townpost {

namespace {

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for_each_character(text, [&points](char32_t point, std::string_view) { points.push_back(point); });
  return points;
}

// Three rows of the table suffice: an edit looks one row back, a swap of neighbours two.
std::size_t distance(const std::u32string& a, const std::u32string& b) {
  std::vector<std::size_t> two_back(b.size() + 1), one_back(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_back, one_back);
    std::swap(one_back, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = one_back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, one_back[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) { return distance(code_points(a), code_points(b)); }

std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& known, std::size_t most) {
  // Names people type are short. What is longer is no slip of the finger, and would cost its length squared.
  constexpr std::size_t kLongestName = 256;
  const std::u32string target = code_points(fold_case(first_bytes(wanted, 4 * kLongestName + 1)));
  if (target.empty() || target.size() > kLongestName) return {};
  const std::size_t allowed = std::max<std::size_t>(1, target.size() / 3);

  struct Candidate {
    std::size_t edits;
    const std::string* text;
  };
  std::vector<Candidate> candidates;
  for (const std::string& text : known) {
    const std::u32string points = code_points(fold_case(text));
    // Whoever typed only the beginning meant the whole, however long the rest is.
    if (target.size() >= 3 && points.size() > target.size() && points.starts_with(target)) {
      candidates.push_back({1, &text});
      continue;
    }
    const std::size_t longer = std::max(points.size(), target.size());
    if (longer - std::min(points.size(), target.size()) > allowed) continue;
    const std::size_t edits = distance(points, target);
    // As many edits as characters: nothing of what was typed is left.
    if (edits <= allowed && edits < longer) candidates.push_back({edits, &text});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.edits < b.edits; });
  std::vector<std::string> out;
  for (const Candidate& candidate : candidates) {
    if (out.size() == most) break;
    out.push_back(*candidate.text);
  }
  return out;
}

}  // namespace townpost
