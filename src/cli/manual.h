#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace townpost {

/// The manual pages: "townpost", and one for each group, such as "townpost-mail".
std::vector<std::string> manual_pages();

/// One of them, in roff; empty if there is none of that name.
std::string manual_page(std::string_view name);

}  // namespace townpost
