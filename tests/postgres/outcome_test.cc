#include <thread>

#include "postgres/fixture.h"
#include "support/lossy_wire.h"

namespace townpost {
namespace {

/// As it goes over the wire, where it ends with a zero; READ COMMITTED is something else.
const std::string kCommit("COMMIT", 7);

/// The connection is lost in the moment of the commit; the store finds out what became of it.
class LostCommit : public PostgresTest {
 protected:
  std::unique_ptr<PostgresDatabase> connect_through_wire(std::optional<Millis> hurry = std::nullopt) {
    return must(PostgresDatabase::open(wire_.url(), hurry));
  }
  /// One transaction whose commit meets the break.
  static Result<> write_one(PostgresDatabase& database) {
    TRY_VOID(database.begin(Access::write));
    TRY_VOID(add_rig(database, "one"));
    return database.commit();
  }
  LossyWire& wire() { return wire_; }

 private:
  LossyWire wire_{url()};
};

TEST_F(LostCommit, ThatTheServerCarriedOutIsASuccess) {
  auto database = connect_through_wire();
  wire().break_at(kCommit, LossyWire::Break::before_client_hears);
  must(write_one(*database));
  EXPECT_EQ(rigs(), 1);
}

TEST_F(LostCommit, ThatTheServerNeverHeardOfIsAnErrorAndMayBeRepeated) {
  auto database = connect_through_wire();
  wire().break_at(kCommit, LossyWire::Break::server_hangs_up_late);
  const Error error = error_of(write_one(*database));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.hint, "nothing was changed")) << error.hint;
  EXPECT_TRUE(database->may_repeat());
  EXPECT_EQ(rigs(), 0);
  must(write_one(*database));
  EXPECT_EQ(rigs(), 1);
}

TEST_F(LostCommit, ThatTheServerHearsLateIsWaitedFor) {
  auto database = connect_through_wire();
  wire().break_at(kCommit, LossyWire::Break::server_hears_late);
  must(write_one(*database));
  EXPECT_EQ(rigs(), 1);
}

// Marks are kept for the last 200,000 transactions: one that is missing says nothing about an older commit.
TEST_F(LostCommit, WhoseMarkMayHaveBeenPrunedIsSaidToBeUnknownAndIsNotRepeated) {
  must(connect()->run_script(R"sql(
    CREATE FUNCTION no_mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER no_mark BEFORE INSERT ON townpost_commit FOR EACH ROW EXECUTE FUNCTION no_mark();
    CREATE TABLE burnt (x BIGINT);
    CREATE FUNCTION burn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      FOR i IN 1..200100 LOOP
        BEGIN INSERT INTO burnt VALUES (i); EXCEPTION WHEN unique_violation THEN NULL; END;
      END LOOP;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER burn AFTER INSERT ON rig DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION burn())sql"));
  auto database = connect_through_wire();
  wire().break_at(kCommit, LossyWire::Break::before_client_hears);
  const Error error = error_of(write_one(*database));
  EXPECT_TRUE(mentions(error.message, "not known whether")) << error.message;
  EXPECT_FALSE(database->may_repeat());
  EXPECT_EQ(rigs(), 1) << "it was stored after all: a repetition would have stored it twice";
}

TEST_F(LostCommit, WhoseOutcomeCannotBeKnownIsSaidToBeUnknownAndIsNotRepeated) {
  auto database = connect_through_wire(Millis(500));
  wire().break_at(kCommit, LossyWire::Break::before_server_hears);
  const Error error = error_of(write_one(*database));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "not known whether")) << error.message;
  EXPECT_FALSE(database->may_repeat());
}

TEST_F(LostCommit, OfAReaderIsNoLoss) {
  auto database = connect_through_wire();
  wire().break_at(kCommit, LossyWire::Break::before_client_hears);
  must(database->begin(Access::read));
  EXPECT_EQ(number(*database, "SELECT count(*) FROM rig"), 0);
  must(database->commit());
  must(write_one(*database));
}

TEST_F(LostCommit, IsRecognisedByItsOwnMarkNotByANumberThatWasGivenAgain) {
  auto database = connect_through_wire();
  wire().break_at(kCommit, LossyWire::Break::before_client_hears);
  // After a crash the server may give the number of a lost transaction to another one. Here somebody else's mark stands
  // under the number of ours, as it would then.
  must(outside().run_script(
      "CREATE FUNCTION not_ours() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN NEW.mark := NEW.mark + 1; RETURN NEW; END $$;"
      "CREATE TRIGGER not_ours BEFORE INSERT ON townpost_commit FOR EACH ROW EXECUTE FUNCTION not_ours()"));
  EXPECT_EQ(error_of(write_one(*database)).code, Code::unavailable);
  EXPECT_TRUE(database->may_repeat());
}

TEST_F(LostCommit, OfAStoreIsRepeatedOnceItIsKnownThatNothingWasStored) {
  SqlStore store(connect_through_wire(), nullptr);
  wire().break_at(kCommit, LossyWire::Break::server_hangs_up_late);
  int runs = 0;
  must(store.write([&](Ledger& ledger) {
    ++runs;
    return ledger.add_rig({.name = "one", .prefix = "on"});
  }));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(rigs(), 1);
}

TEST_F(LostCommit, OfAFailedTransactionIsNoSuccess) {
  auto database = connect();
  must(database->begin(Access::write));
  must(add_rig(*database, "one"));
  EXPECT_FALSE(add_rig(*database, "one").has_value());
  EXPECT_EQ(error_of(database->commit()).code, Code::unavailable);
  EXPECT_EQ(rigs(), 0);
}

}  // namespace
}  // namespace townpost
