#pragma once
#include <map>

#include "app/postgres_door.h"
#include "base/mutex.h"
#include "store/db/server_time.h"

namespace townpost {

/// PostgreSQL by its own client library.
class LibpqDoor final : public PostgresDoor {
 public:
  Result<std::unique_ptr<Database>> open(const std::string& url, std::optional<Millis> hurry) override;
  Result<std::unique_ptr<Bell>> bell(const std::string& url) override;
  std::shared_ptr<const Clock> clock(Database& database) override;

 private:
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<ServerTime>> times_ GUARDED_BY(mutex_);  ///< by url
};

}  // namespace townpost
