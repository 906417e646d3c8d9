#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace townpost {

struct StoreInfo {
  std::string kind;   ///< "sqlite"
  std::string place;  ///< file or server
  std::int64_t schema = 0;
  std::int64_t newest_schema = 0;  ///< that this program knows
  std::int64_t messages = 0;
  std::int64_t agents = 0;
  std::int64_t bytes = 0;
};

struct Purged {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;  ///< by which the store is smaller now
};

/// Looking after the store itself, for one thread. Works on a store whose schema is not the program's, too.
class StoreAdmin {
 public:
  virtual ~StoreAdmin() = default;
  virtual Result<StoreInfo> info() = 0;
  /// What is wrong with the store, in words; empty if it is sound.
  virtual Result<std::vector<std::string>> check() = 0;
  virtual Result<> migrate() = 0;
  /// Erases messages whose every copy was deleted before `before`, and gives their space back.
  virtual Result<Purged> purge(Instant before) = 0;
  /// Erases what nobody asks for any more: keys of sends and wakes over a day old, ended nudges over a week. How many
  /// rows that were.
  virtual Result<std::int64_t> forget(Instant now) = 0;
};

}  // namespace townpost
