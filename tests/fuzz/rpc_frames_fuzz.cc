// Messages of JSON-RPC as another program sends them: input is "CUT LIMIT\n" and the bytes. Both framings read them,
// whole and in pieces; what is read is framed and read again. The bytes are also the data of an event that we send.
#include <string>

#include "base/json.h"
#include "fuzz/fuzz.h"
#include "net/event_stream_text.h"
#include "net/json_rpc.h"

using namespace townpost;

namespace {

struct Read {
  std::vector<std::string> messages;
  std::size_t dropped = 0;
  bool broken = false;
  bool inside = false;
  friend bool operator==(const Read&, const Read&) = default;
};

Read read_messages(RpcFraming framing, std::string_view text, std::size_t cut, std::size_t limit) {
  RpcReader reader(framing, limit);
  Read read;
  for (; !text.empty() && !read.broken; text.remove_prefix(std::min(cut, text.size()))) {
    auto got = reader.feed(text.substr(0, cut));
    if (!got) fuzz::check_error(got.error());
    if (!got) read.broken = true;
    if (got)
      for (auto& message : *got) read.messages.push_back(std::move(message));
  }
  // What was complete before it broke is given first; the error comes with the next bytes.
  if (!reader.feed("")) read.broken = true;
  read.dropped = reader.dropped();
  read.inside = !read.broken && reader.is_inside();
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = fuzz::as_text(data, size);
  auto first = fuzz::take(text, '\n');
  const auto cut = fuzz::as_size(fuzz::take(first, ' '));
  const auto limit = fuzz::as_size(first);
  for (const auto framing : {RpcFraming::lines, RpcFraming::length}) {
    const auto whole = read_messages(framing, text, text.size() + 1, limit);
    CHECK(whole == read_messages(framing, text, cut, limit));
    CHECK(framing == RpcFraming::length || !whole.broken);
    for (const auto& message : whole.messages) {
      CHECK(message.size() <= limit);
      CHECK(framing == RpcFraming::length || message.find('\n') == std::string::npos);
      const auto value = parse_json(message);
      if (!value) continue;
      const auto again = read_messages(framing, rpc_frame(framing, *value), cut, RpcReader::kLongest);
      CHECK(again.messages == std::vector{to_line(*value)} && !again.broken && !again.inside);
    }
  }

  const ServerEvent event{std::string(first), std::string(text), std::string(first)};
  const auto sent = event_stream_text(event);
  if (!sent) fuzz::check_error(sent.error());
  if (!sent) return 0;
  const auto got = EventStreamParser().feed(*sent);
  CHECK(got.size() == 1);
  CHECK(got[0].type == (event.type.empty() ? "message" : event.type) && got[0].id == event.id);
  if (text.find('\r') == std::string_view::npos) CHECK(got[0].data == event.data);
  return 0;
}
