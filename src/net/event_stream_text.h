#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/event_stream_parser.h"

namespace townpost {

/// The event as text/event-stream. Every end of a line in its data (LF, CR LF, CR) arrives as LF; without an id the
/// reader keeps the last one. Error: usage, if its type or id is more than one line, or the id holds a NUL.
Result<std::string> event_stream_text(const ServerEvent& event);

/// What every reader passes over: sent now and then, it shows that the stream lives.
std::string_view event_stream_heartbeat();

}  // namespace townpost
