#include "base/clock.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace townpost {
namespace {

using namespace std::chrono_literals;

constexpr Instant kMorning{1'772'706'600'000};  // 2026-03-05T10:30:00Z

TEST(Clock, AnInstantIsWrittenInUtcWithMilliseconds) {
  EXPECT_EQ(rfc3339({0}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(kMorning + 123ms), "2026-03-05T10:30:00.123Z");
}

TEST(Clock, AnInstantBefore1970IsWrittenWithAWholeFraction) { EXPECT_EQ(rfc3339({-1}), "1969-12-31T23:59:59.999Z"); }

TEST(Clock, AnInstantBeyondFourDigitYearsIsWrittenAsTheNearestThatHasThem) {
  EXPECT_EQ(rfc3339({std::numeric_limits<std::int64_t>::max()}), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(rfc3339({std::numeric_limits<std::int64_t>::min()}), "0000-01-01T00:00:00.000Z");
}

TEST(Clock, EverySpellingOfOneInstantIsReadAsThatInstant) {  // K029
  for (const char* text : {"2026-03-05T10:30:00Z", "2026-03-05t10:30:00z", "2026-03-05 10:30:00", "2026-03-05T10:30:00",
                           "2026-03-05T10:30:00.000Z", "2026-03-05T10:30:00+00:00", "2026-03-05T10:30:00-00:00",
                           "2026-03-05T12:30:00+02:00", "2026-03-05 05:00:00-05:30", "2026-03-06T00:30:00+14:00"})
    EXPECT_EQ(parse_instant(text), kMorning) << text;
}

TEST(Clock, AFractionIsReadToTheMillisecondAndCutOffThere) {
  EXPECT_EQ(parse_instant("2026-03-05T10:30:00.5Z"), kMorning + 500ms);
  EXPECT_EQ(parse_instant("2026-03-05T10:30:00.123456Z"), kMorning + 123ms);
  EXPECT_EQ(parse_instant("2026-03-05T10:30:00.999999999999999999999Z"), kMorning + 999ms);
  EXPECT_EQ(parse_instant("1969-12-31T23:59:59.9999Z"), Instant{-1});
}

TEST(Clock, TheTwentyNinthOfFebruaryIsReadInLeapYearsOnly) {
  EXPECT_TRUE(parse_instant("2024-02-29T00:00:00Z"));
  EXPECT_TRUE(parse_instant("2000-02-29T00:00:00Z"));
  EXPECT_FALSE(parse_instant("2026-02-29T00:00:00Z"));
  EXPECT_FALSE(parse_instant("1900-02-29T00:00:00Z"));
}

TEST(Clock, WhatIsNoInstantIsRefused) {
  for (const char* text : {"",
                           "now",
                           "2026",
                           "2026-03-05",
                           "31/01/2026",
                           "2026-03-05T10:30",
                           "2026-03-05T10:30Z",
                           "2026-13-05T10:30:00Z",
                           "2026-00-05T10:30:00Z",
                           "2026-02-30T10:30:00Z",
                           "2026-03-00T10:30:00Z",
                           "2026-03-05T24:00:00Z",
                           "2026-03-05T10:60:00Z",
                           "2026-03-05T10:30:60Z",
                           "2026-03-05T10:30:00.Z",
                           "2026-03-05T10:30:00,5Z",
                           "2026-03-05T10:30:00Zx",
                           "2026-03-05T10:30:00Z ",
                           " 2026-03-05T10:30:00Z",
                           "2026-03-05T10:30:00+2",
                           "2026-03-05T10:30:00+02",
                           "2026-03-05T10:30:00+0200",
                           "2026-03-05T10:30:00+24:00",
                           "2026-03-05T10:30:00+02:60",
                           "2026-03-05T10:30:00 +02:00",
                           "2026-03-05T10:30:00Z+02:00",
                           "2026-03-05x10:30:00Z",
                           "2026-3-5T10:30:00Z",
                           "+026-03-05T10:30:00Z",
                           "-026-03-05T10:30:00Z"})
    EXPECT_FALSE(parse_instant(text)) << text;
}

RC_GTEST_PROP(Clock, WhatIsWrittenIsReadBackTheSame, ()) {
  const auto ms = *rc::gen::inRange<std::int64_t>(-62'167'219'200'000, 253'402'300'800'000);  // years 0 to 9999
  RC_ASSERT(parse_instant(rfc3339({ms})) == Instant{ms});
}

RC_GTEST_PROP(Clock, NoTextWhateverMakesReadingAnInstantFail, (const std::string& text)) {
  if (const auto at = parse_instant(text)) RC_ASSERT(rfc3339(*at).size() == 24u);
}

TEST(Clock, DurationsAreReadInEveryUnit) {
  EXPECT_EQ(parse_duration("90s"), Millis(90s));
  EXPECT_EQ(parse_duration("30m"), Millis(30min));
  EXPECT_EQ(parse_duration("24h"), Millis(24h));
  EXPECT_EQ(parse_duration("7d"), Millis(7 * 24h));
  EXPECT_EQ(parse_duration("2w"), Millis(14 * 24h));
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("007s"), Millis(7s));
}

TEST(Clock, DurationsAreReadAsPeopleWriteThem) {
  for (const char* text : {"5min", "5 min", "5mins", "5 minutes", "5m", "300 seconds", "300sec", "4m60s"})
    EXPECT_EQ(parse_duration(text), Millis(5min)) << text;
  for (const char* text : {"2 hours", "2hours", "2h", "2 hrs", "1h60m", "1 hour 60 minutes"})
    EXPECT_EQ(parse_duration(text), Millis(2h)) << text;
  EXPECT_EQ(parse_duration("1h30m"), Millis(90min));
  EXPECT_EQ(parse_duration("1d2h3m4s5ms"), Millis(26h + 3min + 4s + 5ms));
  EXPECT_EQ(parse_duration("1 day"), Millis(24h));
  EXPECT_EQ(parse_duration("1 week"), Millis(7 * 24h));
}

TEST(Clock, ADurationNeedsAUnitUnlessItIsNothing) {
  EXPECT_EQ(parse_duration("0"), 0ms);
  for (const char* text : {"5", "45", "1h30", "00005"}) {
    const auto refused = parse_duration(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, Code::usage);
    EXPECT_EQ(refused.error().message, std::string("\"") + text + "\" has no unit");
    EXPECT_EQ(refused.error().hint, "write it like 90s, 30m, 1h30m or 7d");
  }
}

TEST(Clock, WhatIsNoDurationIsRefusedWithAnExampleOfOne) {
  for (const char* text : {"", "s", "5x", "-5s", "+5s", " 5s", "5s ", "1.5h", "5S", "0x10", "30m1h", "1h1h", "5  min",
                           "5secondss", "1h 30"}) {
    const auto refused = parse_duration(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, Code::usage);
    EXPECT_NE(refused.error().message.find(text), std::string::npos);
    EXPECT_EQ(refused.error().hint, "write it like 90s, 30m, 1h30m or 7d");
  }
}

TEST(Clock, ADurationOverAHundredYearsIsRefusedHoweverManyDigitsItHas) {
  EXPECT_TRUE(parse_duration("36500d"));
  for (const std::string& text :
       {std::string("36600d"), std::string("9223372036854775807s"), std::string("18446744073709551617ms"),
        std::string(5000, '9') + "s", std::string("36500d9999h")}) {
    const auto refused = parse_duration(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, Code::usage);
    EXPECT_NE(refused.error().message.find("longer than 100 years"), std::string::npos);
    EXPECT_LT(refused.error().message.size(), 100u);
  }
}

TEST(Clock, ARefusedDurationIsQuotedSafely) {
  EXPECT_EQ(parse_duration("5\x1b[2J\n").error().message, "\"5\\x1b[2J \" is not a duration");
}

TEST(Clock, AnAgeIsTheLargestUnitThatFits) {
  EXPECT_EQ(age(999ms), "now");
  EXPECT_EQ(age(12s), "12s");
  EXPECT_EQ(age(59'999ms), "59s");
  EXPECT_EQ(age(5min), "5m");
  EXPECT_EQ(age(3h + 59min), "3h");
  EXPECT_EQ(age(48h), "2d");
  EXPECT_EQ(age(13 * 24h), "13d");
  EXPECT_EQ(age(6 * 7 * 24h), "6w");
}

TEST(Clock, WhatLiesAheadIsNow) { EXPECT_EQ(age(-5min), "now"); }

TEST(Clock, AManualClockMovesOnlyWhenTold) {
  ManualClock clock(kMorning);
  EXPECT_EQ(clock.now(), kMorning);
  clock.advance(90s);
  EXPECT_EQ(clock.now() - kMorning, 90s);
  clock.set({7});
  EXPECT_EQ(clock.now(), Instant{7});
}

TEST(Clock, TheSystemClockIsInThisCentury) {
  EXPECT_GT(SystemClock().now(), *parse_instant("2020-01-01T00:00:00Z"));
  EXPECT_LT(SystemClock().now(), *parse_instant("2100-01-01T00:00:00Z"));
}

}  // namespace
}  // namespace townpost
