#include "ops/args.h"

#include <gtest/gtest.h>

#include "ops/op.h"

namespace townpost {
namespace {

const std::vector<Arg>& declared() {
  static const std::vector<Arg> kArgs = {
      many("to", "ADDR", "recipients"),
      required(with_letter('s', option("subject", "TEXT", "what it is about"))),
      maybe_one("note", "note", "a remark"),
      flag("urgent", "at once"),
      repeated(option("cc", "ADDR", "copies")),
      with_default("50", option("limit", "N", "how many", ArgKind::integer)),
      option("priority", "P", "how urgent", ArgKind::priority),
      option("reply_by", "30m", "answer within", ArgKind::duration),
  };
  return kArgs;
}

Result<Args> check(std::string_view json) { return Args::check(declared(), parse_json(json)->as_object()); }

Error error_of(std::string_view json) {
  const auto checked = check(json);
  EXPECT_FALSE(checked.has_value()) << json;
  return checked ? Error{} : checked.error();
}

TEST(Args, FittingValuesAreHandedOver) {
  const auto args = check(R"({"to":["a","b"],"subject":"hi","urgent":true,"cc":["c"],"limit":"7","priority":"high",
                              "reply_by":"30m","note":"x"})");
  ASSERT_TRUE(args.has_value()) << args.error().message;
  EXPECT_EQ(args->list("to"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(args->text("subject"), "hi");
  EXPECT_TRUE(args->flag("urgent"));
  EXPECT_EQ(args->list("cc"), std::vector<std::string>{"c"});
  EXPECT_EQ(args->integer("limit"), 7);
  EXPECT_EQ(args->text("priority"), "high");
  EXPECT_EQ(args->duration("reply_by"), std::chrono::minutes(30));
  EXPECT_EQ(args->maybe_text("note"), "x");
}

TEST(Args, WhatWasNotGivenIsAbsentOrItsDefault) {
  const auto args = check(R"({"to":"a","subject":"hi"})");
  ASSERT_TRUE(args.has_value()) << args.error().message;
  EXPECT_EQ(args->list("to"), std::vector<std::string>{"a"}) << "one value is a list of one";
  EXPECT_FALSE(args->flag("urgent"));
  EXPECT_FALSE(args->has("note"));
  EXPECT_EQ(args->text("note"), "");
  EXPECT_EQ(args->maybe_text("note"), std::nullopt);
  EXPECT_TRUE(args->list("cc").empty());
  EXPECT_EQ(args->integer("limit"), 50);
  EXPECT_EQ(args->duration("reply_by"), std::nullopt);
}

TEST(Args, IntegersMayComeAsNumbersOrText) {
  EXPECT_EQ(check(R"({"to":"a","subject":"s","limit":7})")->integer("limit"), 7);
  EXPECT_EQ(check(R"({"to":"a","subject":"s","limit":"-7"})")->integer("limit"), -7);
}

TEST(Args, AMissingArgumentIsNamed) {
  EXPECT_EQ(error_of(R"({"subject":"s"})").code, Code::usage);
  EXPECT_EQ(error_of(R"({"subject":"s"})").argument, "to");
  EXPECT_EQ(error_of(R"({"to":[],"subject":"s"})").argument, "to");
  EXPECT_EQ(error_of(R"({"to":"a"})").argument, "subject");
  EXPECT_EQ(error_of(R"({"to":"a"})").message, "the subject is missing");
}

TEST(Args, AnUnknownArgumentIsNamed) {
  const Error error = error_of(R"({"to":"a","subject":"s","subjct":"x\u001b[31m"})");
  EXPECT_EQ(error.code, Code::usage);
  EXPECT_NE(error.message.find("subjct"), std::string::npos);
  const Error hostile = error_of("{\"to\":\"a\",\"subject\":\"s\",\"\\u001b[31m\":1}");
  EXPECT_EQ(hostile.message.find('\x1b'), std::string::npos) << "names from outside are text, too";
}

TEST(Args, AMalformedValueIsNamedWithItsArgument) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"("limit":"many")", "limit"},
      {R"("limit":"")", "limit"},
      {R"("limit":"7 ")", "limit"},
      {R"("limit":1.5)", "limit"},
      {R"("limit":true)", "limit"},
      {R"("limit":"99999999999999999999")", "limit"},
      {R"("priority":"9")", "priority"},
      {R"("priority":"asap")", "priority"},
      {R"("reply_by":"soon")", "reply_by"},
      {R"("urgent":"yes")", "urgent"},
      {R"("note":{})", "note"},
      {R"("note":["a"])", "note"},
      {R"("cc":[["a"]])", "cc"},
      {R"("note":null)", "note"},
  };
  for (const auto& [member, name] : wrong) {
    const Error error = error_of(R"({"to":"a","subject":"s",)" + member + "}");
    EXPECT_EQ(error.code, Code::usage) << member;
    EXPECT_EQ(error.argument, name) << member;
    EXPECT_TRUE(error.message.starts_with("invalid " + name + ": ")) << member << ": " << error.message;
  }
}

bool names_something(const Arg& arg) {
  return arg.kind == ArgKind::address || arg.kind == ArgKind::message_id || arg.kind == ArgKind::nudge_id ||
         arg.kind == ArgKind::list_name;
}

// One or many, of every row: what cannot be a name of that kind never reaches a handler.
TEST(Args, WhatIsNoNameOfItsKindIsRefusedAndTheArgumentNamed) {
  int tried = 0;
  for (const auto& entry : op_table())
    for (Arg arg : entry.op().args) {
      if (!names_something(arg)) continue;
      ++tried;
      const Json wrong = arg.many ? Json({"no name!", "neither"}) : Json("no name!");
      const auto checked = Args::check({arg}, {{std::string(arg.name), wrong}});
      ASSERT_FALSE(checked.has_value()) << entry.name << " " << arg.name;
      EXPECT_EQ(checked.error().argument, arg.name) << entry.name << ": " << checked.error().message;
      EXPECT_NE(checked.error().message.find("no name!"), std::string::npos) << checked.error().message;
      EXPECT_FALSE(checked.error().hint.empty() && !checked.error().next) << checked.error().message;
    }
  EXPECT_GT(tried, 60);
}

TEST(Args, NamesOfEachKindAreTaken) {
  const auto taken = [](ArgKind kind, const std::string& text) {
    return Args::check({option("x", "X", "a name", kind)}, {{"x", text}}).has_value();
  };
  for (const auto* text : {"mayor", "mayor/", "max", "beads/crew/max", "crew/max", "@town", "@ops", "*/witness",
                           "group:ops", "queue:jobs", "agent:max"})
    EXPECT_TRUE(taken(ArgKind::address, text)) << text;
  for (const auto* text : {"a,b", "", "*", "queue:A", "-x", "a/b/c/d"})
    EXPECT_FALSE(taken(ArgKind::address, text)) << text;
  for (const auto& text : {std::string("jobs"), std::string("queue:jobs"), std::string("@ops"),
                           std::string("hq-q-jobs"), std::string(64, 'a'), "hq-channel-" + std::string(64, 'a')})
    EXPECT_TRUE(taken(ArgKind::list_name, text)) << text;
  for (const auto& text :
       {std::string("Jobs"), std::string(), std::string("-jobs"), std::string("a b"), std::string("a/b"),
        std::string(85, 'a'), "queue:" + std::string(65, 'a'), std::string("agent:jobs")})
    EXPECT_FALSE(taken(ArgKind::list_name, text)) << text;
  EXPECT_TRUE(taken(ArgKind::message_id, "hq-m-1a2b3c"));
  EXPECT_FALSE(taken(ArgKind::message_id, "hq-n-1a2b3c"));
  EXPECT_TRUE(taken(ArgKind::nudge_id, "hq-n-1a2b3c"));
  EXPECT_FALSE(taken(ArgKind::nudge_id, "hq-m-1a2b3c"));
  EXPECT_FALSE(taken(ArgKind::message_id, "0"));
  EXPECT_FALSE(taken(ArgKind::message_id, "no id"));
}

TEST(Args, ANameInOtherLettersIsToldInItsOwn) {
  const auto error = Args::check({option("name", "NAME", "which", ArgKind::list_name)}, {{"name", "Builds"}}).error();
  EXPECT_EQ(error.hint, "names are lower-case: builds");
}

TEST(Args, WhatStandsForAnIdIsTakenForOne) {
  for (const auto* text : {"2", "1-3", "last", "6xwg9", "hq-m-6x"})
    EXPECT_TRUE(Args::check({many("id", "ID", "which", ArgKind::message_id)}, {{"id", {"hq-m-1a2b3c", text}}})) << text;
}

TEST(Args, AnyNumberMayBeNone) {
  const std::vector<Arg> members = {one("name", "NAME", "of the group"), maybe_many("member", "MEMBER", "who")};
  const auto none = Args::check(members, {{"name", "ops"}});
  ASSERT_TRUE(none.has_value()) << none.error().message;
  EXPECT_TRUE(none->list("member").empty());
  const auto two = Args::check(members, {{"name", "ops"}, {"member", {"a", "b"}}});
  ASSERT_TRUE(two.has_value()) << two.error().message;
  EXPECT_EQ(two->list("member"), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(Args::check(members, {{"member", {"a"}}}).has_value());
}

TEST(Args, WhatIsMeantByAnOptionAloneIsNoDefault) {
  const std::vector<Arg> wait = {may_stand_alone("365d", option("wait", "60s", "for how long", ArgKind::duration))};
  const auto without = Args::check(wait, {});
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(without->duration("wait"), std::nullopt);
  EXPECT_EQ(Args::check(wait, {{"wait", "5s"}})->duration("wait"), std::chrono::seconds(5));
  EXPECT_FALSE(Args::check(wait, {{"wait", true}}).has_value()) << "a duration, not a flag";
  EXPECT_FALSE(Args::check(wait, {{"wait", "dispatch"}}).has_value());
}

TEST(Args, AFlagMayBeSaidToBeOff) {
  const auto args = check(R"({"to":"a","subject":"s","urgent":false})");
  ASSERT_TRUE(args.has_value());
  EXPECT_FALSE(args->flag("urgent"));
}

TEST(Args, ADeadlineIsADurationOrAMoment) {
  const std::vector<Arg> by = {option("by", "30m", "until when", ArgKind::deadline)};
  const auto at = [&](const std::string& text) -> std::string {
    const auto args = Args::check(by, {{"by", text}});
    return args ? rfc3339(*args->deadline("by", *parse_instant("2026-03-05T10:00:00Z"))) : args.error().message;
  };
  EXPECT_EQ(at("30m"), "2026-03-05T10:30:00.000Z");
  EXPECT_EQ(at("1h30m"), "2026-03-05T11:30:00.000Z");
  EXPECT_EQ(at("2026-03-06T12:00:00Z"), "2026-03-06T12:00:00.000Z");
  EXPECT_EQ(at("5"), "invalid by: \"5\" has no unit");
  EXPECT_EQ(at("tomorrow"), "invalid by: \"tomorrow\" is not a duration");
}

TEST(Args, AnotherMayStandInForARequiredOne) {
  const std::vector<Arg> either = {option("protocol", "TYPE", "built"),
                                   required_unless("protocol", option("body", "TEXT", "given"))};
  EXPECT_EQ(Args::check(either, {}).error().message, "the body is missing");
  EXPECT_TRUE(Args::check(either, {{"protocol", "DONE"}}).has_value());
  EXPECT_TRUE(Args::check(either, {{"body", ""}}).has_value()) << "an empty one was asked for";
}

TEST(Args, WhatIsSaidOfAMissingOneMayBeItsOwn) {
  const std::vector<Arg> text = {if_missing("message required", required(option("body", "TEXT", "what to say")))};
  const auto error = Args::check(text, {}).error();
  EXPECT_EQ(error.message, "message required");
  EXPECT_EQ(error.argument, "body");
}

TEST(Args, AChoiceIsReadInAnyCase) {
  const std::vector<Arg> type = {one_of({"task", "reply"}, option("type", "TYPE", "which"))};
  EXPECT_EQ(Args::check(type, {{"type", "TASK"}})->text("type"), "task");
}

}  // namespace
}  // namespace townpost
