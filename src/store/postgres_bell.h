#pragma once
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/mutex.h"
#include "post/town/bell.h"
#include "store/db/postgres_link.h"

namespace townpost {

/// Hears what commits tell (LISTEN), on one connection for the process, which is made when somebody first listens. The
/// server tells it only of bells that somebody here listens to, so the commits of others wake nobody. Any thread may
/// listen, each with a listener of its own: one of those that wait reads the connection for all, and wakes whom a ring
/// concerns. So a ring costs the others nothing, and no thread is kept for it.
class PostgresBell final : public Bell {
 public:
  /// Error: usage for a malformed url, unavailable without the client library.
  static Result<std::unique_ptr<PostgresBell>> open(const std::string& url);

  void ring(const BellKey&) override {}  // the commit rang
  std::unique_ptr<Listener> listen(const std::vector<BellKey>& keys,
                                   const std::vector<std::filesystem::path>& folders) override;
  std::unique_ptr<Listener> listen_to_all(const std::vector<std::filesystem::path>& folders) override;

 private:
  PostgresBell(const Libpq& pq, PostgresAddress address);
  class Seat;
  template <class Place>
  class ListenerBeside;

  /// Has a connection that hears the bells of every seat; `joining` is one that has no gap to be told of.
  bool begin_to_listen(const Seat* joining) REQUIRES(mutex_);
  /// Takes what the connection was told, for every seat that it concerns.
  void hear() REQUIRES(mutex_);
  /// Whoever reads the connection sleeps at a socket that is closed now.
  void wake_the_leader() REQUIRES(mutex_);
  /// Where this seat sleeps: at the connection, if nobody else reads it; else -1. Without a connection it tries to get
  /// one first.
  int take_the_lead(Seat& seat);
  /// Somebody else reads the connection from now on, if anybody waits.
  void leave_the_lead(const Seat& seat);
  /// What concerns this seat since it asked last.
  Heard heard_by(Seat& seat);
  bool is_connected();

  Mutex mutex_;
  PostgresLink link_ GUARDED_BY(mutex_);
  std::list<Seat*> seats_ GUARDED_BY(mutex_);
  const Seat* leader_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace townpost
