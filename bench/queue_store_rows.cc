// Workers as processes are: each has a store of its own, and waits for the others' commits.
#include "base/text.h"
#include "bench/queue_work.h"
#include "store/db/postgres.h"
#include "store/db/sqlite.h"
#include "store/file_bell.h"
#include "store/migrations.h"
#include "store/sql_store.h"
#include "support/postgres_server.h"

namespace townpost::bench {

namespace {

constexpr int kMessages = 6'000;
constexpr std::chrono::seconds kLongest(6);
constexpr int kRounds = 3;

/// Bells that the commit rings.
class NoBell final : public Bell {
 public:
  void ring(const BellKey&) override {}
};

/// What one worker has of a town.
struct Place {
  std::shared_ptr<const Clock> clock;
  std::unique_ptr<Store> store;
  SystemRandom random;
  Machine machine;
  std::unique_ptr<Town> town;
};
using Places = std::vector<std::unique_ptr<Place>>;

void open_town(Place& place, const std::filesystem::path& folder, Bell& bell) {
  place.town =
      std::make_unique<Town>(Town{folder, Settings(), *place.store, bell, place.machine, *place.clock, place.random});
}

Worked all_work(const Places& places) {
  fill_queue(*places.front()->town, kMessages);
  std::vector<Town*> towns;
  for (const auto& place : places) towns.push_back(place->town.get());
  return work_off(towns, kMessages, kLongest);
}

Worked on_sqlite(const std::filesystem::path& folder) {
  FileBell bell(folder / ".town");
  Places places;
  for (int i = 0; i < kWorkers; ++i) {
    auto& place = *places.emplace_back(std::make_unique<Place>());
    place.clock = std::make_shared<SystemClock>();
    place.store = std::make_unique<SqlStore>(
        must(SqliteDatabase::open(folder / ".town" / "town.db", SqliteDatabase::Mode::existing)), &bell);
    open_town(place, folder / ".town", bell);
  }
  return all_work(places);
}

Worked on_postgres(const std::filesystem::path& folder, const std::string& url) {
  must(migrate(*must(PostgresDatabase::open(url, std::nullopt))));
  NoBell bell;
  Places places;
  for (int i = 0; i < kWorkers; ++i) {
    auto& place = *places.emplace_back(std::make_unique<Place>());
    auto database = must(PostgresDatabase::open(url, std::nullopt));
    place.clock = database->time();
    place.store = std::make_unique<SqlStore>(std::move(database), nullptr);
    open_town(place, folder / ".town", bell);
  }
  return all_work(places);
}

}  // namespace

Measured queue_claim_64_postgres(Workshop& workshop) {
  PostgresServer server;
  std::vector<Worked> of_postgres, of_sqlite;
  for (int round = 0; round < kRounds; ++round) {
    // a b, b a, a b, each in a store of its own
    const auto& town = workshop.town(cat("queue-stores-", round), 0);
    const auto postgres = [&] { of_postgres.push_back(on_postgres(town.folder, server.make_database())); };
    const auto sqlite = [&] { of_sqlite.push_back(on_sqlite(town.folder)); };
    if (round % 2 == 0) postgres();
    sqlite();
    if (round % 2 != 0) postgres();
  }
  const Worked& ours = median(of_postgres);
  const Worked& reference = median(of_sqlite);
  return {.value = ours.rate(),
          .unit = "claims/s",
          .reference = reference.rate(),
          .remarks = {cat("64 stores on PostgreSQL: ", ours.str()), cat("64 stores on SQLite:     ", reference.str())}};
}

}  // namespace townpost::bench
