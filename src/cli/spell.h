#pragma once
#include <string>

#include "base/error.h"
#include "ops/op.h"

namespace townpost {

/// How one argument is named on the command line: "ADDR", "-s", "--reply-by".
std::string spelled(const Arg& arg);

/// How a call is typed: `gt mail send ADDR -s SUBJECT`.
std::string spelled(const NextCall& next, const Op* same);

/// An error in the words of the command line: its message, and what to type next. `op` may be null.
struct SpelledError {
  std::string message;
  std::string hint;
};
SpelledError spelled(const Error& error, const Op* op);

}  // namespace townpost
