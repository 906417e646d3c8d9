#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "store/db/database.h"
#include "store/db/postgres_link.h"
#include "store/db/server_time.h"

namespace townpost {

/// The store on a PostgreSQL. Writers of a town queue on an advisory lock; a connection that is lost between
/// transactions is made again, going through every host of the address; after one that is lost at a commit the server
/// is asked what became of it.
class PostgresDatabase final : public Database {
 public:
  /// With `hurry`: answers unavailable instead of waiting longer, for the connection and for every statement. `time`
  /// is told what the server's clock says.
  static Result<std::unique_ptr<PostgresDatabase>> open(
      const std::string& url, std::optional<Millis> hurry,
      std::shared_ptr<ServerTime> time = std::make_shared<ServerTime>());
  ~PostgresDatabase() override { rollback(); }
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  /// "host:port/database", for people.
  std::string place() const { return link_.address().place(); }
  /// The server's clock, as of the last beginning or turn.
  std::shared_ptr<const ServerTime> time() const { return time_; }

  Dialect dialect() const override { return Dialect::postgres; }
  std::string identity() override;
  /// Its turn is waited for at the server, where nobody can call it off: only `longest` counts.
  void set_patience(const Patience& patience) override;
  Result<> begin(Access access) override;
  Result<> take_turn(const std::vector<Question>& first) override;
  void foresee(Sql sql, std::span<const Param> params) override;
  void notify(std::string_view text) override;
  Result<> commit() override;
  void rollback() override;
  bool may_repeat() const override { return may_repeat_; }
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override;
  Result<> execute_later(Sql sql, std::span<const Param> params) override;
  Result<> run_script(const std::string& sql) override;
  Result<std::int64_t> schema_version() override;
  Result<> set_schema_version(std::int64_t version) override;

 private:
  PostgresDatabase(const Libpq& pq, PostgresAddress address, std::optional<Millis> hurry,
                   std::shared_ptr<ServerTime> time);
  Reply<void> connect_once(std::optional<Millis> limit);
  /// Connects if need be and does `what`, again and again while the server is away, for a bounded time.
  template <class What>
  auto patiently(const What& what) -> decltype(what());
  Result<> need_connection();
  /// What the server is told at the beginning of a transaction that waits longer or shorter than usual.
  std::string hurry_of_transaction() const;
  bool has_own_hurry() const { return hurry_ != usual_hurry_; }
  Reply<void> begin_once(Access access);
  using Values = std::vector<std::optional<std::string>>;
  /// A statement that waits to be sent with the next one.
  struct Waiting {
    Sql sql;
    Values values;
    bool is(const Waiting& other) const { return sql.address() == other.sql.address() && values == other.values; }
  };
  static Result<Waiting> bound(Sql sql, std::span<const Param> params);
  /// Sends all that waits in one round trip, and `end` behind it; one answer each.
  Reply<PostgresLink::ServerAnswers> send_waiting(const std::optional<SentStatement>& end = std::nullopt);
  void add_requests(Waiting waiting, std::vector<SentStatement>& to, std::vector<const char*>& prepared);
  /// Before its turn: the answer to this question. The first one begins the transaction, and what was foreseen is asked
  /// along with it, all in one round trip.
  Reply<ServerAnswer> look(Waiting question);
  void forget_look();
  Reply<PostgresLink::ServerAnswers> ask_in_look(const std::vector<Waiting>& questions);
  static Result<> tell(const ServerAnswer& answer, const RowSink& sink);
  void learn(const ServerAnswer& facts);
  void add_notes_and_mark();
  enum class Outcome { stored, not_stored, undecided, forgotten };
  Reply<Outcome> ask_outcome();
  Result<> find_outcome(const Trouble& trouble);
  Failure failed(const Trouble& trouble);

  PostgresLink link_;
  std::shared_ptr<ServerTime> time_;
  const std::optional<Millis> usual_hurry_;  ///< as it was opened; the connection knows it
  std::optional<Millis> hurry_;              ///< of the transaction
  std::optional<Access> transaction_;        ///< the one that is open
  bool may_repeat_ = false;
  std::vector<std::string> notes_;  ///< to be told at the commit
  std::vector<Waiting> waiting_;
  bool has_begun_ = false;         ///< at the server: a transaction that looks first begins with its first question
  std::vector<Waiting> foreseen_;  ///< not asked yet
  std::vector<std::pair<Waiting, ServerAnswer>> known_;  ///< what was foreseen, answered and not wanted yet

  // How a commit is recognised afterwards: the transaction's number and, since a crash can make the server give that
  // number again, a mark of ours that is stored with it.
  std::string number_;
  bool leaves_mark_ = false;
  std::int64_t mark_;

  struct Statement {
    bool known = false;  ///< it was run before
    std::string name;    ///< under which it was prepared, or nothing
  };
  std::map<const char*, Statement> statements_;  ///< of this connection
  int names_ = 0;
};

}  // namespace townpost
