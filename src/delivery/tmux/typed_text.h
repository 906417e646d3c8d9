#pragma once
#include <string>
#include <string_view>

#include "delivery/tmux/harness_profile.h"

namespace townpost {

/// `text` as it may be typed into an agent's terminal: well-formed UTF-8, no control characters but newlines inside it,
/// no hidden ones, and nothing that a harness would act on (`@`; `/`, `!` and `#` at the beginning of a line; the
/// profile's keywords). Skin tones are left out where a harness draws the screen. Everything else stays as it is. Doing
/// it again changes nothing.
std::string typed_text(std::string_view text, const HarnessProfile& profile = raw_profile());

}  // namespace townpost
