#pragma once
#include <span>

#include "protocol/message_type.h"

namespace townpost::protocol {

/// The types of each dialect, in the order they are documented. Static data: nothing is made at run time.
std::span<const MessageType> gas_town_types();
std::span<const MessageType> agent_mail_types();
std::span<const MessageType> directory_types();

}  // namespace townpost::protocol
