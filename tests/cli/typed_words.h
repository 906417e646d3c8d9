#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace townpost {

/// The words behind "gt", as a shell would hand them over; nothing if there is more to it than one command.
inline std::optional<std::vector<std::string>> typed_words(std::string_view typed) {
  std::vector<std::string> out;
  std::string word;
  bool begun = false;
  char quote = '\0';
  for (const char c : typed) {
    if (quote == '\0' && (c == '|' || c == '$')) return std::nullopt;
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
      begun = true;
    } else if (quote == '\0' && c == ' ') {
      if (begun) out.push_back(std::exchange(word, ""));
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) out.push_back(word);
  std::erase_if(out, [](const std::string& one) { return one.starts_with('<'); });
  if (out.empty() || out.front() != "gt") return std::nullopt;
  out.erase(out.begin());
  return out;
}

}  // namespace townpost
