#include "base/clock.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"

namespace townpost {

namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

using SysMillis = std::chrono::sys_time<Millis>;

constexpr SysMillis kEarliest = sys_days(std::chrono::year(0) / 1 / 1);
constexpr SysMillis kLatest = SysMillis(sys_days(std::chrono::year(10000) / 1 / 1)) - Millis(1);
constexpr Millis kLongest = std::chrono::years(100);

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Takes a text apart from the left; what does not fit is remembered, so that the grammar reads as one list.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t at = 0; at < digits; ++at) {
      if (at >= rest_.size() || !is_digit(rest_[at])) return fail();
      value = value * 10 + (rest_[at] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  void one_of(std::string_view characters) {
    if (!takes_one_of(characters)) fail();
  }
  bool takes_one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// The digits of a fraction of a second, in milliseconds; what is finer is cut off.
  int fraction_in_millis() {
    int value = 0, weight = 100;
    if (rest_.empty() || !is_digit(rest_[0])) return fail();
    for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1)) {
      value += (rest_[0] - '0') * weight;
      weight /= 10;
    }
    return value;
  }
  bool at_end() const { return rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  int fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::string rfc3339(Instant at) {
  // RFC 3339 has four digits for the year; beyond them an instant can only mean "never" or "always".
  const SysMillis time = std::clamp(SysMillis(Millis(at.ms)), kEarliest, kLatest);
  const auto day = std::chrono::floor<days>(time);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[80];
  const int size =
      std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                    static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                    static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return std::string(text, static_cast<std::size_t>(size));
}

std::optional<Instant> parse_instant(std::string_view text) {
  Scanner scan(text);
  const int year = scan.number(4);
  scan.one_of("-");
  const int month = scan.number(2);
  scan.one_of("-");
  const int day = scan.number(2);
  scan.one_of("Tt ");
  const int hour = scan.number(2);
  scan.one_of(":");
  const int minute = scan.number(2);
  scan.one_of(":");
  const int second = scan.number(2);
  const int millis = scan.takes_one_of(".") ? scan.fraction_in_millis() : 0;

  int sign = 0, offset_hours = 0, offset_minutes = 0;
  if (!scan.takes_one_of("Zz") && !scan.at_end()) {
    sign = scan.takes_one_of("+") ? 1 : -1;
    if (sign < 0) scan.one_of("-");
    offset_hours = scan.number(2);
    scan.one_of(":");
    offset_minutes = scan.number(2);
  }
  if (!scan.ok() || !scan.at_end()) return std::nullopt;

  const year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day)));
  // A leap second (:60) has no place on our time line, so it is refused like any other time that does not exist.
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  if (offset_hours > 23 || offset_minutes > 59) return std::nullopt;
  const SysMillis local = SysMillis(sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
                          std::chrono::seconds(second) + Millis(millis);
  const Millis offset = sign * (std::chrono::hours(offset_hours) + std::chrono::minutes(offset_minutes));
  return Instant{(local - offset).time_since_epoch().count()};
}

namespace {

struct Unit {
  std::array<std::string_view, 5> names;
  Millis length;
};
/// The longest first: in a duration of several parts they stand in this order.
constexpr std::array kUnits = {
    Unit{{"w", "week", "weeks"}, std::chrono::weeks(1)},
    Unit{{"d", "day", "days"}, days(1)},
    Unit{{"h", "hr", "hrs", "hour", "hours"}, std::chrono::hours(1)},
    Unit{{"m", "min", "mins", "minute", "minutes"}, std::chrono::minutes(1)},
    Unit{{"s", "sec", "secs", "second", "seconds"}, std::chrono::seconds(1)},
    Unit{{"ms"}, Millis(1)},
};

/// The text up to the first character that is not among `characters`; it is taken away from `rest`.
std::string_view taken(std::string_view& rest, std::string_view characters) {
  const auto part = rest.substr(0, rest.find_first_not_of(characters));
  rest.remove_prefix(part.size());
  return part;
}

/// What is wrong with a duration.
enum class Wrong { nothing, not_one, without_unit, too_long };

/// One part, "30m" or "30 minutes", added to `sum`. `at` is the first unit that may still stand there.
Wrong add_part(std::string_view& rest, std::size_t& at, Millis& sum) {
  const auto digits = taken(rest, "0123456789");
  if (digits.empty()) return Wrong::not_one;
  if (rest.empty()) return Wrong::without_unit;
  if (rest.front() == ' ') rest.remove_prefix(1);
  const auto word = taken(rest, "abcdefghijklmnopqrstuvwxyz");
  const auto is_it = [word](const Unit& unit) {
    return !word.empty() && std::find(unit.names.begin(), unit.names.end(), word) != unit.names.end();
  };
  while (at < kUnits.size() && !is_it(kUnits[at])) ++at;
  if (at == kUnits.size()) return Wrong::not_one;
  const Millis one = kUnits[at++].length;
  Millis::rep count = 0;
  for (const char digit : digits) {
    // Checked at every digit, so that no number of them can overflow.
    count = count * 10 + (digit - '0');
    if (count > (kLongest - sum) / one) return Wrong::too_long;
  }
  sum += count * one;
  return Wrong::nothing;
}

}  // namespace

Result<Millis> parse_duration(std::string_view text) {
  Millis sum{0};
  if (text == "0") return sum;
  std::size_t at = 0;
  auto rest = text;
  Wrong wrong = add_part(rest, at, sum);
  while (wrong == Wrong::nothing && !rest.empty()) {
    if (rest.size() > 1 && rest.front() == ' ') rest.remove_prefix(1);
    wrong = add_part(rest, at, sum);
  }
  if (wrong == Wrong::nothing) return sum;
  const auto what = wrong == Wrong::too_long       ? "is longer than 100 years"
                    : wrong == Wrong::without_unit ? "has no unit"
                                                   : "is not a duration";
  return fail(Code::usage, cat('"', for_terminal_line(shorten(text, 40)), "\" ", what),
              "write it like 90s, 30m, 1h30m or 7d");
}

std::string age(Millis since) {
  using std::chrono::floor;
  // Clocks of two machines may differ a little: what lies ahead is "now" too.
  if (since < std::chrono::seconds(1)) return "now";
  if (since < std::chrono::minutes(1)) return cat(floor<std::chrono::seconds>(since).count(), 's');
  if (since < std::chrono::hours(1)) return cat(floor<std::chrono::minutes>(since).count(), 'm');
  if (since < days(1)) return cat(floor<std::chrono::hours>(since).count(), 'h');
  if (since < days(14)) return cat(floor<days>(since).count(), 'd');
  return cat(floor<std::chrono::weeks>(since).count(), 'w');
}

Instant SystemClock::now() const {
  return {std::chrono::floor<Millis>(std::chrono::system_clock::now()).time_since_epoch().count()};
}

}  // namespace townpost
