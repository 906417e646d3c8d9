// gt mail send: what it answers and what is stored.
#include <gtest/gtest.h>

#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

TEST(Send, AnswersWithIdThreadAndWhatWasDoneForEachRecipient) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto answer = town.json({"mail", "send", "alice", "bob", "-s", "Hello", "-m", "first"});
  EXPECT_EQ(keys_of(answer), (std::vector<std::string>{"id", "thread_id", "recipients"}));
  EXPECT_TRUE(text_at(answer, "id").starts_with("hq-m-")) << text_at(answer, "id");
  EXPECT_TRUE(text_at(answer, "thread_id").starts_with("thread-")) << text_at(answer, "thread_id");
  EXPECT_EQ(text_at(answer, "thread_id").size(), std::string("thread-").size() + 12);
  const auto recipients = value_at(answer, "recipients");
  EXPECT_EQ(texts_in(recipients, "address"), (std::vector<std::string>{"alice", "bob"}));
  for (const auto& recipient : items_of(recipients)) {
    EXPECT_EQ(keys_of(recipient), (std::vector<std::string>{"address", "state", "reason"}));
    EXPECT_EQ(text_at(recipient, "state"), "no-session");
    EXPECT_NE(text_at(recipient, "reason"), "");
  }
}

TEST(Send, TellsPeopleTheIdAndEveryRecipient) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto sent = town.gt({"mail", "send", "alice", "--cc", "bob", "-s", "Hello", "-m", "first"});
  EXPECT_EQ(sent.exit_code, 0);
  EXPECT_EQ(sent.err, "");
  const auto id = inbox_ids(town, "alice").at(0);
  EXPECT_NE(sent.out.find(id), std::string::npos) << sent.out;
  EXPECT_NE(sent.out.find("alice: in the inbox (not running)"), std::string::npos) << sent.out;
  EXPECT_NE(sent.out.find("bob: in the inbox (not running)"), std::string::npos) << sent.out;
}

TEST(Send, QuietlyPrintsTheIdAlone) {
  const TestTown town;
  town.agents({"alice"});
  const auto sent = town.gt({"mail", "send", "alice", "-s", "Hello", "-m", "x", "-q"});
  EXPECT_EQ(sent.out, inbox_ids(town, "alice").at(0) + "\n");
}

// G079, G314
TEST(Send, StoresWhatWasSentWithTheDefaultsOfANewMessage) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto id = town.send("overseer", "alice", "Hello", {"-m", "the text", "--cc", "bob"});
  const auto mail = read_as(town, "alice", id);
  EXPECT_EQ(text_at(mail, "id"), id);
  EXPECT_EQ(number_at(mail, "seq"), 1);
  EXPECT_EQ(text_at(mail, "from"), "overseer");
  EXPECT_EQ(text_at(mail, "from_grade"), "flag");
  EXPECT_EQ(texts_in(value_at(mail, "to")), std::vector<std::string>{"alice"});
  EXPECT_EQ(texts_in(value_at(mail, "cc")), std::vector<std::string>{"bob"});
  EXPECT_EQ(text_at(mail, "subject"), "Hello");
  EXPECT_EQ(text_at(mail, "body"), "the text");
  EXPECT_FALSE(flag_at(mail, "read"));
  EXPECT_EQ(text_at(mail, "priority"), "normal");
  EXPECT_EQ(number_at(mail, "priority_level"), 2);
  EXPECT_EQ(text_at(mail, "type"), "notification");
  EXPECT_NE(text_at(mail, "thread_id"), "");
  EXPECT_TRUE(value_at(mail, "reply_to").is_null());
  EXPECT_FALSE(flag_at(mail, "ack_required"));
  EXPECT_FALSE(flag_at(mail, "pinned"));
  EXPECT_FALSE(flag_at(mail, "wisp"));
  const auto at = parse_instant(text_at(mail, "timestamp"));
  ASSERT_TRUE(at.has_value());
  EXPECT_LT(SystemClock().now() - *at, Millis(60'000));
}

TEST(Send, MakesAMessageWithExactlyTheKeysOfTheSpecification) {
  const TestTown town;
  town.agents({"alice"});
  town.send("overseer", "alice", "Hello");
  const auto mail = town.json({"mail", "inbox", "--as", "alice"}).at(0);
  EXPECT_EQ(keys_of(mail), message_keys());
  EXPECT_TRUE(is_instant(text_at(mail, "timestamp"))) << text_at(mail, "timestamp");
  EXPECT_EQ(
      texts_in(value_at(mail, "labels")),
      (std::vector<std::string>{"from:overseer", "thread:" + text_at(mail, "thread_id"), "msg-type:notification"}));
}

TEST(Send, TellsTheViewersOwnInstantsOnceTheyAreThere) {
  const TestTown town;
  town.agents({"alice"});
  const auto id = town.send("overseer", "alice", "Hello", {"--ack"});
  town.json({"mail", "read", id, "--ack", "--as", "alice"});
  town.json({"mail", "archive", id, "--as", "alice"});
  const auto mail = read_as(town, "alice", id);
  for (const auto* key : {"delivered_at", "read_at", "acked_at", "archived_at"})
    EXPECT_TRUE(is_instant(text_at(mail, key))) << key << ": " << text_at(mail, key);
}

// G314
TEST(Send, GivesEveryMessageAnIdOfItsOwn) {
  const TestTown town;
  town.agents({"alice"});
  std::set<std::string> ids;
  for (int i = 0; i < 20; ++i) ids.insert(town.send("overseer", "alice", "same subject"));
  EXPECT_EQ(ids.size(), 20u);
}

// G077
TEST(Send, RefusesAnUnknownTypeAndNamesTheKnown) {
  const TestTown town;
  town.agents({"alice"});
  for (const auto* type : {"unknown", "tasks", ""}) {
    const Words words = {"mail", "send", "-m", "", "alice", "-s", "Typed", "--type", type};
    expect_refused_untouched(town, words, {2, "usage", cat("\"", type, "\" is not one of its values")});
    const auto refused = town.gt(words);
    EXPECT_NE(refused.err.find("notification, task, scavenge, reply or escalation"), std::string::npos) << refused.err;
  }
  for (const auto* type : {"task", "scavenge", "reply", "escalation", "notification", "TASK"}) {
    const auto id = town.send("overseer", "alice", "Typed", {"--type", type});
    EXPECT_EQ(text_at(read_as(town, "alice", id), "type"), lower_ascii(type));
  }
}

TEST(Send, TakesPrioritiesByNumberAndByName) {
  const TestTown town;
  town.agents({"alice"});
  const Words names = {"urgent", "high", "normal", "low", "lowest"};
  for (std::size_t level = 0; level < names.size(); ++level)
    for (const auto& spelled : {names[level], std::to_string(level)}) {
      const auto mail = read_as(town, "alice", town.send("overseer", "alice", "p", {"--priority", spelled}));
      EXPECT_EQ(text_at(mail, "priority"), names[level]);
      EXPECT_EQ(number_at(mail, "priority_level"), static_cast<std::int64_t>(level));
    }
  EXPECT_EQ(text_at(read_as(town, "alice", town.send("overseer", "alice", "p", {"--urgent"})), "priority"), "urgent");
}

TEST(Send, KeepsTheFlagsOfTheMessage) {
  const TestTown town;
  town.agents({"alice"});
  const auto first = town.send("overseer", "alice", "First");
  const auto id = town.send("overseer", "alice", "Second",
                            {"--ack", "--pinned", "--wisp", "--thread", "release-7", "--reply-to", first});
  const auto mail = read_as(town, "alice", id);
  EXPECT_TRUE(flag_at(mail, "ack_required"));
  EXPECT_TRUE(flag_at(mail, "pinned"));
  EXPECT_TRUE(flag_at(mail, "wisp"));
  EXPECT_EQ(text_at(mail, "thread_id"), "release-7");
  EXPECT_EQ(text_at(mail, "reply_to"), first);
}

TEST(Send, StaysInTheParentsThreadUnlessToldOtherwise) {
  const TestTown town;
  town.agents({"alice"});
  const auto first = town.send("overseer", "alice", "First");
  const auto second = town.send("overseer", "alice", "Second", {"--reply-to", first});
  EXPECT_EQ(text_at(read_as(town, "alice", second), "thread_id"), text_at(read_as(town, "alice", first), "thread_id"));
}

TEST(Send, StoresForAllRecipientsOrForNone) {
  const TestTown town;
  town.agents({"alice", "bob"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "alice", "bobb", "-s", "Hi"}, {4, "not_found", "bobb"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "alice", "--cc", "nobody-here", "-s", "Hi"},
                           {4, "not_found", "nobody-here"});
  expect_refused_untouched(town,
                           {"mail", "send", "-m", "", "alice", "new-one", "nobody/crew/here", "-s", "Hi", "--create"},
                           {4, "not_found", "nobody"});
  EXPECT_TRUE(inbox_ids(town, "alice").empty());
}

TEST(Send, DeliversOneCopyToWhoIsNamedTwice) {
  const TestTown town;
  town.agents({"alice"});
  const auto answer = town.json({"mail", "send", "-m", "", "alice", "agent:alice", "--cc", "alice", "-s", "Hi"});
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), std::vector<std::string>{"alice"});
  EXPECT_EQ(inbox_ids(town, "alice").size(), 1u);
}

TEST(Send, WakesNobodyWhenToldNotTo) {
  const TestTown town;
  town.json({"agent", "add", "alice", "--session", "tmux:alice"});
  const auto loud = town.json({"mail", "send", "-m", "", "alice", "-s", "Hi"});
  const auto still = town.json({"mail", "send", "-m", "", "alice", "-s", "Hi", "--no-notify"});
  EXPECT_EQ(texts_in(value_at(loud, "recipients"), "state"), std::vector<std::string>{"queued"});
  EXPECT_EQ(texts_in(value_at(still, "recipients"), "state"), std::vector<std::string>{"muted"});
  EXPECT_EQ(inbox_ids(town, "alice").size(), 2u);
}

TEST(Send, ToMyselfAsWellOnRequest) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto id = town.send("bob", "alice", "Hi", {"--self"});
  EXPECT_EQ(inbox_ids(town, "bob"), std::vector<std::string>{id});
  EXPECT_EQ(inbox_ids(town, "alice"), std::vector<std::string>{id});
}

TEST(Send, RegistersAnUnknownRecipientOnlyWhenToldTo) {  // K005
  const TestTown town;
  town.agents({"alice"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "alise", "-s", "Hi"}, {4, "not_found", "alise"});
  const auto refused = town.gt({"mail", "send", "-m", "", "alise", "-s", "Hi"});
  EXPECT_NE(refused.err.find("did you mean alice"), std::string::npos) << refused.err;
  const auto id = town.send("overseer", "newcomer", "Welcome", {"--create"});
  EXPECT_EQ(inbox_ids(town, "newcomer"), std::vector<std::string>{id});
}

TEST(Send, WithTheSameKeySendsOnceAndAnswersTheSame) {  // G334, from the command line
  const TestTown town;
  town.agents({"alice", "bob"});
  const Words call = {"mail", "send", "alice", "--cc", "bob", "-s", "Once", "-m", "text", "--key", "k1"};
  const auto first = town.json(call);
  const auto before = town.dump();
  const auto again = town.json(call);
  for (const auto* key : {"id", "thread_id", "recipients"})
    EXPECT_EQ(value_at(again, key), value_at(first, key)) << key;
  EXPECT_EQ(town.dump(), before);
}

TEST(Send, RefusesAKeyThatWasUsedForOtherContent) {
  const TestTown town;
  town.agents({"alice", "bob"});
  town.json({"mail", "send", "alice", "-s", "Once", "-m", "text", "--key", "k1"});
  const Refusal conflict{5, "key_conflict", "k1"};
  expect_refused_untouched(town, {"mail", "send", "alice", "-s", "Once", "-m", "other", "--key", "k1"}, conflict);
  expect_refused_untouched(town, {"mail", "send", "alice", "-s", "Twice", "-m", "text", "--key", "k1"}, conflict);
  expect_refused_untouched(town, {"mail", "send", "bob", "-s", "Once", "-m", "text", "--key", "k1"}, conflict);
  expect_refused_untouched(town, {"mail", "send", "-m", "", "alice", "-s", "Once", "--key", ""}, {2, "usage", "key"});
}

TEST(Send, ForgetsAKeyAfterADay) {
  const TestTown town;
  town.agents({"alice"});
  town.json({"mail", "send", "alice", "-s", "Once", "-m", "text", "--key", "k1"});
  town.sql("UPDATE idempotency_key SET at = at - 25 * 3600 * 1000");
  town.json({"mail", "send", "alice", "-s", "Once", "-m", "other", "--key", "k1"});
  EXPECT_EQ(inbox_ids(town, "alice").size(), 2u);
}

TEST(Send, LetsTwoSendersUseTheSameKey) {
  const TestTown town;
  town.agents({"alice", "bob", "carol"});
  town.send("alice", "carol", "From alice", {"--key", "k1"});
  town.send("bob", "carol", "From bob", {"--key", "k1"});
  EXPECT_EQ(inbox_ids(town, "carol").size(), 2u);
}

}  // namespace
}  // namespace townpost
