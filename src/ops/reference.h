#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace townpost {

/// A message or a nudge as people write it who do not copy its id: by its place in the list they look at ("2", "#2",
/// "1-3", "1,4", "last", "3-last"), or by the first or last characters of its id ("hq-m-6x", "6XWG9").
struct Reference {
  /// Places from `first` to `last`; 0 is the last of the list.
  struct Places {
    std::int64_t first = 0;
    std::int64_t last = 0;
    friend bool operator==(const Places&, const Places&) = default;
  };
  std::vector<Places> places;  ///< if it is that
  std::string digits;          ///< else: of the id behind its prefix, in lower case

  /// Nothing if it is neither.
  static std::optional<Reference> parse(std::string_view text);
  friend bool operator==(const Reference&, const Reference&) = default;
};

}  // namespace townpost
