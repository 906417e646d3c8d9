#pragma once
#include <string>
#include <string_view>

namespace townpost {

/// What is meant where one rig of all has to be named.
constexpr std::string_view kAnyRig = "@rig/NAME";

/// How an address is written that was probably meant by something that is none, or nobody's: "@all" is @town, "max@api"
/// is api/max. By grammar alone, so it may be nobody's, too. Empty if there is nothing to say.
std::string address_meant_by(std::string_view typed);

}  // namespace townpost
