#include "net/event_stream_text.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

Result<std::string> event_stream_text(const ServerEvent& event) {
  constexpr std::string_view kEnds = "\r\n";
  if (event.type.find_first_of(kEnds) != std::string::npos)
    return fail(Code::usage, "the type of an event is one line");
  if (event.id.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
    return fail(Code::usage, "the id of an event is one line, without a NUL");
  std::string out;
  if (!event.type.empty() && event.type != "message") out += cat("event: ", event.type, "\n");
  if (!event.id.empty()) out += cat("id: ", event.id, "\n");
  for (std::string_view rest = event.data;;) {
    const auto end = std::min(rest.find_first_of(kEnds), rest.size());
    out += cat("data: ", rest.substr(0, end), "\n");
    if (end == rest.size()) break;
    rest.remove_prefix(end + (rest.substr(end, 2) == kEnds ? 2 : 1));
  }
  out += '\n';
  return out;
}

std::string_view event_stream_heartbeat() { return ":\n\n"; }

}  // namespace townpost
