#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

// Messages between processes of one machine: the length in four bytes, the least first, then so many bytes. None is
// empty.

inline constexpr std::size_t kLongestFrame = 9u << 20;

/// The four bytes in front of a frame of that length.
std::array<char, 4> frame_head(std::size_t length);

/// Takes frames off the bytes of the other side, however they are cut. Memory follows what has come, not what is said
/// to come.
class FrameReader {
 public:
  void feed(std::string_view bytes) { unread_.append(bytes); }
  /// The next whole frame, or nothing. Error: refused, if it is empty or too long; there is no way on then.
  Result<std::optional<std::string>> next();
  /// Whether a frame has begun and is not complete: then the end of the connection cuts it off.
  bool is_inside() const { return held() > 0; }
  /// How many bytes of frames it has that were not taken yet.
  std::size_t held() const { return unread_.size() - taken_; }

 private:
  std::string unread_;
  std::size_t taken_ = 0;  ///< of it
};

}  // namespace townpost
