#include "postgres/fixture.h"
#include "support/postgres_server.h"

namespace townpost {
namespace {

using PostgresInAHurry = PostgresTest;

TEST_F(PostgresInAHurry, DoesNotWaitForAWriterForEver) {
  auto writer = connect();
  must(writer->begin(Access::write));
  auto hurried = connect(Millis(200));
  const Error error = error_of(hurried->begin(Access::write));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "in use")) << error.message;
  EXPECT_FALSE(hurried->may_repeat());
  must(writer->commit());
  must(hurried->begin(Access::write));
  must(hurried->commit());
}

TEST_F(PostgresInAHurry, DoesNotWaitForALockedRowForEver) {
  must(add_rig(outside(), "one"));
  must(outside().run_script("BEGIN; UPDATE rig SET path = 'x'"));  // an administrator's, who takes no turn
  auto hurried = connect(Millis(200));
  must(hurried->begin(Access::write));
  EXPECT_EQ(error_of(hurried->run("UPDATE rig SET path = 'y'")).code, Code::unavailable);
  EXPECT_FALSE(hurried->may_repeat());
  hurried->rollback();
  must(outside().run_script("ROLLBACK"));
}

TEST_F(PostgresInAHurry, DoesNotRunAStatementForEver) {
  auto hurried = connect(Millis(200));
  EXPECT_EQ(error_of(hurried->run("SELECT pg_sleep(3600)")).code, Code::unavailable);
}

TEST_F(PostgresInAHurry, DoesNotWaitForAHostThatDoesNotAnswer) {
  // An address that is set aside for documentation: nobody answers, and nobody refuses.
  const Error error = error_of(PostgresDatabase::open("postgres://town@192.0.2.1/town", Millis(200)));
  EXPECT_EQ(error.code, Code::unavailable);
}

TEST_F(PostgresInAHurry, LeavesTimeForTheHostThatAnswers) {
  const auto query = url().find('?');
  const auto host = url().substr(url().find("host=") + 5, url().find('&') - url().find("host=") - 5);
  const auto options = url().substr(url().find("&options"));
  ASSERT_NE(query, std::string::npos);
  auto database = must(PostgresDatabase::open(
      cat("postgres://town@/postgres?host=192.0.2.1,", host, "&port=5432,5432", options), Millis(2'000)));
  must(database->begin(Access::read));
  must(database->commit());
}

TEST(PostgresThatStandsStill, IsUnavailableToWhoIsInAHurry) {
  PostgresServer server;
  auto database = must(PostgresDatabase::open(server.url(), Millis(200)));
  server.freeze();
  const Error error = error_of(database->begin(Access::write));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "does not answer")) << error.message;
  server.thaw();
  must(database->begin(Access::write));
  must(database->commit());
}

}  // namespace
}  // namespace townpost
