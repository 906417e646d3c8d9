// Every call of this suite is held against the shape of its row (expect_contract). Here: that a breach is seen.
#include "cli/contract.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "support/witness.h"

namespace townpost {
namespace {

using Words = TestTown::Words;

ProcessOutput printed(const std::string& out, int exit_code = 0) {
  ProcessOutput output;
  output.out = out;
  output.exit_code = exit_code;
  return output;
}

void hold(const Words& words, const std::string& out, int exit_code = 0) {
  expect_contract(words, printed(out + "\n", exit_code));
}

TEST(EveryAnswer, ThatFitsItsShapePasses) {
  hold({"mail", "check", "--json"}, R"({"unread":0,"channels":[]})", 1);
  hold({"mail", "check", "--json"}, R"({"error":{"code":"usage","message":"no","hint":"do"}})", 2);
  hold({"rig", "list", "--json"}, "[]");
  hold({"rig", "list", "--json", "--page"}, R"({"items":[],"total":0,"more":0,"cursor":null})");
  hold({"mail", "check"}, "whatever it is");
  hold({"mail", "send", "-m", "x", "--", "--json"}, "not asked for");
}

TEST(EveryAnswer, ThatDoesNotFitIsAFailure) {
  EXPECT_NONFATAL_FAILURE(hold({"mail", "check", "--json"}, R"({"unread":"none","channels":[]})"), "unread");
  EXPECT_NONFATAL_FAILURE(hold({"mail", "check", "--json"}, R"({"unread":0})"), "channels: is missing");
  EXPECT_NONFATAL_FAILURE(hold({"mail", "check", "--json"}, R"({"unread":0,"channels":[],"more":1})"),
                          "not in the shape");
  EXPECT_NONFATAL_FAILURE(hold({"mail", "check", "--json"}, "2 messages"), "with --json it printed");
  EXPECT_NONFATAL_FAILURE(hold({"rig", "list", "--json"}, R"([{"name":7}])"), "[0]");
}

TEST(EveryError, ThatDoesNotFitIsAFailure) {
  EXPECT_NONFATAL_FAILURE(hold({"mail", "check", "--json"}, R"({"error":{"code":"usage","message":"no"}})", 2), "hint");
  EXPECT_NONFATAL_FAILURE(hold({"mail", "check", "--json"}, R"({"error":{"code":"odd","message":"no","hint":""}})", 2),
                          "code");
  EXPECT_NONFATAL_FAILURE(
      hold({"mail", "check", "--json"}, R"({"error":{"code":"usage","message":"no","hint":""}})", 0), "no success");
}

TEST(EveryCall, IsHeldAgainstItsShape) {
  static int calls;
  calls = 0;
  call_witness([](const Words& words, const ProcessOutput& output) {
    ++calls;
    expect_contract(words, output);
  });
  const TestTown town;
  town.json({"status"});
  (void)town.gt_in("below", {"mail", "read", "nonsense", "--json"});
  call_witness(expect_contract);
  EXPECT_EQ(calls, 3) << "init, status, mail read";
}

}  // namespace
}  // namespace townpost
