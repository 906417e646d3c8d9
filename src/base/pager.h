#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"

namespace townpost {

/// The words of the pager of $GT_PAGER or $PAGER, else `less -FRX`. Empty if none is wanted ("cat").
std::vector<std::string> pager_of(const Environment& environment);

/// Shows text in that pager on this terminal and waits until it ends. False if there is no pager: then nothing was
/// shown.
bool show_in_pager(std::string_view text, const Environment& environment);

}  // namespace townpost
