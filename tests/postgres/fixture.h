#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/text.h"
#include "contract/must.h"
#include "store/db/postgres.h"
#include "store/migrations.h"
#include "store/sql_store.h"
#include "support/shared_postgres.h"

namespace townpost {

/// The first number that a statement answers.
inline std::int64_t number(Database& database, const std::string& sql) {
  std::int64_t out = -1;
  must(database.run(Sql::kept(sql), {}, [&](const Row& row) {
    out = row.integer(0);
    return Next::stop;
  }));
  return out;
}

inline std::string word(Database& database, const std::string& sql) {
  std::string out;
  must(database.run(Sql::kept(sql), {}, [&](const Row& row) {
    out = row.string(0);
    return Next::stop;
  }));
  return out;
}

/// A town of its own on the server that the tests share, and a second connection to look at it from outside.
class PostgresTest : public ::testing::Test {
 protected:
  PostgresTest() { must(migrate(*outside_)); }
  ~PostgresTest() override {
    outside_.reset();
    SharedPostgres::drop_schema(url_);
  }

  const std::string& url() const { return url_; }
  Database& outside() { return *outside_; }
  std::unique_ptr<PostgresDatabase> connect(std::optional<Millis> hurry = std::nullopt) const {
    return must(PostgresDatabase::open(url_, hurry));
  }
  /// Ends the connection of `database` as an administrator does.
  void cut(Database& database) {
    const auto backend = number(database, "SELECT pg_backend_pid()");
    must(outside_->run("SELECT pg_terminate_backend(CAST($1 AS INTEGER), 10000)", {backend}));
  }
  static Result<std::int64_t> add_rig(Database& database, const std::string& name) {
    return database.run(
        "INSERT INTO rig (name, prefix, path, target, test_command, created_at) VALUES ($1, $1, '', '', '', 0)",
        {name});
  }
  std::int64_t rigs() { return number(*outside_, "SELECT count(*) FROM rig"); }

 private:
  std::string url_ = SharedPostgres::make_schema();
  std::unique_ptr<PostgresDatabase> outside_ = must(PostgresDatabase::open(url_, std::nullopt));
};

inline bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace townpost
