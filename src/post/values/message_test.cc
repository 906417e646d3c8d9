#include "post/values/message.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

constexpr std::int64_t kLargestSeq = (std::int64_t{1} << 40) - 1;

RC_GTEST_PROP(MessageId, ReadsBackWhatItWrites, ()) {
  SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
  const MessageId id = MessageId::make(*rc::gen::inRange<std::int64_t>(0, kLargestSeq), random);
  const auto parsed = MessageId::parse(id.str());
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed == id);
}

RC_GTEST_PROP(MessageId, GrowsWithItsSequenceNumberWhateverChanceAdds, ()) {
  SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
  const auto seq = *rc::gen::inRange<std::int64_t>(0, kLargestSeq);
  const MessageId earlier = MessageId::make(seq, random);
  const MessageId later = MessageId::make(seq + 1, random);
  RC_ASSERT(earlier < later);
  RC_ASSERT(earlier.seq() == seq);
  RC_ASSERT(later.seq() == seq + 1);
}

RC_GTEST_PROP(MessageId, AnyTextIsAnIdOrNotFound, (const std::string& text)) {
  const auto parsed = MessageId::parse(text);
  if (!parsed) RC_ASSERT(parsed.error().code == Code::not_found);
  const auto prefixed = MessageId::parse("hq-m-" + text);
  if (prefixed) RC_ASSERT(prefixed->str() == "hq-m-" + text);
}

TEST(MessageId, IsShortLowerCaseAndPrefixed) {
  SeededRandom random(1);
  const std::string id = MessageId::make(1'000'000, random).str();
  EXPECT_TRUE(id.starts_with("hq-m-")) << id;
  EXPECT_LE(id.size(), 13u) << id;
  EXPECT_EQ(id, lower_ascii(id));
}

TEST(MessageId, OtherSpellingsAreNotFound) {
  for (const std::string text : {"", "hq-m-", "hq-m-0001", "hq-m-ILOU", "hq-m-1A", "hq-m-i", "HQ-M-1", "m-1", "hq-m-1 ",
                                 "hq-m-1234567890123", "hq-m--1", "1"})
    EXPECT_FALSE(MessageId::parse(text).has_value()) << "\"" << text << "\"";
  EXPECT_FALSE(MessageId::parse(std::string_view("hq-m-1\0", 7)).has_value());
  EXPECT_EQ(MessageId::parse("hq-m-1")->key, 1);
}

TEST(Priority, IsANumberOrAName) {
  const char* names[] = {"urgent", "high", "normal", "low", "lowest"};
  for (int level = 0; level <= 4; ++level) {
    EXPECT_EQ(*parse_priority(std::to_string(level)), static_cast<Priority>(level));
    EXPECT_EQ(*parse_priority(names[level]), static_cast<Priority>(level));
    EXPECT_EQ(name(static_cast<Priority>(level)), names[level]);
  }
  for (const auto* wrong : {"", "5", "-1", "00", "urgent ", "p5", "soon", "1.0"}) {
    const auto parsed = parse_priority(wrong);
    ASSERT_FALSE(parsed.has_value()) << wrong;
    EXPECT_EQ(parsed.error().code, Code::usage);
  }
}

TEST(Priority, HasTheNamesOfOtherToolsToo) {
  EXPECT_EQ(*parse_priority("Urgent"), Priority::urgent);
  EXPECT_EQ(*parse_priority("critical"), Priority::urgent);
  EXPECT_EQ(*parse_priority("p1"), Priority::high);
  EXPECT_EQ(*parse_priority("P4"), Priority::lowest);
}

TEST(MessageType, IsFoundByItsNameOnly) {
  for (const auto* known : {"notification", "task", "scavenge", "reply", "escalation"}) {
    const auto type = find_message_type(known);
    ASSERT_TRUE(type.has_value()) << known;
    EXPECT_EQ(name(*type), known);
  }
  for (const auto* unknown : {"TASK", "unknown", ""}) EXPECT_FALSE(find_message_type(unknown).has_value()) << unknown;
}

TEST(Subject, AReplyHasReOnce) {
  EXPECT_EQ(reply_subject("X"), "Re: X");
  EXPECT_EQ(reply_subject("Re: X"), "Re: X");
  EXPECT_EQ(reply_subject("RE: X"), "Re: X");
  EXPECT_EQ(reply_subject("re:X"), "Re: X");
  EXPECT_EQ(reply_subject("Re: Re: RE:  X"), "Re: X");
  EXPECT_EQ(reply_subject("Reply to X"), "Re: Reply to X");
  EXPECT_EQ(reply_subject(" Re: X"), "Re: X");
}

TEST(Subject, TheThreadsSubjectHasNoRe) {
  EXPECT_EQ(bare_subject("Re: Original topic"), "Original topic");
  EXPECT_EQ(bare_subject("re:RE: Original topic"), "Original topic");
  EXPECT_EQ(bare_subject("Original Re: topic"), "Original Re: topic");
}

TEST(Subject, AReplyToTheLongestSubjectStaysWithinTheLimit) {
  std::string longest;
  while (longest.size() + 2 <= kSubjectBytes) longest += "é";
  const std::string reply = reply_subject(longest);
  EXPECT_LE(reply.size(), kSubjectBytes);
  EXPECT_TRUE(reply.starts_with("Re: é"));
  EXPECT_TRUE(is_utf8(reply)) << "cut on a character";
}

RC_GTEST_PROP(Subject, AReplyToAReplyHasTheSameSubject, ()) {
  const auto piece = rc::gen::element<std::string>("Re:", "re:", "RE: ", " ", "X", "topic", ":", "\t", "é");
  const auto subject = join(*rc::gen::container<std::vector<std::string>>(piece), "");
  const auto reply = reply_subject(subject);
  RC_ASSERT(reply_subject(reply) == reply);
  RC_ASSERT(reply.starts_with("Re: "));
}

}  // namespace
}  // namespace townpost
