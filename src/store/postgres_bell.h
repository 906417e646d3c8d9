#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "post/town/bell.h"
#include "store/db/postgres_link.h"

namespace townpost {

/// Hears what commits tell (LISTEN), on a connection of its own that is made when somebody first listens. What was
/// heard is kept until it is asked for: one thread uses it, with one listener at a time.
class PostgresBell final : public Bell {
 public:
  /// Error: usage for a malformed url, unavailable without the client library.
  static Result<std::unique_ptr<PostgresBell>> open(const std::string& url);

  void ring(const BellKey&) override {}  // the commit rang
  std::int64_t stamp(const BellKey& key) override;
  void wait(const BellKey& key, std::int64_t seen, Millis longest) override;
  std::unique_ptr<Listener> listen(const std::vector<BellKey>& keys,
                                   const std::vector<std::filesystem::path>& folders) override;
  std::unique_ptr<Listener> listen_to_all(const std::vector<std::filesystem::path>& folders) override;
  bool stamps_last() const override { return false; }

 private:
  PostgresBell(const Libpq& pq, PostgresAddress address) : link_(pq, std::move(address)) {}
  template <class Place>
  class ListenerBeside;
  bool begin_to_listen();
  /// The names of what rang since the last call. Nothing: some of it was not heard.
  std::optional<std::set<std::string>> rung_since();
  std::int64_t rings(const BellKey& key) const;
  void hear();

  PostgresLink link_;
  std::map<std::string, std::int64_t, std::less<>> rings_;
  std::set<std::string> rung_;   ///< since the listener asked
  bool is_heard_whole_ = false;  ///< nothing rang unheard since then
  std::int64_t deaf_times_ = 0;  ///< how often we began to listen: what rang before that was not heard
};

}  // namespace townpost
