#pragma once
#include <filesystem>
#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "ops/request.h"

namespace townpost {

/// A town on another machine, as variables name it: GT_SERVER, with a token from GT_TOKEN or a file.
struct RemotePlace {
  std::string url;                    ///< "https://host:8420": no user, no password, no slash at its end
  std::string token;                  ///< goes there and nowhere else; in no message
  std::filesystem::path authorities;  ///< GT_CA_FILE; empty: those of the system
};

/// Whether GT_SERVER is to be the server of all calls: anything but nothing and "off".
bool names_a_server(const Environment& environment);

/// Where the calls of this origin go. Inside an agent's session what its own process was started with counts: no file
/// of a project that comes later sends mail and tokens to a place of its choice. Error: usage, for an address that
/// cannot be used or a token that is missing; forbidden, for a file that others may read or a variable that came later.
Result<RemotePlace> remote_place(const Origin& origin);

}  // namespace townpost
