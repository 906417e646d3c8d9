#pragma once
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "base/error.h"

namespace townpost {

/// A value or the Error that stands in its place. Must be looked at.
template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Failure = tl::unexpected<Error>;

/// What to do next: words, and at their end perhaps a call that a front end spells.
struct NextStep {
  NextStep() = default;
  NextStep(const char* text) : words(text) {}             // NOLINT(google-explicit-constructor): a hint is mostly words
  NextStep(std::string text) : words(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  NextStep(NextCall next) : call(std::move(next)) {}      // NOLINT(google-explicit-constructor)
  std::string words;
  std::optional<NextCall> call;
};

/// A call as a hint, with words behind it: next("rig.list", {}, " shows them"). Words before it are added with +.
inline NextStep next(std::string op, std::vector<std::pair<std::string, std::string>> args = {},
                     std::string after = {}) {
  return NextCall{std::move(op), std::move(args), std::move(after)};
}
inline NextStep operator+(std::string before, NextStep hint) {
  hint.words.insert(0, before);
  return hint;
}

inline Failure fail(Code code, std::string message, NextStep hint = {}) {
  return Failure(
      Error{.code = code, .message = std::move(message), .hint = std::move(hint.words), .next = std::move(hint.call)});
}
/// One argument of the call is at fault: message is "invalid reply_by: …", or whatever reads well with its plain name.
inline Failure fail_argument(std::string argument, std::string message, NextStep hint = {}) {
  auto failure = fail(Code::usage, std::move(message), std::move(hint));
  failure.value().argument = std::move(argument);
  return failure;
}
inline Failure fail(Error error) { return Failure(std::move(error)); }

// NOLINTBEGIN(bugprone-macro-parentheses): `name` is declared here, so it cannot stand in parentheses.

/// TRY(name, expression): `name` is the value, or this function returns the error.
#define TRY(name, expression)                                                       \
  auto name##_result = (expression);                                                \
  if (!name##_result) return ::townpost::Failure(std::move(name##_result.error())); \
  auto& name = *name##_result

/// TRY_VOID(expression): goes on, or this function returns the error.
#define TRY_VOID(expression) TRY_VOID_AS(TRY_JOIN(try_result_, __COUNTER__), expression)

// A name of its own for every use, because one expression may hold a lambda with another TRY_VOID in it.
#define TRY_VOID_AS(name, expression)                                                         \
  do {                                                                                        \
    if (auto name = (expression); !name) return ::townpost::Failure(std::move(name.error())); \
  } while (false)
#define TRY_JOIN(a, b) TRY_JOIN_EXPANDED(a, b)
#define TRY_JOIN_EXPANDED(a, b) a##b

// NOLINTEND(bugprone-macro-parentheses)

}  // namespace townpost
