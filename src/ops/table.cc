#include "ops/table.h"

#include <array>

namespace townpost {

std::span<const OpEntry> op_table() {
#define TOWNPOST_ENTRY(name, row) OpEntry{name, ops::row},
  static constexpr std::array kTable = {TOWNPOST_OPERATIONS(TOWNPOST_ENTRY, TOWNPOST_ENTRY)};
#undef TOWNPOST_ENTRY
  return kTable;
}

}  // namespace townpost
