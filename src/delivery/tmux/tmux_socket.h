#pragma once
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/result.h"

namespace townpost {

// Session URIs as they are stored mean the same wherever they are read: `tmux:NAME` and `tmux:%5` are on this user's
// usual server (/tmp/tmux-UID/default), `tmux:/path/of/a/socket/%5` on the server of that socket.

/// The socket of this user's usual tmux server, whatever the environment says.
std::string usual_tmux_socket();

/// The socket of the server that tmux itself would ask here (TMUX, else TMUX_TMPDIR); empty if that is the usual one.
std::string tmux_socket_here(const Environment& environment);

/// `uri` as somebody writes it here, as it is stored. What is no tmux session is left as it is; what names a server
/// already, too.
std::string stored_tmux_uri(std::string_view uri, const Environment& environment);

}  // namespace townpost
