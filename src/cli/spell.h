#pragma once
#include <string>

#include "base/error.h"
#include "ops/op.h"

namespace townpost {

/// A value as one word of a shell: what no shell looks into stays as it is.
std::string as_shell_word(const std::string& value);

/// How one argument is named on the command line: "ADDR", "-s", "--reply-by".
std::string spelled(const Arg& arg);

/// How a call is typed: `gt mail send ADDR -s SUBJECT`.
std::string spelled(const NextCall& next, const Op* same);

/// Words, and the call behind them as it is typed.
std::string spelled(const NextStep& step);

/// A row's own words, as the command line says them: `reply_by` is --reply-by, `mail.pin` is gt mail pin.
std::string spelled(std::string_view words, const Op& op);

/// What the town says, with the calls in it (base/advice.h) as they are typed: "`queue.retry id=hq-m-1`" is gt queue
/// retry hq-m-1.
std::string respelled(std::string_view said);

/// Who may call it.
std::string who_may(const Op& op);

/// An error in the words of the command line: its message, and what to type next. `op` may be null.
struct SpelledError {
  std::string message;
  std::string hint;
};
SpelledError spelled(const Error& error, const Op* op);

}  // namespace townpost
