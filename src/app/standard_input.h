#pragma once
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace townpost {

/// Standard input, which can be read once: it remembers what came.
class StandardInput {
 public:
  /// All of it, the same each time. `slow` is called if nothing has come after a moment. Error: usage if it is more
  /// than `most` bytes.
  Result<std::string> read(std::size_t most, const std::function<void()>& slow = nullptr);
  /// Whether something comes within a moment, its end counts: then reading it does not wait in vain.
  bool speaks() const;
  bool was_read() const { return text_.has_value(); }
  const std::string& text() const { return *text_; }

 private:
  std::optional<std::string> text_;
};

}  // namespace townpost
