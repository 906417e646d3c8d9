#include "post/rules/limits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace townpost {
namespace {

using std::chrono::minutes;

Agent agent(std::string_view address, int shown_hops = 0, std::optional<Instant> shown_at = std::nullopt) {
  Agent out{.id = {7}, .address = *Address::parse(address)};
  out.shown_hops = shown_hops;
  out.shown_at = shown_at;
  return out;
}

std::optional<Message> answered(int hops) {
  Message message;
  message.hops = hops;
  return message;
}

constexpr Instant kNow{1'700'000'000'000};

TEST(Hops, AFirstMessageIsOneDeep) { EXPECT_EQ(hops_of(agent("coder"), std::nullopt, kNow), 1); }

TEST(Hops, AnAnswerIsOneDeeperThanWhatItAnswers) { EXPECT_EQ(hops_of(agent("coder"), answered(5), kNow), 6); }

TEST(Hops, WhatWasShownInThisTurnCountsToo) {
  EXPECT_EQ(hops_of(agent("coder", 7, kNow - minutes(1)), std::nullopt, kNow), 8);
  EXPECT_EQ(hops_of(agent("coder", 7, kNow - minutes(1)), answered(3), kNow), 8);
  EXPECT_EQ(hops_of(agent("coder", 3, kNow - minutes(1)), answered(7), kNow), 8);
  EXPECT_EQ(hops_of(agent("coder", 7), std::nullopt, kNow), 1) << "nothing was shown";
}

TEST(Hops, APersonAndTheTownItselfBeginAnew) {
  EXPECT_EQ(hops_of(agent("overseer", 9, kNow), answered(9), kNow), 0);
  EXPECT_EQ(hops_of(agent("townpost", 9, kNow), answered(9), kNow), 0);
  EXPECT_EQ(hops_of(agent("coder"), answered(0), kNow), 1) << "an answer to a person";
}

TEST(Hops, OverEightAreHeldAndOverSixteenRefused) {
  const Limits limits;
  EXPECT_FALSE(hops_hold(limits, 8).has_value());
  ASSERT_TRUE(hops_hold(limits, 9).has_value());
  EXPECT_EQ(hops_hold(limits, 9)->rule, "L1");
  EXPECT_NE(hops_hold(limits, 9)->reason.find("L1"), std::string::npos) << "a hold names its rule";
  EXPECT_FALSE(hops_refusal(limits, 16).has_value());
  ASSERT_TRUE(hops_refusal(limits, 17).has_value());
  EXPECT_EQ(hops_refusal(limits, 17)->rule, "L1");
}

TEST(Hops, ZeroOrDisabledTurnsTheRuleOff) {
  Limits limits;
  limits.hops_held = limits.hops_refused = 0;
  EXPECT_FALSE(hops_hold(limits, 1000).has_value());
  EXPECT_FALSE(hops_refusal(limits, 1000).has_value());
  limits = {};
  limits.enabled = false;
  EXPECT_FALSE(hops_hold(limits, 1000).has_value());
  EXPECT_FALSE(hops_refusal(limits, 1000).has_value());
}

Message letter(std::vector<std::string> to, std::vector<std::string> cc, std::string subject, std::string body) {
  Message message;
  message.to = std::move(to);
  message.cc = std::move(cc);
  message.subject = std::move(subject);
  message.body = std::move(body);
  return message;
}

TEST(Content, WhatIsNotContentDoesNotCount) {
  Message a = letter({"x"}, {"y"}, "s", "b");
  Message b = a;
  b.id = {9};
  b.created_at = {5};
  b.priority = Priority::urgent;
  b.thread = "other";
  EXPECT_EQ(content_digest(a), content_digest(b));
  EXPECT_TRUE(same_content(a, b));
}

TEST(Content, EveryPartOfItCounts) {
  const Message base = letter({"x", "y"}, {"z"}, "s", "b");
  for (const Message& other :
       {letter({"x"}, {"z"}, "s", "b"), letter({"x", "y"}, {}, "s", "b"), letter({"x", "y", "z"}, {}, "s", "b"),
        letter({"x"}, {"y", "z"}, "s", "b"), letter({"xy"}, {"z"}, "s", "b"), letter({"x", "y"}, {"z"}, "sb", ""),
        letter({"x", "y"}, {"z"}, "", "sb"), letter({"x", "y"}, {"z"}, "s", "c")}) {
    EXPECT_FALSE(same_content(base, other));
    EXPECT_NE(content_digest(base), content_digest(other));
  }
}

TEST(Content, TheOrderOfRecipientsDoesNotCount) {
  const Message base = letter({"x", "y"}, {"v", "w"}, "s", "b");
  const Message other = letter({"y", "x"}, {"w", "v"}, "s", "b");
  EXPECT_TRUE(same_content(base, other));
  EXPECT_EQ(content_digest(base), content_digest(other));
}

TEST(Content, AnAnswerToAnotherMessageIsAnother) {
  Message a = letter({"x"}, {}, "Re: question", "yes");
  a.reply_to = MessageId{1};
  Message b = a;
  b.reply_to = MessageId{2};
  EXPECT_FALSE(same_content(a, b));
  EXPECT_NE(content_digest(a), content_digest(b));
  b.reply_to.reset();
  EXPECT_FALSE(same_content(a, b));
}

RC_GTEST_PROP(Content, EqualContentHasEqualDigests,
              (const std::vector<std::string>& to, const std::string& subject, const std::string& body)) {
  const Message a = letter(to, {}, subject, body);
  Message b = letter(to, {}, subject, body);
  b.hops = 3;
  RC_ASSERT(same_content(a, b));
  RC_ASSERT(content_digest(a) == content_digest(b));
}

}  // namespace
}  // namespace townpost
