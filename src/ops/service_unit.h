#pragma once
#include <filesystem>
#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace townpost::ops {

/// What systemd calls the service of the town in this folder: "townpost-NAME-1a2b3c4d.service". Others never have it.
std::string service_name(const std::filesystem::path& town);

/// The text of a systemd user unit that runs `program` for the town in this folder. The paths may have any bytes:
/// systemd hands them over as they are. Of the variables, those are kept that say where programs and tmux are. Error:
/// refused, if systemd cannot run a program at this path.
Result<std::string> service_unit(const std::string& program, const std::filesystem::path& town,
                                 const Environment& environment);

}  // namespace townpost::ops
