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

std::string two_digits(int number) { return cat(number < 10 ? "0" : "", number); }

std::string clock_of(const std::tm& time) { return cat(two_digits(time.tm_hour), ":", two_digits(time.tm_min)); }

std::string full_date(const std::tm& day) {
  return cat(day.tm_year + 1900, "-", two_digits(day.tm_mon + 1), "-", two_digits(day.tm_mday));
}

/// "18 Nov", or "2025-11-18" of another year than this one.
std::string date_of(const std::tm& day, const std::tm& today) {
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (day.tm_year == today.tm_year) return cat(day.tm_mday, " ", kMonths[day.tm_mon]);
  return full_date(day);
}

bool is_same_day(const std::tm& a, const std::tm& b) { return a.tm_year == b.tm_year && a.tm_yday == b.tm_yday; }

/// That day's noon so many days later: no change of the clocks makes it another day.
std::optional<std::tm> day_beside(std::tm day, int days) {
  day.tm_hour = 12;
  day.tm_mday += days;
  const auto noon = instant_of(day);
  return noon ? local_of(*noon) : std::nullopt;
}

bool is_part_of_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

}  // namespace

std::string local_moment(Instant at, Instant now) {
  if (at >= kForever) return "never";
  const auto time = local_of(at);
  const auto today = local_of(now);
  if (!time || !today) return rfc3339(at);
  if (is_same_day(*time, *today)) return cat("today ", clock_of(*time));
  if (const auto before = day_beside(*today, -1); before && is_same_day(*time, *before))
    return cat("yesterday ", clock_of(*time));
  if (const auto next = day_beside(*today, 1); next && is_same_day(*time, *next))
    return cat("tomorrow ", clock_of(*time));
  return cat(date_of(*time, *today), " ", clock_of(*time));
}

std::string local_step(Instant at, Instant now) {
  const auto time = local_of(at);
  const auto today = local_of(now);
  if (!time || !today || at.ms < 0) return rfc3339(at);
  const auto thousandth = static_cast<int>(at.ms % 1000);
  return cat(is_same_day(*time, *today) ? "" : cat(date_of(*time, *today), " "), clock_of(*time), ":",
             two_digits(time->tm_sec), ".", thousandth < 100 ? "0" : "", two_digits(thousandth));
}

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
  if (is_same_day(*then, *today)) return cat(clock_of(*then), ":", two_digits(then->tm_sec));
  if (then->tm_year != today->tm_year) return full_date(*then);
  return cat(date_of(*then, *today), " ", clock_of(*then));
}

std::string local_date_and_time(Instant at) {
  const auto time = local_of(at);
  return time ? cat(full_date(*time), " ", clock_of(*time)) : rfc3339(at);
}

std::string with_local_moments(std::string_view text, Instant now) {
  constexpr std::size_t kSize = std::string_view("2026-03-05T10:30:00.123Z").size();
  std::string out;
  std::size_t done = 0;
  for (auto end = text.find('Z'); end != std::string_view::npos; end = text.find('Z', end + 1)) {
    if (end + 1 < done + kSize) continue;
    const auto begin = end + 1 - kSize;
    const bool alone = (begin == 0 || !is_part_of_word(text[begin - 1])) &&
                       (end + 1 == text.size() || !is_part_of_word(text[end + 1]));
    const auto at = alone ? parse_instant(text.substr(begin, kSize)) : std::nullopt;
    // Else it is somebody's own spelling, and stays.
    if (!at || rfc3339(*at) != text.substr(begin, kSize)) continue;
    out += cat(text.substr(done, begin - done), local_moment(*at, now));
    done = end + 1;
  }
  return out += text.substr(done);
}

}  // namespace townpost
