#include "net/event_stream_parser.h"

#include <algorithm>
#include <utility>

namespace townpost {

std::vector<ServerEvent> EventStreamParser::feed(std::string_view bytes) {
  std::vector<ServerEvent> events;
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    const auto room = longest_ - line_.size();
    // What is kept of a line that is too long still tells it from the empty line that ends the event.
    over_ = over_ || end > room;
    line_.append(bytes.substr(0, std::min(end, room)));
    if (end < bytes.size()) {
      after_cr_ = bytes[end] == '\r';
      line_ended(events);
    }
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return events;
}

void EventStreamParser::line_ended(std::vector<ServerEvent>& events) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view line = line_;
  if (std::exchange(first_line_, false) && line.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    line.remove_prefix(kByteOrderMark.size());
  if (line.empty()) {
    dispatch(events);
  } else if (line.front() != ':' && !over_) {
    const auto colon = std::min(line.find(':'), line.size());
    auto value = line.substr(std::min(colon + 1, line.size()));
    if (value.substr(0, 1) == " ") value.remove_prefix(1);
    field(line.substr(0, colon), value);
  }
  line_.clear();
}

void EventStreamParser::field(std::string_view name, std::string_view value) {
  if (name == "event") {
    type_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) id_ = value;
  } else if (name == "data") {
    over_ = over_ || value.size() + 1 > longest_ - std::min(data_.size(), longest_);
    if (over_) return;
    if (has_data_) data_.push_back('\n');
    data_.append(value);
    has_data_ = true;
  }
}

void EventStreamParser::dispatch(std::vector<ServerEvent>& events) {
  if (over_)
    ++dropped_;
  else if (has_data_)
    events.push_back({type_.empty() ? "message" : type_, data_, id_});
  type_.clear();
  data_.clear();
  has_data_ = false;
  over_ = false;
}

}  // namespace townpost
