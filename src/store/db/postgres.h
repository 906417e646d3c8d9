#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "store/db/database.h"
#include "store/db/postgres_link.h"

namespace townpost {

/// The store on a PostgreSQL. Writers of a town queue on an advisory lock; a connection that is lost between
/// transactions is made again, going through every host of the address; after one that is lost at a commit the server
/// is asked what became of it.
class PostgresDatabase final : public Database {
 public:
  /// With `hurry`: answers unavailable instead of waiting longer, for the connection and for every statement.
  static Result<std::unique_ptr<PostgresDatabase>> open(const std::string& url, std::optional<Millis> hurry);
  ~PostgresDatabase() override { rollback(); }
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  /// "host:port/database", for people.
  std::string place() const { return link_.address().place(); }
  /// The server's clock, as of the last beginning; never earlier than an answer before.
  Instant now() const;

  Dialect dialect() const override { return Dialect::postgres; }
  std::string identity() override;
  Result<> begin(Access access) override;
  Result<> take_turn() override;
  void notify(std::string_view text) override;
  Result<> commit() override;
  void rollback() override;
  bool may_repeat() const override { return may_repeat_; }
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override;
  Result<> run_script(const std::string& sql) override;
  Result<std::int64_t> schema_version() override;
  Result<> set_schema_version(std::int64_t version) override;

 private:
  PostgresDatabase(const Libpq& pq, PostgresAddress address, std::optional<Millis> hurry);
  Reply<void> connect_once(std::optional<Millis> limit);
  /// Connects if need be and does `what`, again and again while the server is away, for a bounded time.
  template <class What>
  auto patiently(const What& what) -> decltype(what());
  Result<> need_connection();
  Reply<void> begin_once(Access access);
  Reply<ServerAnswer> send(Sql sql, const std::vector<const char*>& values);
  std::string commit_script() const;
  enum class Outcome { stored, not_stored, undecided, forgotten };
  Reply<Outcome> ask_outcome();
  Result<> find_outcome(const Trouble& trouble);
  Failure failed(const Trouble& trouble);
  void set_clock(std::int64_t server_ms);

  PostgresLink link_;
  std::optional<Millis> hurry_;
  std::optional<Access> transaction_;  ///< the one that is open
  bool may_repeat_ = false;
  std::vector<std::string> notes_;  ///< to be told at the commit

  // How a commit is recognised afterwards: the transaction's number and, since a crash can make the server give that
  // number again, a mark of ours that is stored with it.
  std::string number_;
  bool leaves_mark_ = false;
  std::int64_t mark_;

  struct Statement {
    std::string name;
    bool prepared = false;
  };
  std::map<const char*, Statement> statements_;  ///< of this connection
  std::atomic<std::int64_t> clock_offset_ = 0;   ///< server's minus ours, in ms
  mutable std::atomic<std::int64_t> last_now_ = 0;
};

/// The clock of the database: one for all machines of a town.
class DatabaseClock final : public Clock {
 public:
  explicit DatabaseClock(const PostgresDatabase& database) : database_(database) {}
  Instant now() const override { return database_.now(); }

 private:
  const PostgresDatabase& database_;
};

}  // namespace townpost
