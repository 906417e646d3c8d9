#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "store/db/database.h"

namespace townpost {

/// What a copy did.
struct CopyReport {
  std::int64_t rows = 0;     ///< of the source
  std::int64_t written = 0;  ///< of them; the rest was there already, from an interrupted copy
  std::int64_t messages = 0;
};

/// Told after every page: which table, how many rows of all are done.
using CopyProgress = std::function<void(std::string_view table, std::int64_t done, std::int64_t total)>;

/// Copies a whole town from one database into another, which must be new, empty or an unfinished copy, and then
/// compares every row of both. Writers of the source wait meanwhile. Interrupted, the target says that it is
/// unfinished; the same call goes on where it stopped. The search index is not copied: the target makes its own.
Result<CopyReport> copy_town(Database& from, Database& to, const CopyProgress& progress);

}  // namespace townpost
