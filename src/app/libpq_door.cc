#include "app/libpq_door.h"

#include "store/db/postgres.h"
#include "store/postgres_bell.h"

namespace townpost {

Result<std::unique_ptr<Database>> LibpqDoor::open(const std::string& url, std::optional<Millis> hurry) {
  TRY(database, PostgresDatabase::open(url, hurry));
  return std::unique_ptr<Database>(std::move(database));
}

Result<std::unique_ptr<Bell>> LibpqDoor::bell(const std::string& url) {
  TRY(bell, PostgresBell::open(url));
  return std::unique_ptr<Bell>(std::move(bell));
}

std::unique_ptr<Clock> LibpqDoor::clock(Database& database) {
  return std::make_unique<DatabaseClock>(static_cast<PostgresDatabase&>(database));
}

}  // namespace townpost
