#include "cli/parse.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

using Words = std::vector<std::string>;

std::string op_of(const Words& words) {
  const auto found = find_command(words);
  if (!found) return cat("error: ", found.error().message);
  return found->op ? std::string(found->op->name) : cat("group: ", found->group);
}

Result<CommandLine> parse(const Words& words) {
  const auto found = find_command(words);
  if (!found) return Failure(found.error());
  if (!found->op) return fail(Code::usage, "no command");
  return parse_command_line(*found->op, found->rest);
}

std::string arg(const CommandLine& line, std::string_view name) {
  const auto* value = line.args.if_contains({name.data(), name.size()});
  return value ? to_line(*value) : "";
}

TEST(FindCommand, ThreeWordsAreTheSameAsTwo) {
  for (const auto& [verb, op] :
       std::vector<std::pair<Words, std::string>>{{{"queue", "create"}, "queue.create"},
                                                  {{"queue", "dead"}, "queue.dead"},
                                                  {{"group", "add"}, "group.add"},
                                                  {{"channel", "read"}, "channel.read"},
                                                  {{"channel", "subscribe"}, "channel.subscribe"}}) {
    EXPECT_EQ(op_of(verb), op);
    EXPECT_EQ(op_of({"mail", verb[0], verb[1]}), op);
    EXPECT_EQ(op_of({"mail", verb[0], verb[1], "name"}), op);
  }
}

TEST(FindCommand, ClaimsAreVerbsOfMailAndOfQueue) {
  for (const char* verb : {"claim", "complete", "fail", "release", "extend"}) {
    EXPECT_EQ(op_of({"mail", verb}), cat("mail.", verb));
    EXPECT_EQ(op_of({"queue", verb}), cat("mail.", verb));
  }
}

TEST(FindCommand, WhatFollowsTheWordsIsLeftForLater) {
  const auto found = find_command({"--json", "mail", "--as", "queue", "queue", "create", "mail", "--lease", "5m"});
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_NE(found->op, nullptr);
  EXPECT_EQ(found->op->name, "queue.create");
  EXPECT_EQ(found->rest, (Words{"--json", "--as", "queue", "mail", "--lease", "5m"}));
}

TEST(FindCommand, AGroupOfCommandsAloneIsNamed) {
  EXPECT_EQ(op_of({"queue"}), "group: queue");
  EXPECT_EQ(op_of({"mail", "queue"}), "group: mail queue");
  EXPECT_EQ(op_of({"mail", "queue", "--help"}), "group: mail queue");
}

TEST(FindCommand, AMisspelledThirdWordIsToldApart) {
  const auto found = find_command({"mail", "queue", "craete", "x"});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Code::usage);
  EXPECT_EQ(found.error().message, "unknown command: gt mail queue craete");
  EXPECT_EQ(found.error().hint, "did you mean gt mail queue create?");
}

TEST(FindCommand, DotsAreNoWayIn) {
  for (const Words& words : {Words{"queue.create"}, Words{"mail", "queue.create"}, Words{"mail.queue", "create"}})
    EXPECT_TRUE(op_of(words).starts_with("error: ")) << op_of(words);
}

TEST(Wait, AloneHasAMeaningOfItsOwn) {
  const auto line = parse({"mail", "claim", "dispatch", "--wait"});
  ASSERT_TRUE(line.has_value()) << line.error().message;
  EXPECT_EQ(arg(*line, "wait"), "\"365d\"");
  EXPECT_EQ(arg(*line, "queue"), "\"dispatch\"");
}

TEST(Wait, TakesADurationBehindIt) {
  for (const Words& words : {Words{"mail", "claim", "--wait=5s"}, Words{"mail", "claim", "--wait", "5s"}}) {
    const auto line = parse(words);
    ASSERT_TRUE(line.has_value()) << line.error().message;
    EXPECT_EQ(arg(*line, "wait"), "\"5s\"");
    EXPECT_EQ(arg(*line, "queue"), "");
  }
}

TEST(Wait, LeavesTheQueueBehindIt) {
  const auto line = parse({"mail", "claim", "--wait", "dispatch"});
  ASSERT_TRUE(line.has_value()) << line.error().message;
  EXPECT_EQ(arg(*line, "wait"), "\"365d\"");
  EXPECT_EQ(arg(*line, "queue"), "\"dispatch\"");
}

TEST(ParseCommandLine, AnEmptyValueIsAValue) {
  const auto line = parse({"nudge", "coder", "look", "--priority="});
  ASSERT_TRUE(line.has_value()) << line.error().message;
  EXPECT_EQ(arg(*line, "priority"), "\"\"");
}

TEST(Wait, BehindADoubleDashIsAWord) {
  const auto line = parse({"mail", "claim", "--", "--wait"});
  ASSERT_TRUE(line.has_value()) << line.error().message;
  EXPECT_EQ(arg(*line, "wait"), "");
  EXPECT_EQ(arg(*line, "queue"), "\"--wait\"");
}

TEST(Wait, GivenTwiceIsRefused) { EXPECT_FALSE(parse({"mail", "claim", "--wait", "--wait=5s"}).has_value()); }

TEST(ParseCommandLine, TakesManyMembers) {
  const auto line = parse({"mail", "group", "create", "ops", "a", "beads/polecats/*", "@crew", "--json"});
  ASSERT_TRUE(line.has_value()) << line.error().message;
  EXPECT_EQ(arg(*line, "name"), "\"ops\"");
  EXPECT_EQ(arg(*line, "member"), R"(["a","beads/polecats/*","@crew"])");
  EXPECT_TRUE(line->json);
}

TEST(ParseCommandLine, RefusesAMemberTooManyForWhatTakesOne) {
  const auto line = parse({"channel", "subscribe", "builds", "a", "b"});
  ASSERT_FALSE(line.has_value());
  EXPECT_NE(line.error().message.find("\"b\""), std::string::npos) << line.error().message;
}

}  // namespace
}  // namespace townpost
