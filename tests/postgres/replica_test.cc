#include "postgres/fixture.h"
#include "support/postgres_server.h"

namespace townpost {
namespace {

const PostgresServer::Options kQuick{.listen = "", .settings = {"fsync=off"}};

std::string url_of_both(const PostgresServer& one, const PostgresServer& two, const std::string& more = "") {
  return cat("postgres://town@/postgres?host=", one.folder().string(), ",", two.folder().string(), "&port=", one.port(),
             ",", two.port(), more);
}

void await_replica(PostgresServer& primary) {
  while (primary.psql("SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()") != "1") {
  }
}

TEST(Replica, ThatIsPromotedIsFoundByAnAddressWithBothHosts) {
  auto primary = std::make_unique<PostgresServer>(kQuick);
  auto replica = primary->make_replica(kQuick);
  auto database =
      must(PostgresDatabase::open(url_of_both(*primary, *replica, "&target_session_attrs=read-write"), std::nullopt));
  must(migrate(*database));
  must(database->begin(Access::write));
  must(database->run("UPDATE agent SET description = 'kept' WHERE id = 3"));
  must(database->commit());
  await_replica(*primary);
  primary->kill();
  replica->promote();
  must(database->begin(Access::write));
  EXPECT_EQ(word(*database, "SELECT description FROM agent WHERE id = 3"), "kept");
  must(database->commit());
}

TEST(Replica, IsPassedOverByAWriterEvenIfTheAddressDoesNotAskForThat) {
  PostgresServer primary(kQuick);
  auto replica = primary.make_replica(kQuick);
  must(migrate(*must(PostgresDatabase::open(primary.url(), std::nullopt))));
  await_replica(primary);
  auto database = must(PostgresDatabase::open(replica->url(), Millis(300)));
  must(database->begin(Access::read));
  EXPECT_GT(number(*database, "SELECT count(*) FROM agent"), 0);
  must(database->commit());
  const Error error = error_of(database->begin(Access::write));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "read-only")) << error.message;
  EXPECT_TRUE(mentions(error.hint, "target_session_attrs=read-write")) << error.hint;
}

}  // namespace
}  // namespace townpost
