#include "ops/contract.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

Error error(NextStep hint = {}, std::string argument = {}) {
  return {.code = Code::usage, .message = "no", .hint = hint.words, .argument = std::move(argument), .next = hint.call};
}

std::string broken(const Error& error) { return breach(find_op("mail.send"), error).value_or("kept"); }

TEST(Contract, OfErrorsIsKept) {
  EXPECT_EQ(broken(error()), "kept");
  EXPECT_EQ(broken(error(next("queue.resume", {{"name", "jobs"}}), "subject")), "kept");
  EXPECT_EQ(broken(error(next("", {{"self", "true"}}), "as")), "kept");
  EXPECT_EQ(breach(nullptr, error(next("init"))).value_or("kept"), "kept");
}

TEST(Contract, OfErrorsIsBrokenByWhatNoFrontEndCanSpell) {
  EXPECT_NE(broken(error({}, "colour")), "kept") << "an argument that it does not take";
  EXPECT_NE(broken(error(next("queue.paint", {}))), "kept") << "an operation that is not there";
  EXPECT_NE(broken(error(next("queue.resume", {{"colour", "red"}}))), "kept") << "an argument that it does not take";
  EXPECT_NE(broken(error(next("", {{"colour", "red"}}))), "kept");
  Error silent = error();
  silent.message.clear();
  EXPECT_NE(broken(silent), "kept");
}

TEST(ContractDeathTest, EndsABuildForTests) {
  const Op& op = *find_op("mail.check");
  EXPECT_DEATH(hold_to_contract(op, Answer{.json = {{"unread", "none"}}}), "the answer of mail.check fits its shape");
  EXPECT_DEATH(hold_to_contract(&op, error(next("queue.paint", {}))), "there is no operation queue.paint");
}

}  // namespace
}  // namespace townpost
