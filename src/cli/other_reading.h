#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parse.h"

namespace townpost {

/// Every address, list and pattern that can be written to; asked for only where a word is none of them.
using KnownAddresses = std::function<std::vector<std::string>()>;

/// The error, with how the line is typed if its words were meant otherwise: a recipient that nobody knows is its
/// subject, the text of a nudge stands before its target, two names are one word. It names only what is there.
Error with_other_reading(Error error, const CommandLine& line, const KnownAddresses& known);

/// `gt nudge coder reviewer "look"`: the text begins with an address, and only coder would get it. Error: usage.
Result<> check_text_is_no_target(const CommandLine& line, const KnownAddresses& known);

}  // namespace townpost
