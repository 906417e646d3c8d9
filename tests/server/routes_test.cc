// Every route of the API as a black box; what is asked of each is in routes_test.mjs.
#include <iostream>

#include "base/json_fields.h"
#include "base/text.h"
#include "server/served_town.h"
#include "support/stress.h"

namespace townpost {
namespace {

class Routes : public ServedTown {
 protected:
  Routes() : ServedTown("", "requests_per_minute = 0\n") {}
};

TEST_F(Routes, AnswerWhomTheyAreForAndNobodyElse) {
  town.rigs({"beads"});
  JsonObject tokens;
  tokens["human"] = token({"--human"});
  tokens["alice"] = token({"--agent", "alice"});
  tokens["bob"] = token({"--agent", "bob"});
  tokens["as_any"] = token({"--any-agent"});
  tokens["of_rig"] = token({"--rig", "beads"});
  const auto revoked = town.json({"token", "create", "--human", "--as", "overseer"});
  ASSERT_EQ(town.gt({"token", "revoke", text_at(revoked, "id"), "--as", "overseer"}).exit_code, 0);
  tokens["revoked"] = text_at(revoked, "token");
  const auto done = SystemProcesses().run(
      {.command = {"node", SCRIPTS "/routes_test.mjs", url(), to_line(tokens), stress(1, 0) ? "long" : "short"},
       .timeout = std::chrono::minutes(5)});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(done->exit_code, 0) << done->out << done->err;
  std::cout << done->out;
}

}  // namespace
}  // namespace townpost
