#include "store/store_pool.h"

#include <chrono>

#include "base/text.h"

namespace townpost {

Result<std::unique_ptr<StorePool>> StorePool::open(const Connect& connect, Bounds bounds, Bell* bell) {
  TRY(first, connect());
  return std::make_unique<StorePool>(std::move(first), connect, bounds, bell);
}

StorePool::StorePool(std::unique_ptr<Database> first, Connect connect, Bounds bounds, Bell* bell)
    : connect_(std::move(connect)), bounds_(bounds), bell_(bell) {
  give_back(std::make_unique<SqlStore>(std::move(first), bell));
}

Result<std::unique_ptr<SqlStore>> StorePool::make() const {
  TRY(database, connect_());
  return std::make_unique<SqlStore>(std::move(database), bell_);
}

Result<std::unique_ptr<SqlStore>> StorePool::take(const Patience& patience) {
  using Timer = std::chrono::steady_clock;
  std::optional<Timer::time_point> until;
  if (patience.longest) until = Timer::now() + *patience.longest;
  MutexLock lock(mutex_);
  if (free_.empty() && made_ == bounds_.connections) {
    if (waiting_ >= bounds_.waiting)
      return fail(Code::unavailable, cat("too busy: ", waiting_, " calls wait for the store"), "try again in a moment");
    ++waiting_;
    Result<> wanted;
    while (free_.empty() && made_ == bounds_.connections) {
      if (until && Timer::now() >= *until)
        wanted = fail(Code::unavailable, "the store is in use by others", "try again in a moment");
      else
        wanted = patience.check();
      if (!wanted) break;
      if (patience.has_limits())
        freed_.wait_until(lock, Timer::now() + kTurnLook);
      else
        freed_.wait(lock);
    }
    --waiting_;
    if (!wanted) {
      freed_.notify_one();  // what woke us is another's now
      return Failure(wanted.error());
    }
  }
  if (free_.empty()) {
    ++made_;
    return std::unique_ptr<SqlStore>();
  }
  auto store = std::move(free_.back());
  free_.pop_back();
  return store;
}

void StorePool::give_back(std::unique_ptr<SqlStore> store) {
  {
    const MutexLock lock(mutex_);
    if (store)
      free_.push_back(std::move(store));
    else
      --made_;
  }
  freed_.notify_one();
}

Result<> StorePool::run(Access access, const Transaction& work, const Patience& patience) {
  TRY(store, take(patience));
  if (!store) {  // outside of the lock: a server may take its time to answer
    auto made = make();
    if (!made) {
      give_back(nullptr);
      return Failure(made.error());
    }
    store = std::move(*made);
  }
  auto outcome = store->run(access, work, patience);
  give_back(std::move(store));
  return outcome;
}

}  // namespace townpost
