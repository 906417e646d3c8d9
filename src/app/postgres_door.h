#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "post/town/bell.h"
#include "store/db/database.h"

namespace townpost {

/// How a town whose state is in PostgreSQL is reached. `gt` itself has none of it, so that every other command starts
/// without the client library: its door hands the command over to `townpostd`, which has (docs/decisions/0011).
class PostgresDoor {
 public:
  virtual ~PostgresDoor() = default;
  /// A connection. With `hurry` nothing is waited for longer than that.
  virtual Result<std::unique_ptr<Database>> open(const std::string& url, std::optional<Millis> hurry) = 0;
  virtual Result<std::unique_ptr<Bell>> bell(const std::string& url) = 0;
  /// The clock of a database that this door opened.
  virtual std::shared_ptr<const Clock> clock(Database& database) = 0;
};

}  // namespace townpost
