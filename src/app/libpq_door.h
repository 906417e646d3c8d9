#pragma once
#include "app/postgres_door.h"

namespace townpost {

/// PostgreSQL by its own client library.
class LibpqDoor final : public PostgresDoor {
 public:
  Result<std::unique_ptr<Database>> open(const std::string& url, std::optional<Millis> hurry) override;
  Result<std::unique_ptr<Bell>> bell(const std::string& url) override;
  std::unique_ptr<Clock> clock(Database& database) override;
};

}  // namespace townpost
