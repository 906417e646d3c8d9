#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace townpost {

/// Why a call failed, in about ten kinds. Every front end maps these in one exhaustive switch (exit code, HTTP status).
enum class Code {
  usage,         ///< the call cannot be understood: bad value, ambiguous address, too large
  no_town,       ///< there is no town where we looked
  not_found,     ///< id, recipient or name is unknown
  refused,       ///< the object's state does not allow it
  forbidden,     ///< the caller may not
  key_conflict,  ///< an idempotency key was used again with other content
  unavailable,   ///< store away, disk full or read-only, schema newer than the program
  limited,       ///< a rule of the limits applies
  timeout,       ///< waited long enough
  partial,       ///< some of several failed
};

/// The stable word for a code, as printed in JSON: "usage", "no_town", …
std::string_view name(Code code);

/// An operation that is worth calling next, by its name in the table. Each front end spells it in its own words: `gt
/// mail inbox` on the command line, `mail.inbox` elsewhere.
struct NextCall {
  std::string op;                                         ///< empty: the same one again, with these arguments
  std::vector<std::pair<std::string, std::string>> args;  ///< by their names; a flag is "true"
  std::string after;                                      ///< words behind it: " lists them"
  friend bool operator==(const NextCall&, const NextCall&) = default;
};

/// A failure as a value. `message` is one lower-case line that names the object ("invalid priority: …" or "the subject
/// is missing" where an argument is at fault); `hint` says what to do next, and ends with `next` if there is one.
struct Error {
  Code code = Code::usage;
  std::string message;
  std::string hint;
  std::optional<std::int64_t> retry_after_s = {};  ///< for `limited`: when the rule will let the call through again
  std::string argument = {};                       ///< the argument at fault, by its name in the operation's row
  std::optional<NextCall> next = {};

  friend bool operator==(const Error&, const Error&) = default;
};

}  // namespace townpost
