#include <atomic>
#include <chrono>
#include <vector>

#include "base/text.h"
#include "bench/many_threads.h"
#include "bench/postgres_reference.h"
#include "bench/queue_work.h"
#include "post/people/registry.h"
#include "store/db/sqlite.h"
#include "store/file_bell.h"
#include "store/group_commit_store.h"
#include "support/postgres_server.h"

namespace townpost::bench {

namespace {

constexpr int kMessages = 20'000;
constexpr std::chrono::seconds kLongest(10);
constexpr std::size_t kReaders = 4;
constexpr int kRounds = 5;  // in turn, because one round takes but a second or two and a disk has its moods

/// Our queue: 64 threads of one process, one writer with group commit, through the services as `gt` uses them.
Worked work_off_ours(const std::filesystem::path& folder) {
  FileBell bell(folder / ".town");
  auto store = must(GroupCommitStore::open(
      [&]() -> Result<std::unique_ptr<Database>> {
        TRY(database, SqliteDatabase::open(folder / ".town" / "town.db", SqliteDatabase::Mode::existing));
        return std::unique_ptr<Database>(std::move(database));
      },
      {.readers = kReaders}, &bell));
  Machine sessions;
  SystemClock clock;
  SystemRandom random;
  Town town{folder / ".town", Settings(), *store, bell, sessions, clock, random};
  fill_queue(town, kMessages);
  return work_off(std::vector<Town*>(kWorkers, &town), kMessages, kLongest);
}

/// The same by hand on PostgreSQL: one connection a thread, claims with SKIP LOCKED, freshly vacuumed.
Worked work_off_theirs(const std::string& url) {
  HandConnection setup(url);
  setup.script(
      "CREATE TABLE item (id BIGINT PRIMARY KEY, queue BIGINT NOT NULL, state BIGINT NOT NULL, rank BIGINT NOT NULL,"
      " attempts BIGINT NOT NULL, holder BIGINT, claimed_at BIGINT, lease_until BIGINT NOT NULL, ended_at BIGINT,"
      " subject TEXT NOT NULL, body TEXT NOT NULL);"
      "CREATE INDEX item_available ON item (queue, rank, id) WHERE state = 0");
  setup.script(
      cat("INSERT INTO item SELECT i, 1, 0, 0, 0, NULL, NULL, 0, NULL, 'job ' || i, 'do it' FROM"
          " generate_series(1, ",
          kMessages, ") AS i"));
  setup.script("VACUUM ANALYZE item");
  std::atomic<int> completed = 0;
  std::vector<std::unique_ptr<HandConnection>> connections;
  for (int i = 0; i < kWorkers; ++i) {
    auto& connection = *connections.emplace_back(std::make_unique<HandConnection>(url));
    connection.prepare("claim",
                       "UPDATE item SET state = 1, holder = $1, claimed_at = $2, lease_until = $3,"
                       " attempts = attempts + 1 WHERE id = (SELECT id FROM item WHERE queue = 1 AND state = 0"
                       " ORDER BY rank, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, subject, body, attempts");
    connection.prepare("complete",
                       "UPDATE item SET state = 2, ended_at = $3, lease_until = 0 WHERE id = $1 AND holder = $2"
                       " AND state = 1");
  }
  const SystemClock clock;
  const auto end = std::chrono::steady_clock::now() + kLongest;
  const double seconds = run_in_threads(kWorkers, [&](int number) {
    auto& connection = *connections[static_cast<std::size_t>(number)];
    const std::string self = std::to_string(number);
    while (std::chrono::steady_clock::now() < end) {
      const auto now = clock.now().ms;
      const auto id = connection.run("claim", {self, std::to_string(now), std::to_string(now + 600'000)});
      if (id.empty()) return;
      connection.run("complete", {id, self, std::to_string(clock.now().ms)});
      ++completed;
    }
  });
  return {completed, seconds};
}

}  // namespace

Measured queue_claim_64(Workshop& workshop) {
  PostgresServer server;
  std::vector<Worked> of_us, of_them;
  for (int round = 0; round < kRounds; ++round) {
    // a b, b a, a b …, each in a store of its own
    const auto us = [&] { of_us.push_back(work_off_ours(workshop.town(cat("queue-", round), 0).folder)); };
    const auto them = [&] { of_them.push_back(work_off_theirs(server.make_database())); };
    if (round % 2 == 0) us();
    them();
    if (round % 2 != 0) us();
  }
  const Worked& ours = median(of_us);
  const Worked& theirs = median(of_them);
  return {.value = ours.rate(),
          .unit = "claims/s",
          .reference = theirs.rate(),
          .remarks = {cat("townpost, group commit: ", ours.str()), cat("PostgreSQL by hand:     ", theirs.str())}};
}

/// A post to a channel that a thousand agents follow, against a message to one of them.
Measured channel_post_1000_subscribers(Workshop& workshop) {
  constexpr int kSubscribers = 1000;
  const auto& town = workshop.town("channel", 10'000);
  {
    auto database = must(SqliteDatabase::open(town.store(), SqliteDatabase::Mode::existing));
    SqlStore store(std::move(database), nullptr);
    must(store.write([&](Ledger& ledger) -> Result<> {
      const Instant now = SystemClock().now();
      TRY(id, ledger.add_channel({.id = {}, .name = "news", .creator = {1}, .created_at = now}));
      for (int i = 0; i < kSubscribers; ++i) {
        TRY(address, Address::parse(cat("reader", i)));
        TRY(reader, ensure_agent(ledger, address, now));
        TRY_VOID(ledger.add_subscription({.channel = id, .member = address.str(), .agent = reader.id}));
      }
      return {};
    }));
  }
  Command post = workshop.gt(town, "", {"mail", "send", "channel:news", "-s", "main is green", "-m", "at 3f2a"});
  Command send = workshop.gt(town, "", {"mail", "send", town.worker.address, "-s", "main is green", "-m", "at 3f2a"});
  const auto [posts, sends] = alternate(post, send, 20, 300);
  return {.value = posts.median(),
          .unit = "ms",
          .reference = sends.median(),
          .remarks = {cat("a post:  ", posts.str()), cat("a send:  ", sends.str())}};
}

}  // namespace townpost::bench
