#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace townpost {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Code::refused, "odd", "give an even number");
  return number / 2;
}

Result<int> quarter(int number) {
  TRY(once, half(number));
  TRY(twice, half(once));
  return twice;
}

Result<> even(int number) {
  TRY_VOID(half(number));
  return {};
}

TEST(Result, TryHandsOnTheValueOrTheError) {
  EXPECT_EQ(*quarter(8), 2);
  for (const int number : {3, 6}) {
    const auto result = quarter(number);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error(), (Error{Code::refused, "odd", "give an even number", std::nullopt}));
  }
}

TEST(Result, TryVoidGoesOnOrReturnsTheError) {
  EXPECT_TRUE(even(2).has_value());
  EXPECT_EQ(even(1).error().message, "odd");
}

TEST(Result, TryVoidMayHoldAnother) {
  const auto nested = [](int number) -> Result<> {
    TRY_VOID([&]() -> Result<> {
      TRY_VOID(half(number));
      return {};
    }());
    return {};
  };
  EXPECT_TRUE(nested(2).has_value());
  EXPECT_FALSE(nested(1).has_value());
}

TEST(Result, MovesWhatCannotBeCopied) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  const auto use = [&]() -> Result<int> {
    TRY(owned, make());
    return *owned;
  };
  EXPECT_EQ(*use(), 7);
}

TEST(Result, AnErrorKeepsWhenToTryAgain) {
  const Result<> limited = fail(Error{Code::limited, "too much", "wait", 30});
  EXPECT_EQ(limited.error().retry_after_s, 30);
}

TEST(Result, EveryCodeHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (const Code code : {Code::usage, Code::no_town, Code::not_found, Code::refused, Code::forbidden,
                          Code::key_conflict, Code::unavailable, Code::limited, Code::timeout, Code::partial})
    EXPECT_TRUE(words.insert(name(code)).second) << name(code);
  EXPECT_EQ(name(Code::key_conflict), "key_conflict");
  EXPECT_EQ(name(Code::no_town), "no_town");
}

}  // namespace
}  // namespace townpost
