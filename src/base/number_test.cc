#include "base/number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

TEST(WholeNumber, IsAllOfTheText) {
  EXPECT_EQ(whole_number("0"), 0);
  EXPECT_EQ(whole_number("007"), 7);
  EXPECT_EQ(whole_number("-12"), -12);
  for (const auto* text : {"", " 1", "1 ", "1\n", "+1", "-", "--1", "1x", "x1", "0x10", "1.0", "1e3", "١"})
    EXPECT_EQ(whole_number(text), std::nullopt) << text;
  EXPECT_EQ(whole_number(std::string_view("1\0", 2)), std::nullopt);
}

TEST(WholeNumber, FitsItsType) {
  EXPECT_EQ(whole_number("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(whole_number("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(whole_number("9223372036854775808"), std::nullopt);
  EXPECT_EQ(whole_number<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(whole_number<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(whole_number<std::uint16_t>("-1"), std::nullopt);
}

RC_GTEST_PROP(WholeNumber, IsWhatWasWritten, (std::int64_t number)) { RC_ASSERT(whole_number(cat(number)) == number); }

}  // namespace
}  // namespace townpost
