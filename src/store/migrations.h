#pragma once
#include <span>
#include <string_view>

#include "base/result.h"
#include "store/db/database.h"

namespace townpost {

/// One numbered step of the schema. `sql` is common; the other two are added on that store only.
struct Migration {
  std::int64_t version = 0;
  std::string_view sql;
  std::string_view sqlite_only;
  std::string_view postgres_only;
};

/// The steps of this program, 1, 2, 3, …
std::span<const Migration> migrations();

/// One step inside the caller's transaction; who calls notes the version.
Result<> apply_step(Database& database, const Migration& step);

/// Applies what is missing, each step in a transaction of its own. A crash leaves the schema at a whole step.
Result<> migrate(Database& database, std::span<const Migration> steps = migrations());

/// That the store has exactly the schema of this program. Error: unavailable, saying which side is older.
Result<> check_schema(Database& database, std::span<const Migration> steps = migrations());

}  // namespace townpost
