#pragma once
#include <span>

#include "protocol/protocol_type.h"

namespace townpost::protocol {

/// The types of each dialect, in the order they are documented. Static data: nothing is made at run time.
std::span<const ProtocolType> gas_town_types();
std::span<const ProtocolType> agent_mail_types();
std::span<const ProtocolType> directory_types();

}  // namespace townpost::protocol
