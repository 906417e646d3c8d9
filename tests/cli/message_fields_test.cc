// Whatever command answers with a message, it has every field of one.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

/// What every message has; other fields are there where they apply.
const Texts kFields = {"id",           "seq",    "from",     "from_grade",     "to",       "cc",        "subject",
                       "body",         "read",   "priority", "priority_level", "type",     "thread_id", "reply_to",
                       "ack_required", "pinned", "wisp",     "labels",         "timestamp"};

Texts missing_in(const Json& message) {
  const auto keys = keys_of(message);
  Texts out;
  for (const auto& field : kFields)
    if (std::find(keys.begin(), keys.end(), field) == keys.end()) out.push_back(field);
  return out;
}
Json first(const Json& list) {
  const auto items = items_of(list);
  EXPECT_FALSE(items.empty());
  return items.empty() ? Json(nullptr) : items.front();
}

class MessageFields : public testing::Test {
 protected:
  MessageFields() {
    town.agents({"alice", "bob"});
    for (const TestTown::Words& words :
         {TestTown::Words{"queue", "create", "jobs", "--max-attempts", "1"}, {"channel", "create", "news"}})
      EXPECT_EQ(town.gt(words).exit_code, 0);
  }
  TestTown town;
};

TEST_F(MessageFields, AreThereWhereverMailIsListed) {
  const auto id = town.send("alice", "bob", "question", {"-m", "why?", "--reply-by", "1h"});
  EXPECT_EQ(missing_in(first(town.json({"mail", "inbox", "--as", "bob"}))), Texts());
  EXPECT_EQ(missing_in(town.json({"mail", "read", id, "--as", "bob"})), Texts());
  EXPECT_EQ(missing_in(town.json({"mail", "peek", "--as", "bob"})), Texts());
  EXPECT_EQ(missing_in(first(value_at(town.json({"mail", "thread", id, "--as", "bob"}), "messages"))), Texts());
  EXPECT_EQ(missing_in(first(town.json({"mail", "search", "question", "--as", "bob"}))), Texts());
  EXPECT_EQ(missing_in(first(town.json({"mail", "sent", "--as", "alice"}))), Texts());
  EXPECT_EQ(missing_in(town.json({"mail", "explain", id, "--as", "bob"})), Texts());
  const auto waiting = town.json({"mail", "waiting", "--as", "bob"});
  EXPECT_EQ(missing_in(first(value_at(waiting, "owed_by_me"))), Texts());
}

TEST_F(MessageFields, AreThereInWork) {
  const auto id = town.send("alice", "queue:jobs", "work", {"-m", "do it"});
  EXPECT_EQ(text_at(town.json({"mail", "read", id, "--as", "bob"}), "queue_state"), "available");
  const auto claimed = town.json({"mail", "claim", "jobs", "--as", "bob"});
  EXPECT_EQ(missing_in(claimed), Texts());
  for (const auto& message :
       {claimed, town.json({"mail", "read", id, "--as", "bob"}), first(town.json({"mail", "sent", "--as", "alice"})),
        town.json({"mail", "explain", id, "--as", "bob"})}) {
    EXPECT_EQ(text_at(message, "queue"), "jobs");
    EXPECT_EQ(text_at(message, "queue_state"), "processing");
    EXPECT_EQ(text_at(message, "claimed_by"), "bob");
    EXPECT_EQ(number_at(message, "attempts"), 1);
    EXPECT_TRUE(is_instant(text_at(message, "claimed_at")));
    EXPECT_TRUE(is_instant(text_at(message, "lease_until")));
    EXPECT_TRUE(flag_at(message, "read")) << "somebody has had it";
    const auto labels = texts_in(value_at(message, "labels"));
    for (const auto* label : {"queue:jobs", "claimed-by:bob", "read"})
      EXPECT_EQ(std::count(labels.begin(), labels.end(), label), 1) << label;
  }
  EXPECT_EQ(town.gt({"mail", "fail", id, "--as", "bob"}).exit_code, 0);
  EXPECT_EQ(missing_in(first(town.json({"queue", "dead"}))), Texts());
}

TEST_F(MessageFields, AreThereInPosts) {
  EXPECT_EQ(town.gt({"channel", "subscribe", "news", "--as", "bob"}).exit_code, 0);
  town.send("alice", "channel:news", "first");
  auto post = first(town.json({"channel", "read", "news", "--as", "bob"}));
  EXPECT_EQ(missing_in(post), Texts());
  EXPECT_EQ(text_at(post, "channel"), "news");
  EXPECT_FALSE(flag_at(post, "read"));
  EXPECT_FALSE(flag_at(post, "pinned"));
  post = first(town.json({"channel", "read", "news", "--as", "bob"}));
  EXPECT_TRUE(flag_at(post, "read")) << "it has seen it by now";
}

TEST_F(MessageFields, NameTheQueueAndTheChannelOfACarbonCopy) {
  town.send("alice", "bob", "both", {"--cc", "queue:jobs", "--cc", "channel:news"});
  const auto mail = first(town.json({"mail", "inbox", "--as", "bob"}));
  EXPECT_EQ(text_at(mail, "queue"), "jobs");
  EXPECT_EQ(text_at(mail, "channel"), "news");
}

TEST_F(MessageFields, OfWhatWasSentTellWhereItWent) {
  town.send("alice", "queue:jobs", "work");
  town.send("alice", "channel:news", "post");
  const auto sent = items_of(town.json({"mail", "sent", "--as", "alice"}));
  const auto went_to = [](const Json& message) { return first(value_at(message, "recipients")); };
  EXPECT_EQ(went_to(sent.at(0)), (Json{{"address", "channel:news"}, {"cc", false}, {"state", "posted"}}));
  EXPECT_EQ(went_to(sent.at(1)), (Json{{"address", "queue:jobs"}, {"cc", false}, {"state", "available"}}));
  const auto text = town.gt({"mail", "sent", "--as", "alice"}).out;
  EXPECT_NE(text.find("queue:jobs available"), std::string::npos) << text;
}

}  // namespace
}  // namespace townpost
