#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "post/town/bell.h"
#include "post/town/store.h"
#include "store/db/database.h"
#include "store/sql_ledger.h"
#include "store/store_pool.h"

namespace townpost {

/// A store for many threads: one of its own writes, and commits what came in meanwhile in one step, so that many
/// callers share one fsync. Each write is still all or nothing by itself, and its caller is answered only after the
/// commit. So many may wait; whoever comes then is told to come again. Reads go to connections of their own. `bell` may
/// be null and must be safe to ring from another thread.
class GroupCommitStore final : public Store {
 public:
  using Connect = std::function<Result<std::unique_ptr<Database>>()>;
  struct Bounds {
    std::size_t readers = 4;
    std::size_t waiting = 1024;  ///< writes
    int memory = 64;             ///< MiB that the writer may keep of the store
  };
  static Result<std::unique_ptr<GroupCommitStore>> open(const Connect& connect, Bounds bounds, Bell* bell);
  ~GroupCommitStore() override;
  GroupCommitStore(const GroupCommitStore&) = delete;
  GroupCommitStore& operator=(const GroupCommitStore&) = delete;

  /// Error: unavailable, if too many wait or its turn does not come in time.
  Result<> run(Access access, const Transaction& work, const Patience& patience) override;

 private:
  /// How the writes of a group are kept apart, and what is tried after it.
  enum class Apart {
    by_counting,    ///< whoever fails has changed nothing; if it has, the group is run again with savepoints
    by_savepoints,  ///< whoever fails is undone alone
    by_turns,       ///< each in a transaction of its own
  };
  /// A write that waits for its turn, and then for its commit. Owned by its caller and by the writer, because the one
  /// may be gone while the other still wakes it.
  struct Job {
    const Transaction* work = nullptr;
    Result<> outcome;
    std::vector<BellKey> rung;
    Apart apart = Apart::by_counting;  ///< the writer's
    int tries = 0;                     ///< the writer's
    std::atomic<int> done = 0;  ///< an int is waited for by itself; a bool shares its place with others' and wakes them
    Signal answered;            ///< for whoever has limits to its patience
  };
  using Group = std::vector<std::shared_ptr<Job>>;
  enum class Then {
    answered,
    again,  ///< nothing of it is stored, and each waits for its turn once more
  };

  GroupCommitStore(std::unique_ptr<Database> writer, std::unique_ptr<StorePool> readers, std::size_t most_waiting,
                   Bell* bell);
  /// Waits for the answer; leaves before its turn if that does not come in time.
  Result<> wait_for(const std::shared_ptr<Job>& job, const Patience& patience);
  void write_until_closed();
  /// Begins a transaction for whoever waits by then. False: nobody waits any more, or none can be begun.
  bool begin();
  /// Those who share the transaction that was begun; nobody, if all have left.
  Group next_group();
  Then commit_group(const Group& group);
  Result<> run_group(const Group& group, Apart apart, std::vector<BellKey>& rung);
  Result<> run_in_group(Job& job, Apart apart, SqlLedger::Count& count);
  Then commit_alone(Job& job);
  void answer(const Group& group);

  std::unique_ptr<Database> database_;
  std::unique_ptr<StorePool> readers_;
  const std::size_t most_waiting_;
  Bell* bell_;
  Mutex mutex_;
  Signal arrived_;
  Group waiting_ GUARDED_BY(mutex_);           ///< each may leave until its transaction is begun
  std::size_t wanted_ GUARDED_BY(mutex_) = 1;  ///< how many must wait before the writer is woken
  bool closing_ GUARDED_BY(mutex_) = false;
  std::thread writer_;
};

}  // namespace townpost
