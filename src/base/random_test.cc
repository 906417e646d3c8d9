#include "base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace townpost {
namespace {

TEST(Random, TheSameSeedGivesTheSameSequence) {
  SeededRandom one(42), same(42), other(43);
  const auto first = one.bits();
  EXPECT_EQ(first, same.bits());
  EXPECT_EQ(one.bits(), same.bits());
  EXPECT_NE(first, other.bits());
}

TEST(Random, TheSeededSequenceIsSplitmix64) {
  SeededRandom random(1234567);  // the published test vector
  EXPECT_EQ(random.bits(), 6457827717110365317ULL);
  EXPECT_EQ(random.bits(), 3203168211198807973ULL);
  EXPECT_EQ(random.bits(), 9817491932198370423ULL);
}

TEST(Random, TheKernelDoesNotRepeatItself) {
  SystemRandom random;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.bits());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(Random, HexHasAsManyDigitsAsAskedFor) {
  SeededRandom random(1);
  for (int digits : {0, 1, 15, 16, 17, 33, 64}) {
    const std::string hex = random_hex(random, digits);
    EXPECT_EQ(hex.size(), static_cast<std::size_t>(digits));
    EXPECT_EQ(hex.find_first_not_of("0123456789abcdef"), std::string::npos) << hex;
  }
}

TEST(Random, HexTakesFreshBitsForEverySixteenDigits) {
  SeededRandom random(1);
  const std::string hex = random_hex(random, 32);
  EXPECT_NE(hex.substr(0, 16), hex.substr(16));
}

}  // namespace
}  // namespace townpost
