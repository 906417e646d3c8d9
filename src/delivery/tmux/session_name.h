#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "post/values/address.h"

namespace townpost {

/// The name of an agent's tmux session: `hq-mayor`, `hq-dog-rex`, `gt-witness`, `gt-crew-max`, `gt-alpha`, or the flat
/// agent's own name. Nothing for people and the town itself, nor for a worker of a rig whose prefix is not known.
std::optional<std::string> session_name(const Address& address, std::string_view rig_prefix);

/// Which of the live sessions belongs to `address`: the one of exactly its name, else the only one whose name ends in
/// `-` and its name, else none. Never a guess between two.
std::optional<std::string> live_session(const Address& address, std::string_view rig_prefix,
                                        const std::vector<std::string>& live);

}  // namespace townpost
