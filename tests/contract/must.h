#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/result.h"
#include "post/town/store.h"

namespace townpost {

[[noreturn]] inline void must_not_fail(const Error& error) {
  throw std::runtime_error(std::string(name(error.code)) + ": " + error.message);
}

/// The value of a call that has to succeed here; the test ends with the error otherwise.
inline void must(const Result<>& result) {
  if (!result) must_not_fail(result.error());
}
template <class T>
T must(Result<T> result) {
  if (!result) must_not_fail(result.error());
  return std::move(*result);
}

/// The error of a call that has to fail here.
template <class T>
Error error_of(const Result<T>& result) {
  if (result) throw std::runtime_error("succeeded, but an error was expected");
  return result.error();
}

namespace detail {
template <class Work>
Result<> guarded(const Work& work) {
  try {
    work();
  } catch (const std::exception& problem) {  // so that the transaction ends before the test does
    return fail(Code::refused, problem.what());
  }
  return {};
}
}  // namespace detail

/// What `work` finds in one reading transaction.
template <class Work>
auto reading(Store& store, const Work& work) {
  std::optional<decltype(work(std::declval<Ledger&>()))> out;
  must(store.read([&](Ledger& ledger) { return detail::guarded([&] { out.emplace(work(ledger)); }); }));
  return std::move(*out);
}

/// Does `work` in one writing transaction and commits it.
template <class Work>
void writing(Store& store, const Work& work) {
  must(store.write([&](Ledger& ledger) { return detail::guarded([&] { work(ledger); }); }));
}

}  // namespace townpost
