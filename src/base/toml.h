#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace townpost {

/// A TOML file as a flat map "section.key" → value with its line, so that errors can name the place.
class TomlFile {
 public:
  using Words = std::vector<std::string>;
  using Value = std::variant<bool, std::int64_t, std::string, Words>;
  /// A boolean, number or text as it is written; empty for a list.
  static std::string words(const Value& value);
  struct Entry {
    Value value;
    int line = 0;
  };

  /// What to do with values other than booleans, integers, strings and lists of strings: the file is refused and they
  /// are named, or they are listed in others() for whoever reads that part of the file.
  enum class Others { refused, listed };

  /// Error: usage, "line 3: …".
  static Result<TomlFile> parse(std::string_view text, Others others = Others::refused);

  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// The tables, "section.inner" → line, with those that hold nothing.
  const std::map<std::string, int>& tables() const { return tables_; }
  /// "section.key" → line of the values of other kinds.
  const std::map<std::string, int>& others() const { return others_; }

 private:
  std::map<std::string, Entry> entries_;
  std::map<std::string, int> tables_;
  std::map<std::string, int> others_;
};

}  // namespace townpost
