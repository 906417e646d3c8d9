#include "base/local_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace townpost {
namespace {

/// A time zone for as long as this lives.
class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", name, 1);
    tzset();
  }
  ~Zone() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  std::optional<std::string> before_;
};

Instant at(std::string_view text) { return *parse_instant(text); }

std::string ahead(std::string_view text, std::string_view now) {
  const auto found = parse_moment(text, at(now), Toward::future);
  return found ? rfc3339(*found) : "nothing";
}

std::string behind(std::string_view text, std::string_view now) {
  const auto found = parse_moment(text, at(now), Toward::past);
  return found ? rfc3339(*found) : "nothing";
}

TEST(LocalTime, ATimeOfDayAheadIsTheNextOne) {
  const Zone zone("UTC-2");  // two hours ahead of UTC
  EXPECT_EQ(ahead("16:00", "2026-03-05T10:00:00Z"), "2026-03-05T14:00:00.000Z");
  EXPECT_EQ(ahead("16:00", "2026-03-05T14:00:00Z"), "2026-03-06T14:00:00.000Z");
  EXPECT_EQ(ahead("16:00:30", "2026-03-05T14:00:00Z"), "2026-03-05T14:00:30.000Z");
  EXPECT_EQ(ahead("01:00", "2026-12-31T23:30:00Z"), "2027-01-01T23:00:00.000Z") << "the day is the local one";
}

TEST(LocalTime, ATimeOfDayBehindIsTheLastOne) {
  const Zone zone("UTC-2");
  EXPECT_EQ(behind("12:00", "2026-03-05T10:00:00Z"), "2026-03-05T10:00:00.000Z");
  EXPECT_EQ(behind("12:01", "2026-03-05T10:00:00Z"), "2026-03-04T10:01:00.000Z");
}

TEST(LocalTime, ADateAheadIsItsEndAndOneBehindItsBeginning) {
  const Zone zone("UTC-2");
  EXPECT_EQ(ahead("2026-12-01", "2026-03-05T10:00:00Z"), "2026-12-01T22:00:00.000Z");
  EXPECT_EQ(behind("2026-12-01", "2026-12-05T10:00:00Z"), "2026-11-30T22:00:00.000Z");
  EXPECT_EQ(ahead("2026-12-31", "2026-03-05T10:00:00Z"), "2026-12-31T22:00:00.000Z");
}

TEST(LocalTime, ADateAndTimeIsLocalUnlessItNamesItsOffset) {
  const Zone zone("UTC-2");
  for (const char* text : {"2026-12-01 16:00", "2026-12-01T16:00", "2026-12-01 16:00:00", "2026-12-01T16:00:00",
                           "2026-12-01T16:00:00+02:00", "2026-12-01T14:00:00Z", "2026-12-01 14:00:00.000Z"})
    EXPECT_EQ(ahead(text, "2026-03-05T10:00:00Z"), "2026-12-01T14:00:00.000Z") << text;
}

TEST(LocalTime, KnowsSummerTime) {
  const Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(ahead("2026-07-01 12:00", "2026-03-05T10:00:00Z"), "2026-07-01T10:00:00.000Z");
  EXPECT_EQ(ahead("2026-12-01 12:00", "2026-03-05T10:00:00Z"), "2026-12-01T11:00:00.000Z");
}

TEST(LocalTime, WhatIsNoMomentIsNothing) {
  for (const char* text :
       {"", "16", "16:0", "24:00", "16:60", "1600", "2026-13-01", "2026-02-30", "2026-12-01 25:00", "2026-12-01x16:00",
        "tomorrow", "1-1-2026", "16:00Z", "aa:bb", "2026-12-01 16:00 ", "12:00:60"})
    EXPECT_EQ(ahead(text, "2026-03-05T10:00:00Z"), "nothing") << text;
}

TEST(LocalTime, OfAMomentNamesItsDayForPeople) {
  const Zone zone("Europe/Berlin");
  const auto shown = [](std::string_view text, std::string_view now) { return local_moment(at(text), at(now)); };
  EXPECT_EQ(shown("2026-03-05T13:02:00Z", "2026-03-05T20:00:00Z"), "today 14:02");
  EXPECT_EQ(shown("2026-03-05T23:30:00Z", "2026-03-05T22:30:00Z"), "tomorrow 00:30") << "by the local midnight";
  EXPECT_EQ(shown("2026-03-04T22:30:00Z", "2026-03-05T20:00:00Z"), "yesterday 23:30");
  EXPECT_EQ(shown("2026-01-31T23:30:00Z", "2026-03-05T20:00:00Z"), "1 Feb 00:30");
  EXPECT_EQ(shown("2025-12-31T12:00:00Z", "2026-03-05T20:00:00Z"), "2025-12-31 13:00");
  EXPECT_EQ(shown("2026-03-29T21:30:00Z", "2026-03-28T22:30:00Z"), "tomorrow 23:30") << "a day of 23 hours";
  EXPECT_EQ(local_moment(kForever, at("2026-03-05T20:00:00Z")), "never");
}

TEST(LocalTime, OfAStepTellsThousandths) {
  const Zone zone("Europe/Berlin");
  const auto shown = [](std::string_view text, std::string_view now) { return local_step(at(text), at(now)); };
  EXPECT_EQ(shown("2026-03-05T13:02:11.007Z", "2026-03-05T20:00:00Z"), "14:02:11.007");
  EXPECT_EQ(shown("2026-03-04T13:02:11.250Z", "2026-03-05T20:00:00Z"), "4 Mar 14:02:11.250");
}

TEST(LocalTime, TakesThePlaceOfWhatIsWrittenForPrograms) {
  const Zone zone("Europe/Berlin");
  const auto now = at("2026-03-05T20:00:00Z");
  EXPECT_EQ(with_local_moments("max has it until 2026-03-05T21:10:00.000Z; since 2026-03-04T10:00:00.000Z", now),
            "max has it until today 22:10; since yesterday 11:00");
  EXPECT_EQ(with_local_moments("(2026-03-05T21:10:00.000Z)", now), "(today 22:10)");
  for (const char* same : {"", "Z", "nothing", "2026-03-05T21:10:00Z", "a2026-03-05T21:10:00.000Z",
                           "2026-03-05T21:10:00.000Z-1", "2026-13-05T21:10:00.000Z", "2026-03-05 21:10:00.000Z"})
    EXPECT_EQ(with_local_moments(same, now), same);
  EXPECT_EQ(local_date_and_time(at("2026-03-05T23:10:00Z")), "2026-03-06 00:10");
}

TEST(LocalTime, OfALineOfALogIsShortToday) {
  const Zone zone("Europe/Berlin");
  const auto now = at("2026-03-05T20:00:00Z");
  EXPECT_EQ(local_clock(at("2026-03-05T13:02:11Z"), now), "14:02:11");
  EXPECT_EQ(local_clock(at("2026-03-04T13:02:11Z"), now), "4 Mar 14:02");
  EXPECT_EQ(local_clock(at("2025-03-04T13:02:11Z"), now), "2025-03-04");
}

}  // namespace
}  // namespace townpost
