#include "store/store_pool.h"

namespace townpost {

Result<std::unique_ptr<StorePool>> StorePool::open(const Connect& connect, std::size_t connections, Bell* bell) {
  std::unique_ptr<StorePool> pool(new StorePool());
  for (std::size_t i = 0; i < connections; ++i) {
    TRY(database, connect());
    const MutexLock lock(pool->mutex_);
    pool->free_.push_back(std::make_unique<SqlStore>(std::move(database), bell));
  }
  return pool;
}

Result<> StorePool::with_store(const std::function<Result<>(Store&)>& call) {
  MutexLock lock(mutex_);
  while (free_.empty()) freed_.wait(lock);
  auto store = std::move(free_.back());
  free_.pop_back();
  lock.unlock();
  auto outcome = call(*store);
  lock.lock();
  free_.push_back(std::move(store));
  lock.unlock();
  freed_.notify_one();
  return outcome;
}

Result<> StorePool::read(const Transaction& work) {
  return with_store([&](Store& store) { return store.read(work); });
}

Result<> StorePool::write(const Transaction& work) {
  return with_store([&](Store& store) { return store.write(work); });
}

Result<> StorePool::write_beside_others(const Transaction& work) {
  return with_store([&](Store& store) { return store.write_beside_others(work); });
}

}  // namespace townpost
