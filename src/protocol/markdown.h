#pragma once
#include <string>

#include "protocol/type_registry.h"

namespace townpost::protocol {

/// The types as Markdown tables, one a dialect: what docs/protocol.md shows, and what a town with types of its own has.
std::string registry_markdown(const TypeRegistry& registry);

}  // namespace townpost::protocol
