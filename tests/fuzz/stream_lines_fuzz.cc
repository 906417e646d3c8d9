// The output of an agent that speaks JSON lines: input is "CUT LIMIT\n" and the bytes that it prints; they are also
// what it is told.
#include <string>

#include "base/json.h"
#include "delivery/stream/stream_lines.h"
#include "fuzz/fuzz.h"

using namespace townpost;

namespace {

std::string read_events(StreamDialect dialect, std::string_view text, std::size_t cut, std::size_t limit) {
  StreamLines lines(dialect, limit);
  std::string all;
  for (; !text.empty(); text.remove_prefix(std::min(cut, text.size())))
    for (const auto& event : lines.feed(text.substr(0, cut)))
      all += cat(static_cast<int>(event.kind), " ", event.session, " ", event.detail, "\n");
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = fuzz::as_text(data, size);
  auto first = fuzz::take(text, '\n');
  const auto cut = fuzz::as_size(fuzz::take(first, ' '));
  const auto limit = fuzz::as_size(first);
  for (const auto dialect : {StreamDialect::claude, StreamDialect::lines}) {
    const auto whole = read_events(dialect, text, text.size() + 1, limit);
    CHECK(whole == read_events(dialect, text, cut, limit));

    const auto line = stream_message(dialect, {.text = std::string(text), .ids = {std::string(first)}});
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(is_utf8(line));
    const auto told = parse_json(line);
    CHECK(told.has_value());
    CHECK(stream_event(dialect, line).has_value() == (dialect == StreamDialect::claude));
  }
  return 0;
}
