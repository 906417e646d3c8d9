#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace townpost {

/// A TOML file as a flat map "section.key" → value with its line, so that errors can name the place.
class TomlFile {
 public:
  using Value = std::variant<bool, std::int64_t, std::string>;
  struct Entry {
    Value value;
    int line = 0;
  };

  /// Error: usage, "line 3: …". Values other than booleans, integers and strings are refused by name.
  static Result<TomlFile> parse(std::string_view text);

  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry> entries_;
};

}  // namespace townpost
