#include "base/local_time.h"

#include <cstdlib>
#include <ctime>

#include "base/text.h"

namespace townpost {

namespace {

/// A day may be one too many or too few for its month: it is carried over.
std::optional<Instant> instant_of(std::tm local) {
  local.tm_isdst = -1;
  local.tm_wday = -1;  // stays so if there is no such time
  const auto seconds = std::mktime(&local);
  if (local.tm_wday < 0) return std::nullopt;
  return Instant{static_cast<std::int64_t>(seconds) * 1000};
}

std::optional<std::tm> local_of(Instant at) {
  const auto seconds = static_cast<std::time_t>(at.ms / 1000);
  std::tm out{};
  if (localtime_r(&seconds, &out) == nullptr) return std::nullopt;
  return out;
}

std::optional<Instant> at_time_of_day(std::tm day, const std::tm& time, int days_later) {
  day.tm_hour = time.tm_hour;
  day.tm_min = time.tm_min;
  day.tm_sec = time.tm_sec;
  day.tm_mday += days_later;
  return instant_of(day);
}

/// The next such time, or the last one.
std::optional<Instant> nearest_time(const std::tm& time, Instant now, Toward toward) {
  const auto today = local_of(now);
  if (!today) return std::nullopt;
  const auto at = at_time_of_day(*today, time, 0);
  if (!at) return at;
  if (toward == Toward::future) return *at > now ? at : at_time_of_day(*today, time, 1);
  return *at <= now ? at : at_time_of_day(*today, time, -1);
}

/// A date and time without an offset, read as if it were UTC: only its numbers are of use.
std::optional<std::tm> numbers_of(std::string_view text) {
  const auto at = parse_instant(text);
  if (!at) return std::nullopt;
  const auto seconds = static_cast<std::time_t>((*at - Instant{0}).count() / 1000);
  std::tm out{};
  if (gmtime_r(&seconds, &out) == nullptr) return std::nullopt;
  return out;
}

constexpr std::string_view kDate = "2026-12-01";
constexpr std::string_view kTime = "16:00";
constexpr std::string_view kTimeWithSeconds = "16:00:00";

bool is_time(std::string_view text) { return text.size() == kTime.size() || text.size() == kTimeWithSeconds.size(); }

std::string with_seconds(std::string_view time) { return cat(time, time.size() == kTime.size() ? ":00" : ""); }

}  // namespace

std::optional<Instant> parse_moment(std::string_view text, Instant now, Toward toward) {
  if (is_time(text)) {
    const auto time = numbers_of(cat("2000-01-01T", with_seconds(text), "Z"));
    return time ? nearest_time(*time, now, toward) : std::nullopt;
  }
  if (text.size() == kDate.size()) {
    auto day = numbers_of(cat(text, "T00:00:00Z"));
    if (!day) return std::nullopt;
    if (toward == Toward::future) ++day->tm_mday;
    return instant_of(*day);
  }
  const auto time = text.size() > kDate.size() ? text.substr(kDate.size() + 1) : std::string_view();
  if (!is_time(time)) return parse_instant(text);
  const auto moment = numbers_of(cat(text.substr(0, kDate.size() + 1), with_seconds(time), "Z"));
  return moment ? instant_of(*moment) : std::nullopt;
}

std::string local_clock(Instant at, Instant now) {
  const auto then = local_of(at);
  const auto today = local_of(now);
  if (!then || !today) return rfc3339(at);
  const bool same_day = then->tm_year == today->tm_year && then->tm_yday == today->tm_yday;
  char out[32];
  const auto size = std::strftime(out, sizeof out, same_day ? "%H:%M:%S" : "%m-%d %H:%M", &*then);
  return {out, size};
}

}  // namespace townpost
