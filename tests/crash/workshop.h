#pragma once
#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/libpq_door.h"
#include "app/store_place.h"
#include "base/random.h"
#include "post/lists/queues.h"
#include "store/db/database.h"
#include "support/fakes.h"
#include "support/postgres_server.h"
#include "support/test_town.h"

namespace townpost {

/// Where a workshop's town has its store.
struct Ground {
  const char* name;
  bool on_postgres;
};
inline std::ostream& operator<<(std::ostream& out, const Ground& ground) { return out << ground.name; }
inline constexpr Ground kGrounds[] = {{"sqlite", false}, {"postgres", true}};

/// A town whose queue `work` is worked off by processes, with its store in a file or on a PostgreSQL of its own. The
/// limits are off, because nobody here is an agent that could get into a loop.
class Workshop {
 public:
  explicit Workshop(const Ground& ground);

  const TestTown& town() const { return town_; }
  std::filesystem::path evidence() const { return town_.folder() / "evidence"; }  ///< what workers were told
  std::unique_ptr<Database> connect() const;
  /// Its PostgreSQL; none on SQLite.
  const PostgresServer* server() const { return server_ ? &*server_ : nullptr; }

  /// Makes the queue. Fails the test if that is refused.
  void make_queue(Millis lease, int max_attempts) const;
  /// Messages to the queue, many at a time; the senders take turns.
  void fill_queue(int messages, const std::vector<Caller>& senders);
  /// What is where in the queue.
  Result<QueueCounts> count(Store& store);

 private:
  Town open(Store& store);

  TestTown town_{TestTown::Start::empty_folder};
  std::optional<PostgresServer> server_;
  StorePlace place_;
  mutable LibpqDoor postgres_;
  CountingBell bell_;
  Machine sessions_;
  SystemClock clock_;
  SystemRandom random_;
};

/// Processes that claim and complete (queue_worker_main.cc); each one that is killed gets a successor under another
/// name.
class Workers {
 public:
  enum class Conduct { steady, whimsical };
  Workers(const Workshop& workshop, int number, Conduct conduct);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  /// Kills one and starts its successor.
  void replace(std::size_t which);

 private:
  pid_t start();
  const Workshop& workshop_;
  Conduct conduct_;
  std::vector<pid_t> workers_;
  int started_ = 0;
};

}  // namespace townpost
