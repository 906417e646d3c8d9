// A server's stream of events, in an HTTP answer: input is "CUT LIMIT\n" and what the server sends.
#include <string>

#include "delivery/opencode/opencode_events.h"
#include "fuzz/fuzz.h"
#include "net/event_stream_parser.h"
#include "net/response_reader.h"

using namespace townpost;

namespace {

struct Read {
  std::vector<ServerEvent> events;
  std::size_t dropped = 0;
  friend bool operator==(const Read&, const Read&) = default;
};

Read read_events(std::string_view text, std::size_t cut, std::size_t limit) {
  EventStreamParser parser(limit);
  Read read;
  for (; !text.empty(); text.remove_prefix(std::min(cut, text.size())))
    for (auto& event : parser.feed(text.substr(0, cut))) read.events.push_back(std::move(event));
  read.dropped = parser.dropped();
  return read;
}

/// The body as far as it came, and whether all of it did.
std::pair<std::string, bool> read_answer(std::string_view text, std::size_t cut) {
  ResponseReader reader(ResponseReader::Body::endless);
  std::string body;
  for (; !text.empty() && !reader.is_whole(); text.remove_prefix(std::min(cut, text.size()))) {
    if (const auto fed = reader.feed(text.substr(0, cut)); !fed) {
      fuzz::check_error(fed.error());
      return {"", false};
    }
    body += reader.take_body();
  }
  const auto ended = reader.end_of_input();
  if (!ended) fuzz::check_error(ended.error());
  if (reader.head_is_there()) CHECK(reader.status() >= 0 && reader.status() <= 999);
  return {body, ended.has_value()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = fuzz::as_text(data, size);
  auto first = fuzz::take(text, '\n');
  const auto cut = fuzz::as_size(fuzz::take(first, ' '));
  const auto limit = fuzz::as_size(first);

  const auto whole = read_events(text, text.size() + 1, limit);
  CHECK(whole == read_events(text, cut, limit));
  for (const auto& event : whole.events) {
    CHECK(event.data.size() <= limit);
    CHECK(event.type.find_first_of("\r\n") == std::string::npos && event.data.find('\r') == std::string::npos);
    opencode_event(event.data);
  }
  opencode_event(text);

  const auto answer = read_answer(text, text.size() + 1);
  if (answer.second) CHECK(answer == read_answer(text, cut));
  return 0;
}
