#pragma once
#include <map>
#include <memory>
#include <string>

#include "post/town/bell.h"
#include "store/db/postgres_link.h"

namespace townpost {

/// Hears what commits tell (LISTEN), on a connection of its own that is made when somebody first listens.
class PostgresBell final : public Bell {
 public:
  /// Error: usage for a malformed url, unavailable without the client library.
  static Result<std::unique_ptr<PostgresBell>> open(const std::string& url);

  void ring(const BellKey&) override {}  // the commit rang
  std::int64_t stamp(const BellKey& key) override;
  void wait(const BellKey& key, std::int64_t seen, Millis longest) override;
  void wait_for_any(const std::vector<int>& also, Millis longest) override;
  bool stamps_last() const override { return false; }

 private:
  PostgresBell(const Libpq& pq, PostgresAddress address) : link_(pq, std::move(address)) {}
  bool begin_to_listen();
  std::int64_t rings(const BellKey& key) const;
  void hear();

  PostgresLink link_;
  std::map<std::string, std::int64_t, std::less<>> rings_;
  std::int64_t deaf_times_ = 0;  ///< how often we began to listen: what rang before that was not heard
};

}  // namespace townpost
