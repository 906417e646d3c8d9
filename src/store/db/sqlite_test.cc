#include "store/db/sqlite.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace townpost {
namespace {

using Mode = SqliteDatabase::Mode;

class Sqlite : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "town.db"; }
  std::unique_ptr<SqliteDatabase> open(Mode mode = Mode::create) const {
    auto opened = SqliteDatabase::open(file(), mode);
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }
  TemporaryFolder folder_ = std::move(*TemporaryFolder::make("sqlite"));
};

std::string value_of(SqliteDatabase& database, Sql sql, std::initializer_list<Param> params = {}) {
  std::string out = "no row";
  const auto done = database.run(sql, params, [&](const Row& row) {
    out = row.is_null(0) ? "null" : std::string(row.text(0));
    return Next::go_on;
  });
  return done ? out : "error: " + done.error().message;
}

TEST_F(Sqlite, ParametersAreBoundByTheirNumberNotByTheirFirstAppearance) {
  auto database = open();
  EXPECT_EQ(value_of(*database, "SELECT $2 || $1 || $2", {"a", "b"}), "bab");
  EXPECT_EQ(value_of(*database, "SELECT $11 || $1", {"a", 2, 3, 4, 5, 6, 7, 8, 9, 10, "k"}), "ka");
}

TEST_F(Sqlite, TextIsKeptByteForByte) {
  auto database = open();
  const std::string text("a\0b\xff '\"", 7);
  EXPECT_EQ(value_of(*database, "SELECT $1", {text}), text);
  EXPECT_EQ(value_of(*database, "SELECT $1", {std::string_view()}), "") << "empty is not null";
  EXPECT_EQ(value_of(*database, "SELECT $1", {std::nullopt}), "null");
  EXPECT_EQ(value_of(*database, "SELECT $1", {INT64_MIN}), std::to_string(INT64_MIN));
}

TEST_F(Sqlite, BindingsOfOneCallDoNotReachTheNext) {
  auto database = open();
  static constexpr Sql kSql = "SELECT $1";
  EXPECT_EQ(value_of(*database, kSql, {"a"}), "a");
  EXPECT_EQ(value_of(*database, kSql), "null");
}

TEST_F(Sqlite, ASinkMayStopEarlyAndTheStatementCanRunAgain) {
  auto database = open();
  static constexpr Sql kSql = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3";
  for (int round = 0; round < 2; ++round) {
    int rows = 0;
    ASSERT_TRUE(database->run(kSql, {}, [&](const Row&) { return ++rows < 2 ? Next::go_on : Next::stop; }).has_value());
    EXPECT_EQ(rows, 2);
  }
}

TEST_F(Sqlite, ARollbackTakesEverythingBackSchemaVersionToo) {
  auto database = open();
  ASSERT_TRUE(database->begin(Access::write).has_value());
  ASSERT_TRUE(database->run_script("CREATE TABLE t (x)").has_value());
  ASSERT_TRUE(database->set_schema_version(7).has_value());
  database->rollback();
  EXPECT_EQ(*database->schema_version(), 0);
  EXPECT_TRUE(database->run_script("CREATE TABLE t (x)").has_value());
}

TEST_F(Sqlite, CommitsAreOnStableStorage) {
  auto database = open();
  EXPECT_EQ(value_of(*database, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(value_of(*database, "PRAGMA synchronous"), "2");
  auto again = open(Mode::existing);
  EXPECT_EQ(value_of(*again, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(value_of(*again, "PRAGMA synchronous"), "2") << "for every connection";
}

TEST_F(Sqlite, AMissingFileIsUnavailableAndIsNotMade) {
  const auto opened = SqliteDatabase::open(file(), Mode::existing);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Code::unavailable);
  EXPECT_FALSE(opened.error().hint.empty());
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Sqlite, AFileThatIsNoDatabaseIsUnavailable) {
  ASSERT_TRUE(write_file_lightly(file(), std::string(4096, 'x')).has_value());
  auto opened = SqliteDatabase::open(file(), Mode::existing);
  const auto version = opened ? (*opened)->schema_version() : Result<std::int64_t>(fail(opened.error()));
  ASSERT_FALSE(version.has_value());
  EXPECT_EQ(version.error().code, Code::unavailable);
  EXPECT_NE(version.error().message.find("damaged"), std::string::npos) << version.error().message;
}

TEST_F(Sqlite, AConnectionThatGoesAwayInATransactionLeavesNothingAndBlocksNobody) {
  {
    auto gone = open();
    ASSERT_TRUE(gone->begin(Access::write).has_value());
    ASSERT_TRUE(gone->run_script("CREATE TABLE t (x)").has_value());
  }
  auto next = open();
  ASSERT_TRUE(next->begin(Access::write).has_value());
  EXPECT_TRUE(next->run_script("CREATE TABLE t (x)").has_value());
  EXPECT_TRUE(next->commit().has_value());
}

TEST_F(Sqlite, AWrongStatementIsAnErrorNotACrash) {
  auto database = open();
  const auto done = database->run("SELECT nothing FROM nowhere", {}, {});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Code::unavailable);
}

}  // namespace
}  // namespace townpost
