#pragma once
#include <string_view>

namespace townpost::protocol {

/// Whether a subject is of the traffic between programs: of Gas Town's protocol, but for what people read (HELP,
/// HANDOFF), or one of the notices that go with it.
bool is_infrastructure(std::string_view subject);

}  // namespace townpost::protocol
