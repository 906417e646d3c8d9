#include "net/frames.h"

#include "base/check.h"
#include "base/text.h"
#include "net/give_back.h"

namespace townpost {

namespace {

constexpr std::size_t kHead = 4;
constexpr std::size_t kSmall = 64u << 10;  // what an idle reader may keep

}  // namespace

std::array<char, 4> frame_head(std::size_t length) {
  CHECK(length > 0 && length <= kLongestFrame);
  std::array<char, kHead> head{};
  for (std::size_t i = 0; i < kHead; ++i) head[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return head;
}

Result<std::optional<std::string>> FrameReader::next() {
  const auto rest = std::string_view(unread_).substr(taken_);
  if (rest.size() < kHead) {
    unread_.erase(0, taken_);
    taken_ = 0;
    if (unread_.empty() && unread_.capacity() > kSmall) give_back(unread_);
    return std::nullopt;
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < kHead; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(rest[i])) << (8 * i);
  if (length == 0) return fail(Code::refused, "an empty frame came in");
  if (length > kLongestFrame) return fail(Code::refused, cat("a frame over ", kLongestFrame >> 20, " MiB came in"));
  if (rest.size() < kHead + length) {
    unread_.erase(0, taken_);
    taken_ = 0;
    return std::nullopt;
  }
  std::string frame(rest.substr(kHead, length));
  taken_ += kHead + length;
  return frame;
}

}  // namespace townpost
