#include "ops/wire.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace townpost {
namespace {

void expect_same(const std::optional<Again>& a, const std::optional<Again>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->what, b->what);
  EXPECT_EQ(a->bells, b->bells);
  EXPECT_EQ(a->ears, b->ears);
  EXPECT_EQ(a->process, b->process);
  EXPECT_EQ(a->at, b->at);
  EXPECT_EQ(a->op, b->op);
  EXPECT_EQ(a->args, b->args);
}

/// That the other side has what was answered, and would send the same bytes.
void expect_crosses(const Answer& answer) {
  const auto sent = wire::reply_text(answer);
  const auto got = wire::read_reply(sent);
  ASSERT_TRUE(got.has_value()) << sent << ": " << got.error().message;
  EXPECT_EQ(got->json, answer.json);
  EXPECT_EQ(got->outcome, answer.outcome);
  EXPECT_EQ(got->warnings, answer.warnings);
  EXPECT_EQ(got->notices, answer.notices);
  EXPECT_EQ(got->as_lines, answer.as_lines);
  ASSERT_EQ(got->extent.has_value(), answer.extent.has_value());
  if (answer.extent) {
    EXPECT_EQ(got->extent->total, answer.extent->total);
    EXPECT_EQ(got->extent->more, answer.extent->more);
    EXPECT_EQ(got->extent->cursor, answer.extent->cursor);
  }
  expect_same(got->again, answer.again);
  EXPECT_EQ(wire::reply_text(got), sent);
}

TEST(Wire, AnAnswerArrivesAsItWas) {
  expect_crosses({});
  expect_crosses({.json = {{"text", "two\nlines \u00e9"}, {"n", 1.5}, {"none", nullptr}}});
  for (const auto outcome :
       {Outcome::done, Outcome::nothing, Outcome::partial, Outcome::pending, Outcome::wake, Outcome::exited})
    expect_crosses(
        {.json = JsonArray{1, 2}, .outcome = outcome, .warnings = {"a", ""}, .notices = {"b"}, .as_lines = true});
  expect_crosses({.json = JsonArray{}, .extent = Extent{.total = 7, .more = 3, .cursor = 12}});
  expect_crosses({.json = JsonArray{}, .extent = Extent{.total = 7}});
}

TEST(Wire, WhatToWaitForArrivesAsItWas) {
  expect_crosses({.json = nullptr, .again = Again{}});
  expect_crosses({.json = nullptr,
                  .again = Again{.what = Again::For::a_newer_view,
                                 .bells = {AgentId{7}, QueueId{3}, BellKey::registry(), BellKey::endings(AgentId{9})},
                                 .ears = {"/run/ear", "/run/\xff\xfe"},
                                 .process = 4711,
                                 .at = Instant{1'700'000'000'123},
                                 .op = find_op("nudge.wait")->name,
                                 .args = {{"id", {"hq-n-1", "hq-n-2"}}, {"timeout", "5s"}}}});
}

TEST(Wire, AnAnswerMayBeAsDeepAsWhatWasRead) {
  std::string deep = "1";
  for (int i = 0; i < 30; ++i) deep = "[" + deep + "]";
  expect_crosses({.json = *parse_json(deep)});
}

TEST(Wire, EveryKindOfErrorArrivesAsItWas) {
  for (int code = 0; code <= static_cast<int>(Code::partial); ++code) {
    const Error error{.code = static_cast<Code>(code), .message = "no", .hint = "do"};
    EXPECT_EQ(wire::read_reply(wire::reply_text(fail(error))).error(), error);
  }
}

RC_GTEST_PROP(Wire, AnErrorArrivesAsItWas, ()) {
  const auto text = [] { return *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)); };
  Error error{.code = static_cast<Code>(*rc::gen::inRange(0, static_cast<int>(Code::partial) + 1)),
              .message = "no " + text(),
              .hint = text()};
  if (*rc::gen::arbitrary<bool>()) error.retry_after_s = *rc::gen::arbitrary<std::int64_t>();
  if (*rc::gen::arbitrary<bool>()) error.argument = text();
  if (*rc::gen::arbitrary<bool>()) error.next = NextCall{text(), {{text(), text()}, {"b", ""}}, text()};
  RC_ASSERT(wire::read_reply(wire::reply_text(fail(error))).error() == error);
}

TEST(Wire, ACallArrivesAsItWas) {
  const Op& op = *find_op("mail.send");
  const auto args =
      *Args::check(op.args, {{"to", {"max", "queue:jobs"}}, {"subject", "s"}, {"body", "b"}, {"no_notify", true}});
  Request request{.haste = Haste::hook, .started_at = Instant{5}, .deadline = Instant{9}};
  request.kept = {{"feed", "12"}, {"seen", ""}, {"path", "/tmp/\xff"}};
  const auto got = wire::read_call(wire::call_text(op, args, request));
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->op, &op);
  EXPECT_EQ(Args::check(op.args, got->args)->values(), args.values());
  EXPECT_EQ(got->haste, Haste::hook);
  EXPECT_EQ(got->started_at, Instant{5});
  EXPECT_EQ(got->deadline, Instant{9});
  EXPECT_EQ(got->kept, request.kept);
}

TEST(Wire, WhatIsKeptComesBackWithEveryReply) {
  const wire::Kept kept = {{"feed", "13"}, {"waits", ""}};
  const Error error{.code = Code::unavailable, .message = "in use", .hint = ""};
  for (const Result<Answer>& reply : {Result<Answer>(Answer{}), Result<Answer>(fail(error))}) {
    wire::Kept mine = {{"feed", "12"}};
    EXPECT_EQ(wire::read_reply(wire::reply_text(reply, kept), mine).has_value(), reply.has_value());
    EXPECT_EQ(mine, kept);
  }
  wire::Kept mine = {{"feed", "12"}};
  (void)wire::read_reply(R"({"kept":{"feed":7},"answer":{}})", mine);
  EXPECT_EQ(mine, (wire::Kept{{"feed", "12"}})) << "what is not understood changes nothing";
}

TEST(Wire, APathOfAnyBytesArrivesAsItWas) {
  const Op& op = *find_op("rig.add");
  const auto args = Args::check(op.args, {{"name", "shed"}, {"path", "/tmp/\xff"}});
  ASSERT_TRUE(args.has_value()) << args.error().message;
  const auto got = wire::read_call(wire::call_text(op, *args, {}));
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(Args::check(op.args, got->args)->text("path"), "/tmp/\xff");
}

TEST(Wire, ACallThatIsNoneIsRefused) {
  for (const auto* text : {"", "7", "[]", "{}", R"({"op":"mail.check"})", R"({"op":7,"args":{}})",
                           R"({"op":"mail.check","args":[]})", R"({"op":"mail.check","args":{},"haste":"none"})",
                           R"({"op":"mail.check","args":{},"haste":"slow","started_at":1})",
                           R"({"op":"mail.check","args":{},"haste":"none","started_at":1,"kept":[]})",
                           R"({"op":"mail.check","args":{},"haste":"none","started_at":1,"kept":{"feed":7}})"})
    EXPECT_EQ(wire::read_call(text).error().code, Code::usage) << text;
  EXPECT_EQ(wire::read_call(R"({"op":"mail.paint","args":{}})").error().code, Code::not_found);
}

TEST(Wire, AReplyThatIsNoneIsUnavailable) {
  for (const auto* text :
       {"", "{}", "\n", "{}\n1", R"({"answer":{}})", R"({"answer":{"outcome":"done"}})",
        "{\"answer\":{\"outcome\":\"done\"}}\n", "{\"answer\":{\"outcome\":\"odd\"}}\n1", R"({"error":{}})",
        R"({"error":{"code":"usage","message":""}})", R"({"error":{"code":"odd","message":"no"}})",
        R"({"error":{"code":"usage","message":"no","next":{"args":[["a"]]}}})",
        "{\"answer\":{\"outcome\":\"done\",\"warnings\":[1]}}\n1",
        "{\"answer\":{\"outcome\":\"done\",\"again\":{\"for\":\"an_answer\",\"at\":1,\"bells\":[\"../../etc\"]}}}\n1",
        "{\"answer\":{\"outcome\":\"done\",\"again\":{\"for\":\"an_answer\",\"at\":1,\"op\":\"mail.paint\"}}}\n1"})
    EXPECT_EQ(wire::read_reply(text).error().code, Code::unavailable) << text;
}

}  // namespace
}  // namespace townpost
