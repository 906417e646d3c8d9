// The HTTP API as its clients call it.
#include "base/json_fields.h"
#include "base/text.h"
#include "server/http_asking.h"
#include "support/await.h"

namespace townpost {
namespace {

TEST_F(HttpApi, ListsTheNewestFirstWithHowManyThereAre) {  // J002
  town.send("alice", "overseer", "first");
  town.send("bob", "overseer", "second");
  const auto told = ask("GET", "/api/mail");
  ASSERT_EQ(told.status, 200) << to_line(told.json);
  EXPECT_TRUE(flag_at(told.json, "success"));
  EXPECT_EQ(texts_in(list_in(told.data(), "items"), "subject"), (Words{"second", "first"}));
  EXPECT_EQ(number_at(told.data(), "total"), 2);
  EXPECT_FALSE(flag_at(told.data(), "hasMore"));
}

TEST_F(HttpApi, TellsTheTrafficOfProgramsFromWhatPeopleWrite) {  // J004, J005
  for (const auto* subject : {"Fix bug", "WITNESS_PING: check", "Review PR", "MERGED: PR #123"})
    town.send("alice", "overseer", subject);
  EXPECT_EQ(texts_in(list_in(ask("GET", "/api/mail?filter=user").data(), "items"), "subject"),
            (Words{"Review PR", "Fix bug"}));
  EXPECT_EQ(texts_in(list_in(ask("GET", "/api/mail?filter=infrastructure").data(), "items"), "subject"),
            (Words{"MERGED: PR #123", "WITNESS_PING: check"}));
}

TEST_F(HttpApi, NamesTheFieldThatIsMissing) {  // J009
  const auto subject = ask("POST", "/api/mail", R"({"to":"bob","body":"x"})");
  EXPECT_EQ(subject.status, 400);
  EXPECT_EQ(subject.code(), "VALIDATION_ERROR");
  EXPECT_NE(subject.message().find("subject"), std::string::npos) << subject.message();
  const auto body = ask("POST", "/api/mail", R"({"to":"bob","subject":"x"})");
  EXPECT_EQ(body.status, 400);
  EXPECT_NE(body.message().find("body"), std::string::npos) << body.message();
}

TEST_F(HttpApi, SendsToTheTownsRecipientWhereNobodyIsNamed) {  // J010, J014
  const auto told = ask("POST", "/api/mail", R"({"subject":"Hi","body":"there"})");
  ASSERT_EQ(told.status, 201) << to_line(told.json);
  const auto id = text_at(told.data(), "messageId");
  EXPECT_FALSE(id.empty());
  const auto mail = ask("GET", "/api/mail/" + id).data();
  EXPECT_EQ(text_at(mail, "to"), "mayor/");
  EXPECT_EQ(text_at(mail, "from"), "overseer");
  EXPECT_EQ(number_at(mail, "priority"), 2);
}

TEST_F(HttpApi, TakesAPriorityAsNumberOrWord) {  // J012
  const auto send = [&](const std::string& priority) {
    return ask("POST", "/api/mail",
               cat(R"({"to":"bob","subject":"p )", priority.size(), R"(","body":"x","priority":)", priority, "}"));
  };
  EXPECT_EQ(send("7").status, 400);
  EXPECT_EQ(send("\"highest\"").status, 400);
  const auto word = send("\"high\""), number = send("1");
  ASSERT_EQ(word.status, 201) << to_line(word.json);
  ASSERT_EQ(number.status, 201) << to_line(number.json);
  for (const auto& sent : {word, number})
    EXPECT_EQ(number_at(ask("GET", "/api/mail/" + text_at(sent.data(), "messageId")).data(), "priority"), 1);
}

TEST_F(HttpApi, SaysWhatItDoesNotFind) {  // J015, J017
  for (const auto* method : {"GET", "DELETE"}) {
    const auto told = ask(method, "/api/mail/hq-m-zzzzz");
    EXPECT_EQ(told.status, 404);
    EXPECT_NE(told.message().find("hq-m-zzzzz"), std::string::npos) << told.message();
  }
  EXPECT_EQ(ask("POST", "/api/mail/hq-m-zzzzz/read").status, 404);
  EXPECT_EQ(ask("GET", "/api/nothing").code(), "NOT_FOUND");
  const auto wrong = ask("PUT", "/api/mail");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.code(), "METHOD_NOT_ALLOWED");
}

TEST_F(HttpApi, ChangesNothingByAGet) {
  const auto id = town.send("alice", "bob", "Hi");
  speak_as({"--agent", "bob"});
  const auto before = town.dump();
  for (const auto* path : {"/api/mail", "/api/mail/unread", "/api/mail/identity", "/api/agents", "/api/queues",
                           "/api/groups", "/api/channels", "/api/status", "/api/directory"})
    EXPECT_EQ(ask("GET", path).status, 200) << path;
  EXPECT_EQ(ask("GET", "/api/mail/" + id).status, 200);
  EXPECT_EQ(ask("GET", "/api/mail/" + id + "/explain").status, 200);
  const auto but_for_who_looks = [](const std::string& dump) {
    std::string out;
    for (const auto line : split(dump, '\n'))
      if (line.find("INTO token") == std::string_view::npos && line.find("INTO watch") == std::string_view::npos)
        out += cat(line, "\n");
    return out;
  };
  EXPECT_TRUE(but_for_who_looks(town.dump()) == but_for_who_looks(before)) << "the store is another one";
}

TEST_F(HttpApi, MarksReadAndAcknowledges) {
  const auto id = town.send("alice", "bob", "Hi", {"--ack"});
  speak_as({"--agent", "bob"});
  EXPECT_EQ(number_at(ask("GET", "/api/mail/unread").data(), "count"), 1);
  EXPECT_EQ(ask("POST", "/api/mail/" + id + "/read").status, 200);
  EXPECT_EQ(number_at(ask("GET", "/api/mail/unread").data(), "count"), 0);
  EXPECT_EQ(ask("POST", "/api/mail/" + id + "/unread").status, 200);
  EXPECT_EQ(number_at(ask("GET", "/api/mail/unread").data(), "count"), 1);
  EXPECT_EQ(ask("POST", "/api/mail/" + id + "/ack").status, 200);
  EXPECT_EQ(ask("POST", "/api/mail/" + id + "/archive").status, 200);
  EXPECT_EQ(number_at(ask("GET", "/api/mail").data(), "total"), 0);
}

TEST_F(HttpApi, RepliesInTheThreadOfTheMessage) {  // J024, J025
  const auto id = town.send("alice", "overseer", "Question");
  const auto thread = text_at(ask("GET", "/api/mail/" + id).data(), "threadId");
  const auto reply =
      ask("POST", "/api/mail", cat(R"({"to":"alice","subject":"Re","body":"yes","replyTo":")", id, "\"}"));
  ASSERT_EQ(reply.status, 201) << to_line(reply.json);
  EXPECT_EQ(text_at(reply.data(), "threadId"), thread);
  EXPECT_EQ(ask("POST", "/api/mail", R"({"to":"alice","subject":"Re","body":"yes","replyTo":"hq-m-zzzzz"})").status,
            404);
  EXPECT_EQ(list_in(ask("GET", "/api/mail/thread/" + thread).data(), "messages").size(), 2u);
}

TEST_F(HttpApi, PagesThroughMailOfOneSecondWithoutGapOrRepeat) {  // J045
  for (int i = 0; i < 25; ++i) town.send("alice", "overseer", cat("number ", i));
  Words seen;
  std::string cursor;
  for (int page = 0; page < 5; ++page) {
    const auto data = ask("GET", cat("/api/mail?limit=10", cursor)).data();
    for (const auto& subject : texts_in(list_in(data, "items"), "subject")) seen.push_back(subject);
    if (!flag_at(data, "hasMore")) break;
    cursor = cat("&cursor=", number_at(data, "nextCursor"));
    town.send("bob", "overseer", "meanwhile");
  }
  ASSERT_EQ(seen.size(), 25u);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], cat("number ", 24 - i));
}

TEST_F(HttpApi, LetsNobodyInWithoutAToken) {
  EXPECT_EQ(plainly("GET", "/healthz").status, 200);
  for (const auto* path : {"/api/mail", "/metrics", "/openapi.json", "/readyz", "/api/events"}) {
    const auto told = plainly("GET", path);
    EXPECT_EQ(told.status, 401) << path;
    EXPECT_EQ(told.code(), "UNAUTHORIZED") << path;
  }
  EXPECT_EQ(plainly("GET", "/api/mail", "", {{"Authorization", "Bearer gt_tok-1_abc"}}).status, 401);
}

TEST_F(HttpApi, NamesTheHeaderByWhichOneActsForAnother) {
  const auto id = town.send("alice", "bob", "for bob");
  const auto told = ask("POST", "/api/mail/" + id + "/read");
  EXPECT_EQ(told.status, 409) << to_line(told.json);
  const auto hint = text_at(member_of(member_of(told.json, "error"), "details"), "hint");
  ASSERT_EQ(hint, "act for its owner with the header Townpost-As: bob");
  EXPECT_EQ(ask("POST", "/api/mail/" + id + "/read", "", {{"Townpost-As", "bob"}}).status, 200);
}

TEST_F(HttpApi, GivesAnotherSitesPageNothing) {
  // A name that leads here, though it is not ours: whoever owns it may have a page in a browser.
  const auto bent = town.shell(cat(R"sh(python3 - <<'X'
import http.client
server = ")sh",
                                   url().substr(7), R"sh("
port = server.split(":")[1]
for name in ["evil.example", "127.evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "127.", "",
             "[::ffff:127.evil]", "[::1].evil.example", "localhost.evil.example", "localhost", "127.0.0.2", "[::1]"]:
    for host in [name, name + ":" + port]:
        connection = http.client.HTTPConnection(server)
        connection.request("GET", "/api/mail", headers={"Host": host, "Authorization": "Bearer )sh",
                                   token_, R"sh("})
        print(connection.getresponse().status, end=" ")
X)sh"));
  EXPECT_EQ(bent.out,
            "403 403 403 403 403 403 403 403 403 403 403 403 403 403 403 403 403 403 200 200 200 200 200 200 ")
      << bent.err;
  EXPECT_EQ(ask("GET", "/api/mail", "", {{"Origin", "https://evil.example"}}).status, 403);
}

TEST_F(HttpApi, LetsNoTokenTakeEveryConnectionWithStreams) {
  const auto taken = town.shell(cat(R"sh(python3 - <<'X'
import http.client
open_ones = []
def follow():
    connection = http.client.HTTPConnection(")sh",
                                    url().substr(7), R"sh(")
    connection.request("GET", "/api/events", headers={"Authorization": "Bearer )sh",
                                    token_, R"sh("})
    answer = connection.getresponse()
    open_ones.append((connection, answer))
    return answer.status
print({follow() for _ in range(128)}, follow(), open_ones[-1][1].read().decode())
X)sh"));
  EXPECT_EQ(taken.out.substr(0, 10), "{200} 429 ") << taken.out << taken.err;
  EXPECT_NE(taken.out.find("RATE_LIMITED"), std::string::npos) << taken.out;
  EXPECT_EQ(ask("GET", "/api/mail").status, 200);
}

TEST_F(HttpApi, KeepsAnAgentToItself) {
  town.send("alice", "carol", "secret");
  const auto secret = town.send("alice", "carol", "more");
  speak_as({"--agent", "bob"});
  EXPECT_EQ(number_at(ask("GET", "/api/mail").data(), "total"), 0);
  EXPECT_EQ(ask("GET", "/api/mail?all=true").status, 403);
  EXPECT_EQ(ask("GET", "/api/mail?agent=carol").status, 403);
  EXPECT_EQ(ask("GET", "/api/mail/" + secret).status, 403);
  EXPECT_EQ(ask("GET", "/api/mail", "", {{"Townpost-As", "carol"}}).status, 403);
  const auto sent = ask("POST", "/api/mail", R"({"to":"alice","subject":"s","body":"b"})");
  ASSERT_EQ(sent.status, 201);
  EXPECT_EQ(text_at(ask("GET", "/api/mail/" + text_at(sent.data(), "messageId")).data(), "from"), "bob");
}

TEST_F(HttpApi, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(ask("POST", "/api/mail", R"({"to":"bob","subject":"s","body":"b","colour":"red"})").status, 400);
  EXPECT_EQ(ask("GET", "/api/mail?colour=red").status, 400);
  EXPECT_EQ(ask("POST", "/api/mail", R"({"to":"bob","subject":"s","body":"b","type":"nonsense"})").status, 400);
  EXPECT_EQ(ask("POST", "/api/mail", "{").status, 400);
  EXPECT_EQ(ask("POST", "/api/mail", "[]").status, 400);
  EXPECT_EQ(
      plainly("POST", "/api/mail", "x", {{"Authorization", "Bearer " + token_}, {"Content-Type", "text/plain"}}).status,
      415);
}

TEST_F(HttpApi, AnswersThePathsOfTheFirstClients) {
  EXPECT_EQ(ask("GET", "/agents/bob").status, 200);
  EXPECT_EQ(ask("GET", "/api/agents/mayor~/mail").status, 200);
  EXPECT_EQ(ask("GET", "/api/agents/mayor%2F/mail").status, 200);
  EXPECT_EQ(ask("GET", "/api/agents/nobody").status, 404);
}

TEST_F(HttpApi, ClaimsNothingFromAnEmptyQueueAsNull) {
  ASSERT_EQ(ask("POST", "/api/queues", R"({"name":"jobs","claimers":"*"})").status, 201);
  speak_as({"--agent", "bob"});
  const auto nothing = ask("POST", "/api/queues/jobs/claim");
  EXPECT_EQ(nothing.status, 200) << to_line(nothing.json);
  EXPECT_TRUE(nothing.data().is_null());
}

TEST_F(Events, TellOfMailAsItComes) {  // J039
  auto stream = follow("?kind=mail_received");
  const auto id = town.send("alice", "overseer", "Hi", {"-m", std::string(200, 'x')});
  const auto events = next(stream, 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, "mail_received");
  const auto data = parse_json(events[0].data).value();
  EXPECT_EQ(text_at(data, "id"), id);
  EXPECT_EQ(text_at(data, "from"), "alice");
  EXPECT_EQ(text_at(data, "subject"), "Hi");
  EXPECT_EQ(text_at(data, "preview"), std::string(120, 'x'));
}

TEST_F(Events, GoOnWhereTheClientWas) {  // J040
  auto stream = follow("?kind=mail_received");
  town.send("alice", "overseer", "one");
  const auto first = next(stream, 1);
  ASSERT_EQ(first.size(), 1u);
  for (const auto* subject : {"two", "three"}) town.send("alice", "overseer", subject);
  kill_server();
  town.send("alice", "overseer", "four");
  begin();
  auto again = follow("?kind=mail_received", {{"Last-Event-ID", first[0].id}});
  town.send("alice", "overseer", "five");
  Words seen;
  for (const auto& event : next(again, 4)) seen.push_back(text_at(parse_json(event.data).value(), "subject"));
  EXPECT_EQ(seen, (Words{"two", "three", "four", "five"}));
}

TEST_F(Events, OfAnAgentAreItsOwn) {
  speak_as({"--agent", "bob"});
  auto stream = follow("?kind=mail_received");
  town.send("alice", "carol", "not for bob");
  town.send("alice", "bob", "for bob");
  const auto events = next(stream, 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(text_at(parse_json(events[0].data).value(), "subject"), "for bob");
}

TEST_F(Events, EndWithTheToken) {
  speak_as({"--human"});
  const auto id = texts_in(town.json({"token", "list", "--as", "overseer"}), "id").back();
  auto stream = follow();
  ASSERT_EQ(town.gt({"token", "revoke", id, "--as", "overseer"}).exit_code, 0);
  await("the stream ends", [&] {
    const auto read = stream.read();
    return !read || stream.has_ended();
  });
  EXPECT_EQ(ask("GET", "/api/mail").status, 401);
}

}  // namespace
}  // namespace townpost
