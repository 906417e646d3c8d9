#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace townpost {

/// A column as `store copy` and `store check` see it.
struct StoredColumn {
  std::string name;
  bool text = false;
  bool key = false;
  struct Range {
    std::int64_t least;
    std::int64_t most;
  };
  std::optional<Range> range;  ///< what a number there may be; nothing: anything
};

struct StoredTable {
  std::string name;
  std::vector<StoredColumn> columns;  ///< in their order, the key in front
};

/// Every table of a town but the search index, which each store makes for itself. From store/tables.h, and those whose
/// rows are no values of their own.
const std::vector<StoredTable>& stored_tables();

}  // namespace townpost
