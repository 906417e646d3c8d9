#pragma once
#include <string>
#include <string_view>

namespace townpost {

/// A session's address as people and agents are shown it: without the user and password of a server.
std::string shown_session(std::string_view uri);

}  // namespace townpost
