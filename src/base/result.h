#pragma once
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace townpost {

/// A value or the Error that stands in its place. Must be looked at.
template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Failure = tl::unexpected<Error>;

inline Failure fail(Code code, std::string message, std::string hint = {}) {
  return Failure(Error{.code = code, .message = std::move(message), .hint = std::move(hint)});
}
/// A hint that is a call, with words before it and behind it.
struct NextStep {
  std::string before;
  NextCall call;
};
inline NextStep next(std::string op, std::vector<std::pair<std::string, std::string>> args = {},
                     std::string after = {}) {
  return {{}, {std::move(op), std::move(args), std::move(after)}};
}
inline NextStep operator+(std::string before, NextStep next) {
  return {std::move(before) + next.before, std::move(next.call)};
}
inline Failure fail(Code code, std::string message, NextStep next) {
  Error error{.code = code, .message = std::move(message), .hint = std::move(next.before)};
  error.next = std::move(next.call);
  return Failure(std::move(error));
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
