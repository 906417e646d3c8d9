#include "store/db/postgres_trouble.h"

#include <gtest/gtest.h>

#include "store/db/libpq.h"

namespace townpost {
namespace {

Error told(const std::string& state, const std::string& reason = "the server's words") {
  const auto pq = Libpq::load().value();
  return explain({.state = state, .reason = reason},
                 PostgresAddress::parse(pq, "postgres://town@db.example/town").value());
}

TEST(PostgresTrouble, AFullDiskIsToldAndChangedNothing) {
  const Error error = told("53100");
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_EQ(error.message, "the disk of the database at db.example:5432/town is full; nothing was changed");
  EXPECT_NE(error.hint.find("free some space"), std::string::npos);
  EXPECT_FALSE(passes({.state = "53100"})) << "waiting does not help";
}

TEST(PostgresTrouble, TooManyConnectionsAreToldAndMayPass) {
  const Error error = told("53300");
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.message.find("has no connection left: the server's words"), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find("max_connections"), std::string::npos);
  EXPECT_TRUE(passes({.state = "53300"}));
}

TEST(PostgresTrouble, WhatIsNotKnownIsToldWithItsState) {
  const Error error = told("XX000", "a broken page");
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.message.find("a broken page (XX000"), std::string::npos) << error.message;
}

TEST(PostgresTrouble, OnlyWhatOthersCausedMayBeRunAgain) {
  for (const auto* state : {"40001", "40P01", "55P03"}) EXPECT_TRUE(was_in_the_way({.state = state})) << state;
  for (const auto* state : {"53100", "53300", "23505", ""}) EXPECT_FALSE(was_in_the_way({.state = state})) << state;
}

}  // namespace
}  // namespace townpost
