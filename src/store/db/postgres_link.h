#pragma once
#include <memory>
#include <optional>
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
  void hurry(Millis longest) { longest_ = longest; }

  /// Several statements without parameters in one round trip; one answer each.
  Reply<ServerAnswers> script(const std::string& sql);
  /// One statement; a null pointer is NULL. `name` is that of a prepared statement, else `sql` is run as it is.
  Reply<ServerAnswer> run(const char* name, const std::string& sql, const std::vector<const char*>& values);
  Reply<void> prepare(const char* name, const std::string& sql);

  /// The commits' channel, as SQL: each town (schema) of a database has its own, so that none wakes another.
  static constexpr std::string_view kChannel = "'townpost_' || md5(coalesce(current_schema(), ''))";
  /// From now on this connection hears what the commits of its town tell.
  Reply<void> listen();
  /// What others told this connection since the last look, and where to wait for more; -1 without a connection.
  std::vector<std::string> notifications();
  int socket() const { return connection_ ? pq_.PQsocket(connection_) : -1; }
  std::string quoted(std::string_view text) const;

 private:
  Reply<void> connect_within(const PostgresAddress::Parameters& parameters, Millis limit);
  Reply<void> settle();
  Reply<ServerAnswers> answers(int sent);
  Trouble trouble_of(const PGresult* result) const;

  const Libpq pq_;
  const PostgresAddress address_;
  PGconn* connection_ = nullptr;
  std::optional<Millis> longest_;
};

}  // namespace townpost
