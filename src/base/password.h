#pragma once
#include <string>

namespace townpost {

/// The url of a database without its password.
std::string without_password(const std::string& url);

}  // namespace townpost
