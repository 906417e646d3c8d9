#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"

namespace townpost {

/// Whether a machine of this number ("127.0.0.1", "::1") may be reached. None: any.
using AllowsNumber = std::function<bool(std::string_view number)>;

/// Whether a number belongs to the public internet: not to this machine, a private network, or what is set aside.
bool is_public_number(std::string_view number);

/// The numbers that a host has, best first: "127.0.0.1", "::1". A number stands for itself and localhost needs nobody's
/// help; any other name is asked of the system's `getent`, a process of its own, because that can be ended at the
/// deadline, which the C library's lookup cannot; and it may load the plug-ins that a static program may not.
/// Error: unavailable.
Result<std::vector<std::string>> numbers_of_host(const std::string& host, const Deadline& deadline);

/// What `getent ahosts` printed: each number once, in its order. Whatever else it printed is passed over.
std::vector<std::string> numbers_in(std::string_view printed);

}  // namespace townpost
