#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace townpost {

/// Which moment a person means who leaves a part of it out.
enum class Toward {
  future,  ///< a time of day: the next one; a date: its end
  past,    ///< a time of day: the last one; a date: its beginning
};

/// Reads a moment as people write it: "16:00", "2026-12-01", "2026-12-01 16:00", or RFC 3339. What names no offset is
/// in this machine's time zone. Nothing if it is none of these.
std::optional<Instant> parse_moment(std::string_view text, Instant now, Toward toward);

/// When something happened, for a line of a log, in this machine's time zone: "14:02:11"; of another day with its date,
/// "18 Nov 14:02"; of another year "2025-11-18".
std::string local_clock(Instant at, Instant now);
/// A moment for people, in this machine's time zone: "today 14:02", "yesterday 14:02", "18 Nov 14:02"; of another year
/// "2025-11-18 14:02". "never" for kForever.
std::string local_moment(Instant at, Instant now);
/// The same in a history, where steps follow each other within a second: "14:02:11.250" today, else "18 Nov
/// 14:02:11.250".
std::string local_step(Instant at, Instant now);
/// The same for a text that is kept and read on another day: "2025-11-18 14:02".
std::string local_date_and_time(Instant at);
/// A text of ours for people: each instant in it that rfc3339() wrote as local_moment() says it.
std::string with_local_moments(std::string_view text, Instant now);

}  // namespace townpost
