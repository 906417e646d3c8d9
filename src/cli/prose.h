#pragma once
#include <string>
#include <string_view>

#include "base/shown.h"
#include "cli/screen.h"

namespace townpost {

/// A sentence for people in lines of the screen, each behind `indent` spaces but the first. A command in it stays in
/// one piece, so that it can be copied. Into a pipe it is one line.
Shown prose(std::string_view text, const Screen& screen, std::size_t indent = 0);

}  // namespace townpost
