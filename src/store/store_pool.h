#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "post/town/bell.h"
#include "post/town/store.h"
#include "store/sql_store.h"

namespace townpost {

/// A store for many threads over a fixed number of connections: each call takes a free one, or waits for it.
class StorePool final : public Store {
 public:
  using Connect = std::function<Result<std::unique_ptr<Database>>()>;
  static Result<std::unique_ptr<StorePool>> open(const Connect& connect, std::size_t connections, Bell* bell);

  Result<> read(const Transaction& work) override;
  Result<> write(const Transaction& work) override;
  Result<> write_beside_others(const Transaction& work) override;

 private:
  StorePool() = default;
  /// Runs `call` on a free connection.
  Result<> with_store(const std::function<Result<>(Store&)>& call);

  Mutex mutex_;
  Signal freed_;
  std::vector<std::unique_ptr<SqlStore>> free_ GUARDED_BY(mutex_);
};

}  // namespace townpost
