#include "net/http_server.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "net/event_stream.h"
#include "net/http_client.h"
#include "net/http_stage_test.h"
#include "net/response_text.h"
#include "support/await.h"
#include "support/stress.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

TEST(HttpServer, AnswersOnTheSameConnectionAgainAndAgain) {
  HttpStage stage(Clerk::echo);
  auto client = stage.client();
  for (int i = 0; i < 3; ++i) {
    client.say(cat("POST /a%20b?c=", i, " HTTP/1.1\r\nHost: town\r\nContent-Length: 5\r\n\r\nhello"));
    const auto answer = client.answer();
    EXPECT_EQ(status_of(answer), 200) << answer;
    EXPECT_EQ(body_of(answer), cat("POST /a%20b c=", i, " hello"));
    EXPECT_EQ(answer.find("Connection: close"), std::string::npos);
    EXPECT_NE(answer.find("\r\nDate: "), std::string::npos);
  }
  EXPECT_EQ(stage.server().counters().accepted, 1U);
  EXPECT_EQ(stage.server().counters().requests, 3U);
}

TEST(HttpServer, IsUnderstoodByOurOwnClient) {
  HttpStage stage(Clerk::echo);
  HttpClient client;
  const auto answer = client.exchange({.method = "PUT",
                                       .url = cat("http://127.0.0.1:", stage.server().port(), "/x"),
                                       .body = std::string(1 << 20, 'b')});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body.size(), cat("PUT /x  ").size() + (1u << 20));
}

TEST(HttpServer, TellsTheHandlerWhoAsks) {
  HttpStage stage([](auto exchange) {
    exchange->answer({.body = cat(exchange->request().peer, exchange->request().secure ? " secure" : " open")});
  });
  auto client = stage.client();
  client.say(get("/"));
  EXPECT_EQ(body_of(client.answer()), "127.0.0.1 open");
}

TEST(HttpServer, AnswersWhatIsAskedAheadInItsOrder) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  auto client = stage.client();
  client.say(cat(get("/1"), "POST /2 HTTP/1.1\r\nHost: town\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
                 get("/3")));
  for (const auto* path : {"/1", "/2", "/3"}) {
    const auto exchange = pile.take();
    EXPECT_EQ(exchange->request().path, path);
    EXPECT_EQ(pile.size(), 0U) << "one at a time";
    Clerk::echo(exchange);
    const auto answer = client.answer();
    EXPECT_NE(answer.find(cat(" ", path, " ")), std::string::npos) << answer;
  }
}

TEST(HttpServer, AnswersAThousandRequestsInOnePiece) {
  HttpStage stage(Clerk::echo);
  auto client = stage.client();
  std::string all;
  for (int i = 0; i < 1000; ++i) all += get(cat("/", i));
  std::thread sender([&] { client.say(all); });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(body_of(client.answer()), cat("GET /", i, "  "));
  sender.join();
}

TEST(HttpServer, ReadsARequestHoweverItIsCut) {
  HttpStage stage(Clerk::echo);
  auto client = stage.client();
  const auto request = cat("POST /x HTTP/1.1\r\nHost: town\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  for (const char byte : request) client.say({&byte, 1});
  EXPECT_EQ(body_of(client.answer()), "POST /x  abc");
}

TEST(HttpServer, LetsAnyThreadAnswerOnce) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  auto client = stage.client();
  client.say(get("/"));
  const auto exchange = pile.take();
  exchange->answer({.status = 201, .headers = {{"X-Own", "yes"}}, .body = "first"});
  exchange->answer({.body = "second"});
  EXPECT_FALSE(exchange->stream({})->write("third"));
  const auto answer = client.answer();
  EXPECT_EQ(status_of(answer), 201);
  EXPECT_NE(answer.find("\r\nX-Own: yes\r\n"), std::string::npos) << answer;
  EXPECT_EQ(body_of(answer), "first");
  client.say(get("/"));
  pile.take()->answer({.body = "next"});
  EXPECT_EQ(body_of(client.answer()), "next");
}

TEST(HttpServer, Answers500WhereTheHandlerDoesNot) {
  HttpStage stage([](auto exchange) {
    if (exchange->request().path == "/thrown") throw std::runtime_error("a bug of ours");
  });
  auto client = stage.client();
  for (const auto* path : {"/dropped", "/thrown"}) {
    client.say(get(path));
    const auto answer = client.answer();
    EXPECT_EQ(status_of(answer), 500);
    EXPECT_EQ(body_of(answer), "500 the request was not answered");
  }
  EXPECT_EQ(stage.troubles(), std::vector<std::string>{"a bug of ours"});
}

TEST(HttpServer, SaysOfAnAnswerToHeadWhatItWouldBe) {
  HttpStage stage(Clerk::echo);
  auto client = stage.client();
  client.say(cat("HEAD /x HTTP/1.1\r\nHost: town\r\n\r\n", get("/y")));
  const auto head = client.head();
  EXPECT_NE(head.find("Content-Length: 9\r\n"), std::string::npos) << head;
  EXPECT_EQ(body_of(client.answer()), "GET /y  ");
}

TEST(HttpServer, SendsNoBodyWhereThereIsNone) {
  HttpStage stage([](auto exchange) { exchange->answer({.status = 204, .body = "stray"}); });
  auto client = stage.client();
  client.say(cat(get("/"), get("/", "Connection: close\r\n")));
  const auto both = client.rest();
  EXPECT_EQ(both.find("stray"), std::string::npos) << both;
  EXPECT_EQ(both.find("Content-Length"), std::string::npos) << both;
}

TEST(HttpServer, ClosesWhenTheClientWantsIt) {
  HttpStage stage(Clerk::echo);
  for (const auto& request : {get("/", "Connection: close\r\n"), std::string("GET / HTTP/1.0\r\n\r\n")}) {
    auto client = stage.client();
    client.say(request);
    EXPECT_NE(client.answer().find("Connection: close\r\n"), std::string::npos);
    EXPECT_TRUE(client.has_ended());
  }
  auto old = stage.client();
  for (int i = 0; i < 2; ++i) {
    old.say("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_NE(old.answer().find("Connection: keep-alive\r\n"), std::string::npos);
  }
}

TEST(HttpServer, AnswersWhoeverSaysNoMore) {
  HttpStage stage(Clerk::echo);
  auto client = stage.client();
  client.say(cat(get("/1"), get("/2")));
  client.say_no_more();
  const auto both = client.rest();
  EXPECT_NE(both.find("GET /1"), std::string::npos) << both;
  EXPECT_NE(both.find("GET /2"), std::string::npos) << both;
}

TEST(HttpServer, TellsAClientThatWaitsToGoOn) {
  HttpStage stage(Clerk::echo, {.body = 10});
  auto client = stage.client();
  client.say("POST / HTTP/1.1\r\nHost: town\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.head(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.say("hello");
  EXPECT_EQ(body_of(client.answer()), "POST /  hello");
  client.say("POST / HTTP/1.1\r\nHost: town\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(status_of(client.answer()), 413) << "it is told before it sends it";
}

TEST(HttpServer, SaysNothingThatTheHandlerCouldHaveBeenMadeToSay) {
  const auto text = response_text({.status = 200,
                                   .headers = {{"X-Name", "a\r\nSet-Cookie: b\r\n\r\nbody\x01\x7f"},
                                               {"X Bad", "name"},
                                               {"X\r\nBad", "name"},
                                               {"", "none"},
                                               {"content-length", "1"},
                                               {"Transfer-Encoding", "chunked"},
                                               {"Connection", "upgrade"}},
                                   .body = "body"},
                                  {}, "today");
  EXPECT_EQ(text,
            "HTTP/1.1 200 OK\r\nDate: today\r\nX-Name: a  Set-Cookie: b    body  \r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_EQ(status_of(response_text({.status = 42}, {}, "")), 500);
  EXPECT_EQ(http_date(1'700'000'000), "Tue, 14 Nov 2023 22:13:20 GMT");
}

TEST(HttpServer, TellsTheHandlerThatAClientHasGone) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  std::shared_ptr<HttpExchange> exchange;
  {
    auto client = stage.client();
    client.say(get("/"));
    exchange = pile.take();
    EXPECT_FALSE(exchange->cancellation()->is_cancelled());
  }
  await("it is cancelled", [&] { return exchange->cancellation()->is_cancelled(); });
  exchange->answer({.body = "to nobody"});
  stage.await_connections(0);
}

TEST(HttpServer, SendsAnAnswerLargerThanTheSystemTakesAtOnce) {
  const std::string much(20u << 20, 'x');
  HttpStage stage([&](auto exchange) { exchange->answer({.body = much}); });
  auto client = stage.client(RawClient::Receives::little);
  client.say(get("/"));
  EXPECT_EQ(body_of(client.answer()), much);
  client.say(get("/", "Connection: close\r\n"));
  EXPECT_EQ(body_of(client.answer()).size(), much.size());
}

// ---- streams ------------------------------------------------------------------------------------------------------

TEST(HttpServer, KeepsAStreamOpenThatAnyThreadWrites) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  auto client = stage.client();
  client.say(get("/"));
  auto stream = pile.take()->stream({.headers = {{"Content-Type", "text/event-stream"}}, .body = "hello"});
  const auto head = client.head();
  EXPECT_NE(head.find("Transfer-Encoding: chunked"), std::string::npos) << head;
  EXPECT_EQ(client.until("hello\r\n"), "5\r\nhello\r\n");
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(stream->write(cat("event ", i)));
    EXPECT_EQ(client.until(cat("event ", i, "\r\n")), cat("7\r\nevent ", i, "\r\n"));
  }
  EXPECT_EQ(stage.server().counters().streams, 1U);
  std::atomic<int> ends = 0;
  stream->on_close([&] { ++ends; });
  EXPECT_TRUE(stream->write("last"));
  stream->close();
  EXPECT_FALSE(stream->write("too late"));
  EXPECT_EQ(client.until("0\r\n\r\n"), "4\r\nlast\r\n0\r\n\r\n");
  await("its end is told", [&] { return ends == 1; });
  client.say(get("/"));  // the connection is good for more
  stream = pile.take()->stream({.body = "again"});
  client.until("again\r\n");
  stream.reset();
  EXPECT_EQ(client.until("0\r\n\r\n"), "0\r\n\r\n") << "dropped, it ends";
}

TEST(HttpServer, StreamsToOurOwnClient) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  std::thread writer([&] {
    const auto stream = pile.take()->stream({.headers = {{"Content-Type", "text/event-stream"}}});
    for (int i = 0; i < 100; ++i) stream->write(cat("data: ", i, "\n\n"));
  });
  auto events = EventStream::open({.url = cat("http://127.0.0.1:", stage.server().port(), "/"), .timeout = 1min});
  writer.join();
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(count_to_the_end(*events), 100U);
}

TEST(HttpServer, StreamsToAnOldClientUntilItCloses) {
  HttpStage stage([](auto exchange) { exchange->stream({.body = "one "})->write("two"); });
  auto client = stage.client();
  client.say("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto answer = client.rest();
  EXPECT_EQ(body_of(answer), "one two");
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST(HttpServer, SendsOfAStreamOnlyTheHeadWhereThatIsAsked) {
  std::atomic<int> refused = 0;
  HttpStage stage([&](auto exchange) {
    auto stream = exchange->stream({});
    stream->on_close([&] { ++refused; });
  });
  auto client = stage.client();
  client.say("HEAD / HTTP/1.1\r\nHost: town\r\n\r\n");
  EXPECT_EQ(status_of(client.head()), 200);
  await("it ended", [&] { return refused == 1; });
}

TEST(HttpServer, EndsAStreamWhoseClientHasGone) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  std::shared_ptr<HttpStream> stream;
  std::atomic<int> ends = 0;
  {
    auto client = stage.client();
    client.say(get("/"));
    stream = pile.take()->stream({});
    stream->on_close([&] { ++ends; });
    client.head();
  }
  await("it ended", [&] { return ends == 1; });
  EXPECT_FALSE(stream->write("to nobody"));
  stream->on_close([&] { ++ends; });
  await("whoever asks later is told, too", [&] { return ends == 2; });
  EXPECT_EQ(stage.server().counters().streams, 0U);
}

TEST(HttpServer, DropsAStreamThatIsNotReadAndNoOther) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); }, {.stream_buffer = 64u << 10});
  auto slow = stage.client(RawClient::Receives::little);
  slow.say(get("/"));
  const auto to_slow = pile.take()->stream({});
  auto quick = stage.client();
  quick.say(get("/"));
  const auto to_quick = pile.take()->stream({});
  quick.head();
  const std::string piece(16'000, 'x');
  std::size_t sent = 0;
  while (sent < (64u << 20) && to_slow->write(piece)) {
    sent += piece.size();
    ASSERT_TRUE(to_quick->write(piece));
    quick.until(cat(piece, "\r\n"));
  }
  EXPECT_GE(sent, 64u << 10) << "what fits is kept";
  EXPECT_LT(sent, 64u << 20);
  stage.await_connections(1);
  EXPECT_TRUE(to_quick->write("still there"));
  EXPECT_NE(quick.until("still there").find("still there"), std::string::npos);
}

TEST(HttpServer, HoldsLittleForAStreamThatIsIdle) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  std::vector<RawClient> clients;
  std::vector<std::shared_ptr<HttpStream>> streams;
  const auto before = ::mallinfo2().uordblks;  // a sanitizer has a heap of its own, and nothing is seen there
  const auto count = static_cast<std::size_t>(stress(1000, 300));
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(stage.client());
    clients.back().say(get("/"));
    streams.push_back(pile.take()->stream({}));
    EXPECT_TRUE(streams.back()->write(std::string(30'000, 'x')));
    clients.back().until(cat(std::string(30'000, 'x'), "\r\n"));
  }
  EXPECT_EQ(stage.server().counters().streams, count);
  EXPECT_LT(::mallinfo2().uordblks, before + count * (4u << 10)) << "what it has sent it does not keep";
}

// ---- beginning and end ---------------------------------------------------------------------------------------------

TEST(HttpServer, SaysWhyItCannotListen) {
  HttpStage stage(Clerk::echo);
  Clerk clerk(Clerk::echo);
  const auto code = [&](const HttpServer::Listen& listen) {
    const auto made = HttpServer::listen(stage.loop(), listen, {}, clerk);
    EXPECT_FALSE(made);
    return made ? Code::partial : made.error().code;
  };
  EXPECT_EQ(code({.port = stage.server().port()}), Code::refused);
  EXPECT_EQ(code({.address = "no address"}), Code::usage);
  EXPECT_EQ(code({.address = "192.0.2.1"}), Code::unavailable);
  const auto six = HttpServer::listen(stage.loop(), {.address = "::1"}, {}, clerk);
  EXPECT_TRUE(!six || (*six)->port() > 0) << "where the machine has it";
}

TEST(HttpServer, LetsOpenRequestsFinishWhenItStops) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  auto idle = stage.client();
  auto open = stage.client();
  open.say(get("/"));
  const auto exchange = pile.take();
  auto reader = stage.client();
  reader.say(get("/"));
  const auto stream = pile.take()->stream({});
  stage.await_connections(3);
  std::thread stopping([&] { stage.server().stop(1min); });
  EXPECT_TRUE(idle.has_ended());
  reader.head();
  EXPECT_EQ(reader.rest(), "0\r\n\r\n") << "a stream ends, and says so";
  exchange->answer({.body = "at last"});
  const auto answer = open.rest();
  stopping.join();
  EXPECT_EQ(body_of(answer), "at last");
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  EXPECT_EQ(stage.server().counters().connections, 0U);
}

TEST(HttpServer, TakesInWhatWasAskedBeforeItStops) {
  std::atomic<int> asked = 0;
  HttpStage stage([&](auto exchange) {
    ++asked;
    exchange->answer({});
  });
  // The loop is held up, so nobody has looked at any of it when the server is stopped.
  std::mutex hold;
  std::unique_lock held(hold);
  stage.loop().post([&] { const std::lock_guard lock(hold); });
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(stage.client());
    clients.back().say(get("/"));
  }
  std::thread stopping([&] { stage.server().stop(1min); });
  held.unlock();
  for (auto& client : clients) EXPECT_EQ(status_of(client.rest()), 200);
  stopping.join();
  EXPECT_EQ(asked, 10);
}

TEST(HttpServer, EndsEverythingAfterItsGrace) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
  auto client = stage.client();
  client.say(get("/"));
  const auto exchange = pile.take();
  stage.server().stop(10ms);
  EXPECT_TRUE(client.has_ended());
  EXPECT_TRUE(exchange->cancellation()->is_cancelled());
  exchange->answer({.body = "too late"});
}

TEST(HttpServer, IsOutlivedByWhatItHandedOut) {
  Pile pile;
  std::shared_ptr<HttpExchange> unanswered;
  std::shared_ptr<HttpStream> stream;
  std::atomic<int> ends = 0;
  {
    HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); });
    auto client = stage.client();
    client.say(get("/"));
    unanswered = pile.take();
    auto reader = stage.client();
    reader.say(get("/"));
    stream = pile.take()->stream({});
    reader.head();
  }
  EXPECT_FALSE(stream->write("x"));
  stream->on_close([&] { ++ends; });
  EXPECT_EQ(ends, 1);
  unanswered->answer({});
  EXPECT_TRUE(unanswered->cancellation()->is_cancelled());
}

}  // namespace
}  // namespace townpost
