#include <thread>

#include "postgres/fixture.h"
#include "support/postgres_server.h"

namespace townpost {
namespace {

class PostgresErrors : public PostgresTest {
 protected:
  /// The url with other parts: who, which database.
  std::string url_of(const std::string& user, const std::string& database) const {
    const auto query = url().find('?');
    return cat("postgres://", user, "@/", database, url().substr(query));
  }
  static Error opening(const std::string& url) { return error_of(PostgresDatabase::open(url, std::nullopt)); }
};

TEST_F(PostgresErrors, AWrongPasswordIsToldWithoutRepeatingIt) {
  must(outside().run_script(
      "DO $$ BEGIN CREATE ROLE guest LOGIN PASSWORD 'right'; EXCEPTION WHEN OTHERS THEN NULL; END $$"));
  const Error error = opening(url_of("guest:hush-hush", "postgres"));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "does not let us in")) << error.message;
  EXPECT_FALSE(mentions(error.message + error.hint, "hush")) << error.message << error.hint;
  EXPECT_TRUE(mentions(error.hint, "PGPASSWORD")) << error.hint;
}

TEST_F(PostgresErrors, AMissingPasswordIsTold) {
  must(outside().run_script(
      "DO $$ BEGIN CREATE ROLE guest LOGIN PASSWORD 'right'; EXCEPTION WHEN OTHERS THEN NULL; END $$"));
  EXPECT_TRUE(mentions(opening(url_of("guest", "postgres")).message, "password"));
}

TEST_F(PostgresErrors, AnUnknownUserIsTold) {
  EXPECT_TRUE(mentions(opening(url_of("stranger", "postgres")).message, "does not let us in"));
}

TEST_F(PostgresErrors, AMissingDatabaseIsToldWithTheWayToMakeIt) {
  const Error error = opening(url_of("town", "nowhere"));
  EXPECT_TRUE(mentions(error.message, "/nowhere does not exist")) << error.message;
  EXPECT_TRUE(mentions(error.hint, "createdb")) << error.hint;
}

TEST_F(PostgresErrors, AnUnknownHostIsTold) {
  const Error error = opening("postgres://town@no-such-host.invalid/town");
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "no-such-host.invalid")) << error.message;
}

TEST(PostgresWithoutTls, IsNotAcceptedWhereTlsIsAskedFor) {
  const PostgresServer server({.listen = "127.0.0.1", .port = postgres_tools::free_port()});
  const std::string url = cat("postgres://town@127.0.0.1:", server.port(), "/postgres");
  EXPECT_TRUE(PostgresDatabase::open(url, std::nullopt).has_value());
  const Error error = error_of(PostgresDatabase::open(url + "?sslmode=require", std::nullopt));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "no safe connection")) << error.message;
  EXPECT_TRUE(mentions(error.hint, "sslmode")) << error.hint;
}

TEST_F(PostgresErrors, ATownThatIsNotThereIsToldWithTheWayToMakeIt) {
  auto database = connect();
  const Error error = error_of(database->run("SELECT 1 FROM no_such_table"));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "holds no town")) << error.message;
  EXPECT_EQ(error.next.value_or(NextCall()).op, "store.migrate");
}

TEST_F(PostgresErrors, AUserWhoMayNotLookIsTold) {
  const std::string role = cat("looker_", word(outside(), "SELECT current_schema()"));
  must(outside().run_script(cat("CREATE ROLE ", role, " LOGIN; GRANT USAGE ON SCHEMA ",
                                word(outside(), "SELECT current_schema()"), " TO ", role)));
  auto database = must(PostgresDatabase::open(url_of(role, "postgres"), std::nullopt));
  const Error error = error_of(database->run("SELECT count(*) FROM rig"));
  EXPECT_TRUE(mentions(error.message, "no permission")) << error.message;
  database.reset();
  must(outside().run_script(cat("DROP OWNED BY ", role, "; DROP ROLE ", role)));
}

TEST_F(PostgresErrors, TextThatIsNotUtf8OrHoldsANulIsAUsageError) {
  auto database = connect();
  EXPECT_EQ(error_of(add_rig(*database, "\xff\xfe")).code, Code::usage);
  EXPECT_EQ(error_of(add_rig(*database, std::string("a\0b", 3))).code, Code::usage);
  EXPECT_EQ(rigs(), 0);
}

TEST_F(PostgresErrors, ADeadlockMayBeRepeated) {
  must(add_rig(outside(), "one"));
  must(add_rig(outside(), "two"));
  // Ours wait for each other in one order only (docs/decisions/0019); an administrator's session knows nothing of it.
  const auto touch = [](Database& database, const std::string& name) {
    return database.run("UPDATE rig SET path = 'x' WHERE name = $1", {name});
  };
  auto ours = connect();
  must(ours->begin(Access::write));
  must(touch(*ours, "one"));
  must(outside().run_script("SET deadlock_timeout = '60s'; BEGIN"));
  must(touch(outside(), "two"));
  std::thread waiting([&] { must(touch(outside(), "one")); });
  const auto waited = touch(*ours, "two");
  EXPECT_FALSE(waited.has_value()) << "one of them had to give way";
  EXPECT_TRUE(ours->may_repeat());
  ours->rollback();
  waiting.join();
  must(outside().run_script("COMMIT"));
}

TEST_F(PostgresErrors, WhatWasSentLaterComesOutAtTheCommit) {
  auto database = connect();
  must(add_rig(outside(), "one"));
  must(database->begin(Access::write));
  const Param values[] = {"one"};
  must(database->execute_later(
      "INSERT INTO rig (name, prefix, path, target, test_command, created_at) VALUES ($1, $1, '', '', '', 0)", values));
  const Error error = error_of(database->commit());
  EXPECT_TRUE(mentions(error.message, "duplicate key")) << error.message;
  EXPECT_EQ(rigs(), 1);
  must(add_rig(*database, "two"));  // and the connection is as good as before
  EXPECT_EQ(rigs(), 2);
}

TEST_F(PostgresErrors, AStatementThatFailedWhenItWasPreparedIsPreparedAgain) {
  auto database = connect();
  const auto add = [&](const std::string& name) {
    must(database->begin(Access::write));
    auto added = add_rig(*database, name);
    if (added)
      must(database->commit());
    else
      database->rollback();
    return added.has_value();
  };
  EXPECT_TRUE(add("one"));
  EXPECT_FALSE(add("one")) << "the second time it is prepared, too";
  EXPECT_TRUE(add("two"));
  EXPECT_TRUE(add("three"));
}

TEST_F(PostgresErrors, ABrokenStatementIsNotRepeated) {
  auto database = connect();
  must(database->begin(Access::write));
  EXPECT_FALSE(database->run("SELECT nonsense").has_value());
  EXPECT_FALSE(database->may_repeat());
  database->rollback();
}

}  // namespace
}  // namespace townpost
