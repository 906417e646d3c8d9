#pragma once
#include <string>
#include <vector>

#include "store/db/database.h"

namespace townpost {

/// Reads every row of every table and tells which values this program would never have written: numbers out of their
/// range, texts that are none, addresses that are none. One line each, the first few of them.
Result<std::vector<std::string>> damaged_values(Database& database);

}  // namespace townpost
