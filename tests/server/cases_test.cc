// What clients of the API rely on, case by case, and what the first ones ask, word for word.
#include <set>

#include "server/http_asking.h"

namespace townpost {
namespace {

using Cases = HttpApi;
using EventCases = Events;

Words subjects(const Told& told) { return texts_in(list_in(told.data(), "items"), "subject"); }

TEST_F(Cases, AListIsWhatOneSentReceivedOrGotACopyOf) {  // J019
  town.send("alice", "bob", "to bob");
  town.send("bob", "carol", "from bob");
  town.send("alice", "carol", "a copy for bob", {"--cc", "bob"});
  town.send("alice", "carol", "not for bob");
  speak_as({"--agent", "bob"});
  EXPECT_EQ(subjects(ask("GET", "/api/mail")), (Words{"a copy for bob", "from bob", "to bob"}));
}

TEST_F(Cases, AllIsEverybodysActiveMail) {  // J020
  town.send("alice", "bob", "stays");
  const auto closed = town.send("alice", "overseer", "closed");
  ASSERT_EQ(ask("POST", "/api/mail/" + closed + "/archive").status, 200);
  EXPECT_EQ(subjects(ask("GET", "/api/mail?all=true")), Words{"stays"});
  EXPECT_EQ(subjects(ask("GET", "/api/mail")), Words{}) << "nobody wrote to the human but for what is closed";
}

TEST_F(Cases, LabelsAreWhatTheFieldsSay) {  // J022
  const auto id = town.send("alice", "overseer", "Hi", {"--cc", "bob", "--cc", "carol"});
  ASSERT_EQ(ask("POST", "/api/mail/" + id + "/read").status, 200);
  const auto mail = ask("GET", "/api/mail/" + id).data();
  EXPECT_EQ(text_at(mail, "from"), "alice");
  EXPECT_EQ(texts_in(value_at(mail, "cc")), (Words{"bob", "carol"}));
  EXPECT_TRUE(flag_at(mail, "read"));
  const auto labels = texts_in(value_at(mail, "labels"));
  const std::set<std::string> all(labels.begin(), labels.end());
  for (const auto& label : {std::string("from:alice"), cat("thread:", text_at(mail, "threadId")), std::string("cc:bob"),
                            std::string("cc:carol"), std::string("read")})
    EXPECT_TRUE(all.contains(label)) << label;
}

TEST_F(Cases, MessagesWithoutAThreadAreNeverGrouped) {  // J027
  town.send("alice", "overseer", "one");
  town.send("alice", "overseer", "one more");
  const auto threads = texts_in(list_in(ask("GET", "/api/mail").data(), "items"), "threadId");
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_NE(threads[0], threads[1]);
}

TEST_F(Cases, WhoSendsIsSaidByTheTokenAndNotByWhatTheServerWasStartedWith) {  // J030
  kill_server();
  begin({{"BD_ACTOR", "polecat"}, {"MAIL_IDENTITY", "bob"}, {"GT_ROLE", "mayor"}});
  const auto sent = ask("POST", "/api/mail", R"({"to":"carol","subject":"Hi","body":"there"})");
  ASSERT_EQ(sent.status, 201) << to_line(sent.json);
  EXPECT_EQ(text_at(ask("GET", "/api/mail/" + text_at(sent.data(), "messageId")).data(), "from"), "overseer");
  EXPECT_EQ(text_at(ask("GET", "/api/mail/identity").data(), "address"), "overseer");
}

TEST_F(Cases, AnAgentWithoutASessionFindsItsMailLater) {  // J032
  const auto sent = ask("POST", "/api/mail", R"({"to":"bob","subject":"Hi","body":"there"})");
  ASSERT_EQ(sent.status, 201) << to_line(sent.json);
  EXPECT_EQ(inbox_ids(town, "bob"), Words{text_at(sent.data(), "messageId")});
}

TEST_F(Cases, ASubjectIsTextWhateverItSays) {  // J034
  const std::string subject = "$(rm -rf /) `id` \"q\" 's' ; \x1b[31mred C-c Enter";
  JsonObject body{{"to", "bob"}, {"subject", subject}, {"body", subject}};
  const auto sent = ask("POST", "/api/mail", to_line(body));
  ASSERT_EQ(sent.status, 201) << to_line(sent.json);
  EXPECT_EQ(text_at(ask("GET", "/api/mail/" + text_at(sent.data(), "messageId")).data(), "subject"), subject);
  body["subject"] = "two\nlines";
  const auto lines = ask("POST", "/api/mail", to_line(body));
  EXPECT_EQ(lines.status, 400) << to_line(lines.json);
  EXPECT_NE(lines.message().find("subject"), std::string::npos) << lines.message();
}

TEST_F(Cases, ACursorThatNobodyGaveEnds) {  // J047
  for (int i = 0; i < 5; ++i) town.send("alice", "overseer", cat("number ", i));
  for (const std::string start : {"0", "1", "-7", "999999999", "9223372036854775807"}) {
    std::set<std::string> seen;
    std::string cursor = start;
    for (int page = 0;; ++page) {
      ASSERT_LE(page, 5) << "from " << start;
      const auto told = ask("GET", cat("/api/mail?limit=1&cursor=", cursor));
      ASSERT_EQ(told.status, 200) << to_line(told.json);
      for (const auto& subject : subjects(told)) EXPECT_TRUE(seen.insert(subject).second) << subject << " again";
      if (!flag_at(told.data(), "hasMore")) break;
      cursor = std::to_string(number_at(told.data(), "nextCursor"));
    }
  }
  EXPECT_EQ(ask("GET", "/api/mail?cursor=hq-m-zzzzz").status, 400);
}

TEST_F(Cases, WhatIsReadStaysReadWhateverComesLater) {  // J049
  const auto id = town.send("alice", "bob", "Hi");
  speak_as({"--agent", "bob"});
  ASSERT_EQ(ask("POST", "/api/mail/" + id + "/read").status, 200);
  town.gt({"mail", "check", "--inject", "--as", "bob"});
  town.gt({"mail", "read", id, "--as", "bob"});
  EXPECT_TRUE(flag_at(ask("GET", "/api/mail/" + id).data(), "read"));
  EXPECT_EQ(number_at(ask("GET", "/api/mail/unread").data(), "count"), 0);
}

TEST_F(EventCases, AnAgentThatWasAwayIsToldInOrder) {  // J050
  speak_as({"--agent", "bob"});
  auto stream = follow("?kind=mail_received");
  town.send("alice", "bob", "before");
  const auto last = next(stream, 1);
  ASSERT_EQ(last.size(), 1u);
  { const auto closed = std::move(stream); }
  for (const auto* subject : {"one", "two", "three"}) town.send("alice", "bob", subject);
  auto again = follow("?kind=mail_received", {{"Last-Event-ID", last[0].id}});
  Words seen;
  for (const auto& event : next(again, 3)) seen.push_back(text_at(parse_json(event.data).value(), "subject"));
  EXPECT_EQ(seen, (Words{"one", "two", "three"}));
  EXPECT_EQ(number_at(ask("GET", "/api/mail/unread").data(), "count"), 4);
}

TEST_F(Cases, OneConversationNeverShowsAnother) {  // J055
  const auto a =
      text_at(ask("POST", "/api/mail", R"({"to":"bob","subject":"A","body":"shared word"})").data(), "threadId");
  const auto b =
      text_at(ask("POST", "/api/mail", R"({"to":"bob","subject":"B","body":"shared word"})").data(), "threadId");
  EXPECT_EQ(texts_in(list_in(ask("GET", "/api/mail/thread/" + a).data(), "messages"), "subject"), Words{"A"});
  EXPECT_EQ(subjects(ask("GET", "/api/mail?threadId=" + a)), Words{"A"});
  EXPECT_EQ(subjects(ask("GET", "/api/mail?q=shared&threadId=" + b)), Words{"B"});
  EXPECT_EQ(subjects(ask("GET", "/api/mail?q=shared")), (Words{"B", "A"}));
}

TEST_F(Cases, ASendNeedsNoPush) {  // J060
  EXPECT_EQ(ask("POST", "/api/mail", R"({"to":"bob","subject":"Hi","body":"there"})").status, 201);
}

TEST_F(EventCases, BeatWhileNothingHappens) {  // J042
  const auto out = town.shell(cat(R"sh(python3 - <<'X'
import urllib.request
request = urllib.request.Request(")sh",
                                  url(), R"sh(/api/events", headers={"Authorization": "Bearer )sh", token_, R"sh("})
for line in urllib.request.urlopen(request, timeout=60):
    if line.startswith(b":"):
        print("beat")
        break
X)sh"));
  EXPECT_EQ(out.out, "beat\n") << out.err;
}

TEST_F(EventCases, OfAKindThatIsNotKnownAreRefused) {
  const auto told = ask("GET", "/api/events?kind=mail_received,nonsense");
  EXPECT_EQ(told.status, 400);
  EXPECT_NE(told.message().find("nonsense"), std::string::npos) << told.message();
}

/// The Mail tab that these paths and names come from: it polls the list, groups it by thread, opens what is chosen,
/// sends with three fields, and chooses recipients among the agents.
class MailTab : public Events {};

TEST_F(MailTab, ShowsConversations) {
  town.agents({"researcher"});
  const auto first = town.send("researcher", "overseer", "Findings", {"-m", "three of them"});
  const auto second =
      ask("POST", "/api/mail",
          cat(R"({"to":"researcher","subject":"RE: Findings","body":"Which?","replyTo":")", first, "\"}"));
  ASSERT_EQ(second.status, 201) << to_line(second.json);
  town.send("researcher", "overseer", "Something else");
  const auto list = ask("GET", "/api/mail?all=true");
  ASSERT_EQ(list.status, 200);
  EXPECT_TRUE(flag_at(list.json, "success"));
  EXPECT_FALSE(text_at(list.json, "timestamp").empty());
  std::map<std::string, Words> conversations;
  for (const auto& message : items_of(value_at(list.data(), "items"))) {
    for (const auto* key : {"id", "from", "to", "subject", "body", "timestamp", "read", "priority", "type", "threadId",
                            "replyTo", "cc", "pinned", "isInfrastructure"})
      EXPECT_TRUE(message.get_object().contains(key)) << key;
    EXPECT_TRUE(value_at(message, "priority").is_int64());
    EXPECT_TRUE(value_at(message, "to").is_string());
    conversations[text_at(message, "threadId")].push_back(text_at(message, "subject"));
  }
  ASSERT_EQ(conversations.size(), 2u);
  const auto thread = text_at(second.data(), "threadId");
  EXPECT_EQ(conversations[thread], (Words{"RE: Findings", "Findings"}));
  EXPECT_EQ(texts_in(list_in(ask("GET", "/api/mail/thread/" + thread).data(), "messages"), "subject"),
            (Words{"Findings", "RE: Findings"}));
}

TEST_F(MailTab, SendsWithThreeFieldsToAnAgentOfTheList) {
  town.agents({"researcher"});
  std::set<std::string> agents;
  for (const auto& id : texts_in(ask("GET", "/api/agents").data(), "id")) agents.insert(id);
  ASSERT_TRUE(agents.contains("researcher")) << "an agent's id is its address";
  const auto sent = ask("POST", "/api/mail", R"({"to":"researcher","subject":"Look at main","body":"It is red."})");
  ASSERT_EQ(sent.status, 201) << to_line(sent.json);
  const auto mail = ask("GET", "/api/mail/" + text_at(sent.data(), "messageId")).data();
  EXPECT_EQ(text_at(mail, "to"), "researcher");
  EXPECT_EQ(text_at(mail, "subject"), "Look at main");
  EXPECT_EQ(text_at(mail, "body"), "It is red.");
  EXPECT_EQ(number_at(mail, "priority"), 2);
  EXPECT_TRUE(text_at(mail, "threadId").starts_with("thread-"));
  EXPECT_EQ(ask("POST", "/api/mail", R"({"to":"researcher","subject":"s","body":"b","includeReplyInstructions":true})")
                .status,
            201);
  speak_as({"--agent", "researcher"});
  EXPECT_EQ(number_at(ask("GET", "/api/mail/unread").data(), "count"), 2);
}

TEST_F(MailTab, MarksWhatIsOpenedAndCountsTheRest) {
  const auto id = town.send("alice", "overseer", "one");
  town.send("alice", "overseer", "two");
  EXPECT_EQ(number_at(ask("GET", "/api/mail/unread").data(), "count"), 2);
  EXPECT_EQ(ask("POST", "/api/mail/" + id + "/read").status, 200);
  EXPECT_EQ(ask("POST", "/api/mail/" + id + "/read").status, 200) << "twice";
  EXPECT_EQ(number_at(ask("GET", "/api/mail/unread").data(), "count"), 1);
  EXPECT_EQ(subjects(ask("GET", "/api/mail?unreadOnly=true")), Words{"two"});
}

TEST_F(MailTab, HearsOfTheAnswerAsItComes) {
  town.agents({"researcher"});
  const auto sent = ask("POST", "/api/mail", R"({"to":"researcher","subject":"Which?","body":"Tell me."})");
  auto stream = follow("?kind=mail_received");
  const auto reply =
      town.gt({"mail", "reply", text_at(sent.data(), "messageId"), "-m", "The third", "--as", "researcher", "-q"});
  ASSERT_EQ(reply.exit_code, 0) << reply.err;
  const auto events = next(stream, 1);
  ASSERT_EQ(events.size(), 1u);
  const auto told = parse_json(events[0].data).value();
  const auto mail = ask("GET", "/api/mail/" + text_at(told, "id")).data();
  EXPECT_EQ(text_at(mail, "threadId"), text_at(sent.data(), "threadId"));
  EXPECT_EQ(text_at(mail, "replyTo"), text_at(sent.data(), "messageId"));
}

}  // namespace
}  // namespace townpost
