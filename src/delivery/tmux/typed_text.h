#pragma once
#include <string>
#include <string_view>

namespace townpost {

/// `text` as it may be typed into an agent's terminal: well-formed UTF-8, no control characters but newlines inside it,
/// and nothing that a harness would act on (`@`; `/`, `!` and `#` at the beginning of a line). Everything else stays
/// as it is. typed_text(typed_text(x)) == typed_text(x).
std::string typed_text(std::string_view text);

}  // namespace townpost
