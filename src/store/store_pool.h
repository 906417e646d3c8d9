#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "post/town/bell.h"
#include "post/town/store.h"
#include "store/sql_store.h"

namespace townpost {

/// A store for many threads over a number of connections, which are made when they are needed: each call takes a free
/// one, or waits for it as long as its caller has patience. So many may wait; whoever comes then is told to come again.
class StorePool final : public Store {
 public:
  using Connect = std::function<Result<std::unique_ptr<Database>>()>;
  struct Bounds {
    std::size_t connections = 8;
    std::size_t waiting = 1024;
  };
  static Result<std::unique_ptr<StorePool>> open(const Connect& connect, Bounds bounds, Bell* bell);
  /// `first`: a connection that is there already.
  StorePool(std::unique_ptr<Database> first, Connect connect, Bounds bounds, Bell* bell);

  /// Error: unavailable, if too many wait, no connection becomes free in time, or none can be made.
  Result<> run(Access access, const Transaction& work, const Patience& patience) override;

 private:
  /// A free connection; nothing: the caller is to make one.
  Result<std::unique_ptr<SqlStore>> take(const Patience& patience);
  Result<std::unique_ptr<SqlStore>> make() const;
  void give_back(std::unique_ptr<SqlStore> store);

  const Connect connect_;
  const Bounds bounds_;
  Bell* const bell_;
  Mutex mutex_;
  Signal freed_;
  std::vector<std::unique_ptr<SqlStore>> free_ GUARDED_BY(mutex_);
  std::size_t made_ GUARDED_BY(mutex_) = 1;  ///< connections, those that are being made included
  std::size_t waiting_ GUARDED_BY(mutex_) = 0;
};

}  // namespace townpost
