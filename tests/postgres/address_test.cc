#include <gtest/gtest.h>

#include "contract/must.h"
#include "store/db/postgres.h"
#include "store/db/postgres_address.h"

namespace townpost {
namespace {

PostgresAddress address(const std::string& url) { return must(PostgresAddress::parse(must(Libpq::load()), url)); }

TEST(Libpq, ThatIsNotInstalledIsAnErrorThatNamesThePackage) {
  const Error error = error_of(Libpq::load("libpq-that-nobody-has.so.5"));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.message.find("libpq-that-nobody-has.so.5"), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find("libpq5"), std::string::npos) << error.hint;
}

TEST(Libpq, ThatLacksAFunctionIsAnError) {
  const Error error = error_of(Libpq::load("libm.so.6"));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.message.find("too old"), std::string::npos) << error.message;
}

TEST(PostgresAddress, IsShownWithoutThePassword) {
  const auto one = address("postgres://max:hush@db.example:5433/town?sslmode=verify-full");
  EXPECT_EQ(one.place(), "db.example:5433/town");
  EXPECT_EQ(one.psql(), "psql -h db.example -p 5433 -U max -d town");
  EXPECT_EQ(address("postgresql://max@db.example/town?password=hush").place(), "db.example:5432/town");
}

TEST(PostgresAddress, NamesEveryHost) {
  const auto two = address("postgres://max@a.example:1,b.example:2/town?target_session_attrs=read-write");
  EXPECT_EQ(two.hosts(), 2u);
  EXPECT_EQ(two.place(), "a.example:1,b.example:2/town");
  EXPECT_EQ(two.psql(), "psql -h a.example,b.example -p 1,2 -U max -d town");
}

TEST(PostgresAddress, OfOneHostOfSeveralAsksForThatOne) {
  const auto two = address("postgres://max@a.example:1,b.example:2/town");
  std::string host;
  std::string port;
  for (const auto& [keyword, value] : two.parameters(1)) {
    if (keyword == "host") host = value;
    if (keyword == "port") port = value;
  }
  EXPECT_EQ(host, "b.example");
  EXPECT_EQ(port, "2");
}

TEST(PostgresAddress, MayBeASocketOrAnIpv6Host) {
  EXPECT_EQ(address("postgres://max@/town?host=/run/pg&port=7").place(), "/run/pg:7/town");
  EXPECT_EQ(address("postgres://max@[::1]:7/town").place(), "[::1]:7/town");
}

class MalformedAddress : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, MalformedAddress,
                         ::testing::Values("mysql://u:kwquvp@h/db", "postgres://u:kwq%zzuvp@h/db",
                                           "postgres://u:kwq/uvp@h/db", "postgres://u:p@kwquvp@h/db",
                                           "postgres://u:kwquvp@h:door/db", "postgres://u:kwquvp@[::1/db",
                                           "postgres://u:kwquvp@[::1]x/db", "postgres://h/db?password=kwquvp&pass=open",
                                           "postgres://u@h/db?password=kwq%zzuvp", "postgres://u:kwquvp@h/db?opne=1",
                                           "postgres:kwquvp", "host=h password=kwquvp"));

TEST_P(MalformedAddress, IsAUsageErrorThatDoesNotRepeatThePassword) {
  const Error error = error_of(PostgresDatabase::open(GetParam(), std::nullopt));
  EXPECT_EQ(error.code, Code::usage);
  EXPECT_FALSE(error.hint.empty());
  for (const auto* secret : {"kwq", "uvp"}) EXPECT_EQ(error.message.find(secret), std::string::npos) << error.message;
}

TEST(PostgresAddress, ThatCannotBeReadIsExplained) {
  const Error error = error_of(PostgresDatabase::open("postgres://u@h/db?opne=1", std::nullopt));
  EXPECT_NE(error.message.find("opne"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace townpost
