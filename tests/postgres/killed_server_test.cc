#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "postgres/fixture.h"
#include "support/await.h"
#include "support/postgres_server.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

// The processes are killed, not the machine: what was written is there, synced or not.
const PostgresServer::Options kQuick{.listen = "", .settings = {"fsync=off"}};

TEST(KilledServer, IsWaitedForByWhoBegins) {
  PostgresServer server(kQuick);
  const auto url = server.make_database();
  auto database = must(PostgresDatabase::open(url, std::nullopt));
  must(migrate(*database));
  server.kill();
  std::thread repair([&] {
    std::this_thread::sleep_for(300ms);
    server.start();
  });
  const auto begun = database->begin(Access::write);
  repair.join();
  must(begun);
  must(database->commit());
}

TEST(KilledServer, ThatStaysAwayIsAnErrorThatSaysWhatToDo) {
  PostgresServer server(kQuick);
  auto database = must(PostgresDatabase::open(server.url(), Millis(300)));
  server.kill();
  const Error error = error_of(database->begin(Access::write));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, cat("the database at ", database->place(), " does not answer"))) << error.message;
  EXPECT_TRUE(mentions(error.hint, "is PostgreSQL running")) << error.hint;
  EXPECT_FALSE(database->may_repeat());
}

TEST(KilledServer, InTheMiddleOfATransactionLeavesNothingBehind) {
  PostgresServer server(kQuick);
  const auto url = server.make_database();
  auto database = must(PostgresDatabase::open(url, std::nullopt));
  must(migrate(*database));
  must(database->begin(Access::write));
  must(database->run("DELETE FROM agent"));
  server.kill();
  EXPECT_FALSE(database->run("SELECT 1").has_value());
  EXPECT_TRUE(database->may_repeat());
  database->rollback();
  server.start();
  EXPECT_GT(number(*database, "SELECT count(*) FROM agent"), 0);
}

// What a writer was told, for each of its writes.
struct Told {
  std::mutex mutex;
  std::set<std::string> stored;
  std::set<std::string> unknown;
  std::set<std::string> refused;
};

void write_until(const std::atomic<bool>& enough, const std::string& url, int writer, Told& told) {
  SqlStore store(must(PostgresDatabase::open(url, std::nullopt)), nullptr);
  for (int i = 0; !enough; ++i) {
    const std::string name = cat("w", writer, "-", i);
    const auto done = store.write([&](Ledger& ledger) { return ledger.add_rig({.name = name, .prefix = name}); });
    const std::lock_guard lock(told.mutex);
    if (done)
      told.stored.insert(name);
    else if (mentions(done.error().message, "not known whether"))
      told.unknown.insert(name);
    else
      told.refused.insert(name);
  }
}

TEST(KilledServer, KeepsEveryWriteThatItAcknowledgedAndNoneThatItRefused) {
  PostgresServer server(kQuick);
  const auto url = server.make_database();
  must(migrate(*must(PostgresDatabase::open(url, std::nullopt))));
  Told told;
  std::atomic<bool> enough = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) writers.emplace_back([&, i] { write_until(enough, url, i, told); });
  const auto await_writes = [&](std::size_t more) {
    const auto stored = [&] {
      const std::lock_guard lock(told.mutex);
      return told.stored.size();
    };
    await("more is written", [&, before = stored()] { return stored() >= before + more; });
  };
  for (int round = 0; round < 6; ++round) {
    await_writes(30);
    server.kill();
    server.start();
  }
  await_writes(30);
  enough = true;
  for (auto& writer : writers) writer.join();

  std::set<std::string> there;
  auto database = must(PostgresDatabase::open(url, std::nullopt));
  must(database->run("SELECT name FROM rig", {}, [&](const Row& row) {
    there.insert(row.string(0));
    return Next::go_on;
  }));
  for (const auto& name : told.stored) EXPECT_TRUE(there.count(name)) << name << " was acknowledged and is lost";
  for (const auto& name : told.refused) EXPECT_FALSE(there.count(name)) << name << " was refused and is there";
  for (const auto& name : there)
    EXPECT_TRUE(told.stored.count(name) || told.unknown.count(name)) << name << " came from nowhere";
}

}  // namespace
}  // namespace townpost
