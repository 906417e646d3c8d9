// Frames on the town's socket: input is "CUT\n" and the bytes of the other side. They are read whole and in pieces, and
// what was read is framed and read again.
#include <string>
#include <vector>

#include "fuzz/fuzz.h"
#include "net/frames.h"

using namespace townpost;

namespace {

struct Read {
  std::vector<std::string> frames;
  bool broken = false;
  bool inside = false;
  friend bool operator==(const Read&, const Read&) = default;
};

Read read_frames(std::string_view bytes, std::size_t cut) {
  FrameReader reader;
  Read read;
  for (; !bytes.empty() && !read.broken; bytes.remove_prefix(std::min(cut, bytes.size()))) {
    reader.feed(bytes.substr(0, cut));
    while (true) {
      auto frame = reader.next();
      if (!frame) {
        fuzz::check_error(frame.error());
        read.broken = true;
        break;
      }
      if (!*frame) break;
      read.frames.push_back(std::move(**frame));
    }
  }
  read.inside = !read.broken && reader.is_inside();
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = fuzz::as_text(data, size);
  const auto cut = fuzz::as_size(fuzz::take(bytes, '\n'));
  const auto whole = read_frames(bytes, bytes.size() + 1);
  CHECK(whole == read_frames(bytes, cut));
  std::string again;
  for (const auto& frame : whole.frames) {
    CHECK(!frame.empty() && frame.size() <= kLongestFrame);
    const auto head = frame_head(frame.size());
    again.append(head.data(), head.size()).append(frame);
  }
  CHECK(bytes.substr(0, again.size()) == again);
  CHECK(whole.inside == (!whole.broken && again.size() < bytes.size()));
  return 0;
}
