#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/db/libpq.h"
#include "store/db/postgres_address.h"
#include "store/db/postgres_trouble.h"

namespace townpost {

template <class T>
using Reply = tl::expected<T, Trouble>;

/// What the server answered to one statement.
class ServerAnswer {
 public:
  ServerAnswer(const Libpq& pq, PGresult* result) : pq_(&pq), result_(result, pq.PQclear) {}
  int rows() const { return pq_->PQntuples(result_.get()); }
  bool is_null(int row, int column) const { return pq_->PQgetisnull(result_.get(), row, column) != 0; }
  std::string_view text(int row, int column) const {
    return {pq_->PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(pq_->PQgetlength(result_.get(), row, column))};
  }
  /// Numbers, and booleans as 0 and 1.
  std::int64_t integer(int row, int column) const;
  /// How many rows were inserted, changed or deleted.
  std::int64_t changed() const;
  /// What the statement turned out to be: "COMMIT", "ROLLBACK", "INSERT 0 1".
  std::string_view tag() const { return pq_->PQcmdStatus(result_.get()); }

 private:
  const Libpq* pq_;
  std::unique_ptr<PGresult, void (*)(PGresult*)> result_;
};

/// One of several statements that are sent together.
struct SentStatement {
  enum class How {
    prepare,       ///< `sql` becomes known as `name`
    run_prepared,  ///< what is known as `name`
    run,           ///< `sql` as it is
  };
  How how = How::run;
  std::string name;
  std::string sql;
  std::vector<std::optional<std::string>> values;  ///< nothing is NULL
};

/// One connection to a PostgreSQL. It never repeats anything by itself. Used by one thread at a time.
class PostgresLink {
 public:
  using ServerAnswers = std::vector<ServerAnswer>;
  PostgresLink(const Libpq& pq, PostgresAddress address) : pq_(pq), address_(std::move(address)) {}
  ~PostgresLink() { close(); }
  PostgresLink(const PostgresLink&) = delete;
  PostgresLink& operator=(const PostgresLink&) = delete;

  const PostgresAddress& address() const { return address_; }
  /// Every host of the address in turn, until one answers; with `limit`, that is for all of them together.
  Reply<void> connect(std::optional<Millis> limit);
  bool up() const { return connection_ != nullptr; }
  void close();
  /// From now on an answer that takes longer means that the connection is lost.
  void hurry(std::optional<Millis> longest) { longest_ = longest; }

  /// Several statements without parameters in one round trip; one answer each.
  Reply<ServerAnswers> script(const std::string& sql);
  /// In one round trip; one answer each. Behind the first that fails nothing is done.
  Reply<ServerAnswers> together(std::span<const SentStatement> requests);

  /// The commits' channel, as SQL: each town (schema) of a database has its own, so that none wakes another. Beside it
  /// each bell has one, kChannel || '_' || its name.
  static constexpr std::string_view kChannel = "'townpost_' || md5(coalesce(current_schema(), ''))";
  /// The bells that a connection hears. Of others' commits the server tells it nothing.
  struct Bells {
    bool all = false;
    std::set<std::string> names;
    friend bool operator==(const Bells&, const Bells&) = default;
  };
  /// From now on this connection hears these bells, and no others.
  Reply<void> listen(Bells bells);
  /// What others told this connection since the last look, and where to wait for more; -1 without a connection.
  std::vector<std::string> notifications();
  int socket() const { return connection_ ? pq_.PQsocket(connection_) : -1; }

 private:
  Reply<void> connect_within(const PostgresAddress::Parameters& parameters, Millis limit);
  Reply<void> settle();
  using Limit = std::optional<std::chrono::steady_clock::time_point>;
  Limit limit() const;
  /// Waits for the next result; a null pointer where there is none. Error: it did not come in time.
  Reply<PGresult*> next_result(const Limit& until);
  bool send(const SentStatement& request);
  /// Reads what belongs to one or, up to the mark, to several.
  enum class UpTo { the_end, a_mark };
  Reply<ServerAnswers> answers(int sent, UpTo up_to);
  Trouble trouble_of(const PGresult* result) const;

  const Libpq pq_;
  const PostgresAddress address_;
  PGconn* connection_ = nullptr;
  std::optional<Millis> longest_;
  std::string channel_;  ///< of this connection's town, once it listens
  Bells heard_;
};

}  // namespace townpost
