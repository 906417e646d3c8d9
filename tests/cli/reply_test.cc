// reply, reply-all, thread, sent: conversations.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

class Conversation : public testing::Test {
 protected:
  Conversation() {
    town.agents({"alice", "bob", "carol", "dave"});
    id = town.send("alice", "bob", "Topic", {"--cc", "carol", "-m", "what do you think?"});
  }
  Json reply(const std::string& from, const std::string& to, const Words& more = {}) const {
    return town.json(with({"mail", "reply", to, "-m", "an answer", "--as", from}, more));
  }
  TestTown town;
  std::string id;
};

TEST_F(Conversation, AReplyWithoutAnIdSaysSoWhereverItsTextComesFrom) {
  for (const Words& call : {Words{"mail", "reply"}, {"mail", "reply-all"}, {"mail", "reply", "-m", "x"}})
    expect_refusal(town, with(call, {"--as", "bob"}), {2, "usage", "ID is missing"});
}

// G080
TEST_F(Conversation, AReplyGoesToTheSenderInTheSameThread) {
  const auto answer = reply("bob", id);
  EXPECT_EQ(keys_of(answer), (Texts{"id", "thread_id", "recipients"}));
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), Texts{"alice"});
  const auto mail = read_as(town, "alice", text_at(answer, "id"));
  EXPECT_EQ(text_at(mail, "subject"), "Re: Topic");
  EXPECT_EQ(text_at(mail, "body"), "an answer");
  EXPECT_EQ(text_at(mail, "type"), "reply");
  EXPECT_EQ(text_at(mail, "reply_to"), id);
  EXPECT_EQ(text_at(mail, "thread_id"), text_at(read_as(town, "alice", id), "thread_id"));
  EXPECT_TRUE(inbox_ids(town, "carol").size() == 1) << "a plain reply reached the copy reader";
}

// G100
TEST_F(Conversation, AReplyIsAllThatAMailNeeds) {
  const auto asked = town.send("alice", "dave", "Review?", {"--ack", "--reply-by", "1h"});
  reply("dave", asked, {"--keep-unread"});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "dave"}).exit_code, 0);
  EXPECT_NE(town.gt({"todo", "--as", "dave"}).out.find("To acknowledge"), std::string::npos);
  town.json({"mail", "reply", asked, "-m", "done", "--as", "dave"});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "dave"}).exit_code, 1);
  EXPECT_EQ(town.gt({"todo", "--as", "dave"}).out, "nothing to do\n");
  const auto mail = read_as(town, "dave", asked);
  EXPECT_TRUE(flag_at(mail, "read"));
  EXPECT_TRUE(is_instant(text_at(mail, "acked_at")));
}

TEST_F(Conversation, ReIsPutInFrontOnce) {
  const auto second = text_at(reply("bob", id), "id");
  const auto third = text_at(reply("alice", second), "id");
  EXPECT_EQ(text_at(read_as(town, "bob", third), "subject"), "Re: Topic");
  const auto odd = town.send("alice", "bob", "RE: re: Shouted");
  EXPECT_EQ(text_at(read_as(town, "alice", text_at(reply("bob", odd), "id")), "subject"), "Re: Shouted");
  const auto longest = town.send("alice", "bob", std::string(500, 'x'));
  EXPECT_LE(text_at(read_as(town, "alice", text_at(reply("bob", longest), "id")), "subject").size(), 500u);
}

TEST_F(Conversation, AReplyToAllReachesEverybodyButTheCaller) {
  for (const auto& words : {Words{"mail", "reply-all", id, "-m", "one", "--as", "bob"},
                            Words{"mail", "reply", id, "--reply-all", "-m", "two", "--as", "bob"}}) {
    const auto answer = town.json(words);
    EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), (Texts{"alice", "carol"}));
    const auto mail = read_as(town, "carol", text_at(answer, "id"));
    EXPECT_EQ(texts_in(value_at(mail, "to")), Texts{"alice"});
    EXPECT_EQ(texts_in(value_at(mail, "cc")), Texts{"carol"});
  }
  EXPECT_EQ(inbox_ids(town, "bob").size(), 1u) << "the answer came back to who wrote it";
  EXPECT_TRUE(inbox_ids(town, "dave").empty());
}

TEST_F(Conversation, AReplyToOnesOwnMessageGoesOnToItsRecipients) {
  EXPECT_EQ(texts_in(value_at(reply("alice", id), "recipients"), "address"), Texts{"bob"});
}

TEST_F(Conversation, AReplyToAllOfOnesOwnMessageNamesEverybodyOnce) {
  const auto answer = town.json({"mail", "reply-all", id, "-m", "and one more thing", "--as", "alice"});
  const auto mail = read_as(town, "bob", text_at(answer, "id"));
  EXPECT_EQ(texts_in(value_at(mail, "to")), Texts{"bob"});
  EXPECT_EQ(texts_in(value_at(mail, "cc")), Texts{"carol"});
}

TEST_F(Conversation, AReplyToAllDoesNotComeBackToARenamedCaller) {
  town.json({"agent", "alias", "bob", "robert"});
  const auto answer = town.json({"mail", "reply-all", id, "-m", "it is me", "--as", "robert"});
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), (Texts{"alice", "carol"}));
}

TEST_F(Conversation, AReplyTakesItsTextFromAnywhereAndMayHaveMoreReaders) {
  const auto piped =
      town.gt({"mail", "reply", id, "--stdin", "--cc", "dave", "--urgent", "--as", "bob", "-q"}, {}, "from a pipe\n");
  ASSERT_EQ(piped.exit_code, 0) << piped.err;
  const auto mail = read_as(town, "dave", lines_of(piped.out).at(0));
  EXPECT_EQ(text_at(mail, "body"), "from a pipe");
  EXPECT_EQ(text_at(mail, "priority"), "urgent");
}

TEST_F(Conversation, AReplyToAPatternReachesWhoWasMeant) {
  town.rigs({"beads"});
  town.agents({"beads/crew/max", "beads/crew/joe"});
  const auto standup = town.send("alice", "@crew", "Standup");
  const auto answer = town.json({"mail", "reply-all", standup, "-m", "here", "--as", "beads/crew/max"});
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), (Texts{"alice", "beads/crew/joe"}));
}

TEST_F(Conversation, AReplyToTheTownsOwnNoticeIsRefused) {
  town.json({"mail", "send", "-m", "", "bob", "-s", "Answer me", "--reply-by", "2h", "--as", "alice"});
  town.sql("UPDATE outbox SET ready_at = 1 WHERE kind LIKE '%remind%'");
  town.send("alice", "carol", "any write carries out what is due");
  const auto notice = inbox_ids(town, "bob", {"--from", "townpost"}).at(0);
  expect_refused_untouched(town, {"mail", "reply", notice, "-m", "thanks", "--as", "bob"}, {5, "refused", "townpost"});
}

// G142
TEST_F(Conversation, AThreadIsShownOldestFirst) {
  const auto second = text_at(reply("bob", id), "id");
  const auto third = text_at(reply("alice", second, {"--cc", "carol"}), "id");
  const auto fourth = text_at(reply("carol", third, {"--cc", "bob"}), "id");
  town.json({"mail", "ack", id, "--as", "bob"});
  const auto by_message = town.json({"mail", "thread", second, "--as", "bob"});
  EXPECT_EQ(keys_of(by_message), (Texts{"thread_id", "subject", "count", "unread_count", "participants", "messages"}));
  EXPECT_EQ(texts_in(value_at(by_message, "messages"), "id"), (Texts{id, second, third, fourth}));
  EXPECT_EQ(text_at(by_message, "subject"), "Topic");
  EXPECT_EQ(number_at(by_message, "count"), 4);
  EXPECT_EQ(number_at(by_message, "unread_count"), 2) << "bob had three and read one";
  EXPECT_EQ(texts_in(value_at(by_message, "participants")), (Texts{"alice", "bob", "carol"}));
  EXPECT_EQ(town.json({"mail", "thread", text_at(by_message, "thread_id"), "--as", "bob"}), by_message);
  const auto text = town.gt({"mail", "thread", id, "--as", "bob"});
  EXPECT_LT(text.out.find("what do you think?"), text.out.find("an answer")) << text.out;
  EXPECT_EQ(town.gt({"mail", "thread", id, "--as", "bob", "-q"}).out,
            id + "\n" + second + "\n" + third + "\n" + fourth + "\n");
}

// G142
TEST_F(Conversation, AThreadThatBeginsWithAReplyIsNamedWithoutRe) {
  const auto begun = town.send("alice", "bob", "Re: Original topic");
  EXPECT_EQ(text_at(town.json({"mail", "thread", begun, "--as", "bob"}), "subject"), "Original topic");
}

TEST_F(Conversation, SentListsWhatIWroteAndItsState) {
  const auto other = town.send("alice", "dave", "Other");
  town.json({"mail", "ack", id, "--as", "carol"});
  town.json({"mail", "read", other, "--as", "dave"});
  const auto sent = town.json({"mail", "sent", "--as", "alice"});
  EXPECT_EQ(texts_in(sent, "id"), (Texts{other, id}));
  EXPECT_EQ(texts_in(value_at(sent.at(0), "recipients"), "state"), Texts{"delivered"});
  EXPECT_EQ(texts_in(value_at(sent.at(1), "recipients"), "address"), (Texts{"bob", "carol"}));
  EXPECT_EQ(texts_in(value_at(sent.at(1), "recipients"), "state"), (Texts{"waiting", "read"}));
  const auto text = town.gt({"mail", "sent", "--as", "alice"});
  EXPECT_NE(text.out.find("Topic → bob waiting, carol read"), std::string::npos) << text.out;
  EXPECT_EQ(town.json({"mail", "sent", "--as", "dave"}), Json(JsonArray{}));
  EXPECT_EQ(texts_in(town.json({"mail", "sent", "--as", "alice", "--limit", "1"}), "id"), Texts{other});
  EXPECT_EQ(
      texts_in(town.json({"mail", "sent", "--as", "alice", "--cursor", std::to_string(number_at(sent.at(0), "seq"))}),
               "id"),
      Texts{id});
}

}  // namespace
}  // namespace townpost
