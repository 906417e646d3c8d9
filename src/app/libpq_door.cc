#include "app/libpq_door.h"

#include "store/db/postgres.h"
#include "store/postgres_bell.h"

namespace townpost {

Result<std::unique_ptr<Database>> LibpqDoor::open(const std::string& url, std::optional<Millis> hurry) {
  std::shared_ptr<ServerTime> time;
  {
    const MutexLock lock(mutex_);
    auto& known = times_[url];
    if (!known) known = std::make_shared<ServerTime>();
    time = known;
  }
  TRY(database, PostgresDatabase::open(url, hurry, std::move(time)));
  return std::unique_ptr<Database>(std::move(database));
}

Result<std::unique_ptr<Bell>> LibpqDoor::bell(const std::string& url) {
  TRY(bell, PostgresBell::open(url));
  return std::unique_ptr<Bell>(std::move(bell));
}

std::shared_ptr<const Clock> LibpqDoor::clock(Database& database) {
  return static_cast<PostgresDatabase&>(database).time();
}

}  // namespace townpost
