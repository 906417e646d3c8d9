#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace townpost {

/// One event of a stream of server-sent events.
struct ServerEvent {
  std::string type = "message";
  std::string data;  ///< its lines, joined by newlines
  std::string id;    ///< the last one that the stream has named

  friend bool operator==(const ServerEvent&, const ServerEvent&) = default;
};

/// Reads text/event-stream as it arrives, however it is cut into pieces. Comments, unknown fields and events without
/// data are passed over; an event with a line or data over `longest` is dropped whole and counted.
class EventStreamParser {
 public:
  static constexpr std::size_t kLongest = 8u << 20;
  explicit EventStreamParser(std::size_t longest = kLongest) : longest_(longest) {}

  /// The events that these bytes complete.
  std::vector<ServerEvent> feed(std::string_view bytes);
  std::size_t dropped() const { return dropped_; }

 private:
  void line_ended(std::vector<ServerEvent>& events);
  void field(std::string_view name, std::string_view value);
  void dispatch(std::vector<ServerEvent>& events);

  std::size_t longest_;
  std::string line_;
  std::string type_;
  std::string data_;
  std::string id_;
  bool has_data_ = false;
  bool over_ = false;       ///< this event is too long: nothing of it counts
  bool after_cr_ = false;   ///< the last byte was CR, so that a LF now ends no second line
  bool first_line_ = true;  ///< a byte order mark may stand here
  std::size_t dropped_ = 0;
};

}  // namespace townpost
