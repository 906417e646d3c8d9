#pragma once
#include <string_view>

namespace townpost {

/// What a token of one agent is worth for an operation that would touch another's things.
enum class TokenVerdict {
  none,     ///< nobody has decided: the test of it fails
  refused,  ///< it is told no, and nothing happens
  reads,    ///< it is told what everyone in the town may know, or its own, and nothing is changed
  acts,     ///< something is made in its own name
};
/// Decided one by one: whoever adds an operation says what an agent's token is worth there.
TokenVerdict token_verdict(std::string_view op);

}  // namespace townpost
