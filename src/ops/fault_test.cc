#include "ops/fault.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

/// Which argument of `op` is at fault for that message.
std::string fault(std::string_view op, const JsonObject& given, Error error) {
  const Op& row = *find_op(op);
  const auto args = Args::check(row.args, given);
  EXPECT_TRUE(args.has_value()) << args.error().message;
  if (args) name_fault(row, *args, error);
  return error.argument;
}

Error unknown(const std::string& message) { return {.code = Code::not_found, .message = message, .hint = {}}; }

const JsonObject kLetter = {{"to", {"max", "queue:jobs"}}, {"subject", "a plan"}, {"body", "of max"}};

TEST(Fault, IsOfTheArgumentThatGaveTheObject) {
  EXPECT_EQ(fault("mail.send", kLetter, unknown("no agent \"max\"")), "to");
  EXPECT_EQ(fault("mail.send", kLetter, unknown("queue not found: \"jobs\"")), "to");
  EXPECT_EQ(fault("mail.inbox", {{"address", "bob"}, {"from", "alice"}}, unknown("no agent \"alice\"")), "from");
  EXPECT_EQ(fault("mail.inbox", {{"cursor", 7}}, unknown("the item with seq 7 is gone")), "cursor");
}

TEST(Fault, IsOfTheArgumentThatTheMessageBeginsWith) {
  EXPECT_EQ(fault("mail.send", kLetter,
                  {.code = Code::usage, .message = "the subject has 900 bytes; at most 512 are allowed", .hint = {}}),
            "subject");
  EXPECT_EQ(fault("nudge.drop", {{"id", "hq-n-1a2b3c"}, {"reason", "no"}},
                  {.code = Code::usage, .message = "the reason must be text", .hint = {}}),
            "reason");
}

TEST(Fault, StaysWhereTheServiceSawIt) {
  EXPECT_EQ(
      fault("mail.send", kLetter, {.code = Code::usage, .message = "no \"max\"", .hint = {}, .argument = "thread"}),
      "thread");
  EXPECT_EQ(
      fault("mail.send", kLetter, {.code = Code::not_found, .message = "no \"max\"", .hint = {}, .argument = "as"}),
      "as");
}

TEST(Fault, OfAnArgumentThatTheRowDoesNotTakeIsLookedForAgain) {
  EXPECT_EQ(fault("mail.reply", {{"id", "hq-m-1a2b3c"}, {"body", "x"}},
                  {.code = Code::usage, .message = "too many", .hint = {}, .argument = "to"}),
            "");
}

TEST(Fault, OfSettingsAndOfTheStoreIsNoArguments) {
  EXPECT_EQ(fault("mail.inbox", {{"address", "bob"}},
                  {.code = Code::usage, .message = "town.toml: line 3: no number", .hint = {}}),
            "");
  EXPECT_EQ(fault("mail.inbox", {}, {.code = Code::usage, .message = "at most 50 are allowed", .hint = {}}), "")
      << "a default was not given";
  EXPECT_EQ(
      fault("mail.inbox", {{"address", "bob"}}, {.code = Code::unavailable, .message = "\"bob\" is away", .hint = {}}),
      "");
}

}  // namespace
}  // namespace townpost
