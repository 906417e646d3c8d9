// Clients that want to hold us up, fill our memory, be misunderstood or be too many.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/text.h"
#include "net/http_stage_test.h"
#include "support/await.h"
#include "support/stress.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

void expect_served(HttpStage& stage) {
  auto client = stage.client();
  client.say(get("/"));
  EXPECT_EQ(status_of(client.answer()), 200);
}

TEST(HostileClient, ThatHidesARequestInAnotherIsRefusedAndLeft) {
  HttpStage stage(Clerk::echo);
  for (const auto* lines : {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                            "Content-Length: 4\r\nContent-Length: 5\r\n", "Content-Length : 5\r\n"}) {
    auto client = stage.client();
    client.say(cat("POST /seen HTTP/1.1\r\nHost: town\r\n", lines, "\r\n0\r\n\r\n", get("/hidden")));
    const auto all = client.rest();
    EXPECT_EQ(status_of(all), 400) << lines;
    EXPECT_NE(all.find("Connection: close"), std::string::npos);
    EXPECT_EQ(all.find("hidden"), std::string::npos) << all;
  }
  EXPECT_EQ(stage.server().counters().requests, 0U);
  EXPECT_EQ(stage.server().counters().refused, 3U);
}

TEST(HostileClient, IsToldWhatWasWrong) {
  HttpStage stage(Clerk::echo, {.head = 1024, .body = 1024});
  const auto answer = [&](std::string_view bytes) {
    auto client = stage.client();
    client.say(bytes);
    const auto all = client.rest();
    EXPECT_EQ(body_of(all).substr(0, 3), cat(status_of(all))) << "in the handler's words: " << all;
    return status_of(all);
  };
  EXPECT_EQ(answer("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(answer(get("/", cat("A: ", std::string(1024, 'x'), "\r\n"))), 431);
  EXPECT_EQ(answer(cat("POST / HTTP/1.1\r\nHost: town\r\nContent-Length: 1025\r\n\r\n", std::string(1025, 'x'))), 413);
  EXPECT_EQ(answer("GET / HTTP/3.0\r\n\r\n"), 505);
  expect_served(stage);
}

TEST(HostileClient, GetsItsRefusalAlthoughItSendsOn) {
  HttpStage stage(Clerk::echo, {.body = 1024});
  auto client = stage.client();
  const std::string much(4u << 20, 'x');
  std::thread sender(
      [&] { client.say(cat("POST / HTTP/1.1\r\nHost: town\r\nContent-Length: ", much.size(), "\r\n\r\n", much)); });
  EXPECT_EQ(status_of(client.answer()), 413);
  sender.join();
}

TEST(HostileClient, ThatIsSlowIsLeft) {
  HttpStage stage(Clerk::echo, {.head_time = 50ms, .body_time = 50ms, .idle_time = 50ms});
  auto silent = stage.client();
  EXPECT_EQ(silent.rest(), "") << "nothing was asked, so nothing is answered";
  auto kept = stage.client();
  kept.say(get("/"));
  EXPECT_EQ(status_of(kept.answer()), 200);
  EXPECT_EQ(kept.rest(), "");
  auto slow_head = stage.client();
  slow_head.say("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(status_of(slow_head.rest()), 408);
  auto slow_body = stage.client();
  slow_body.say("POST / HTTP/1.1\r\nHost: town\r\nContent-Length: 5\r\n\r\nhe");
  EXPECT_EQ(status_of(slow_body.rest()), 408);
  auto slow_chunks = stage.client();
  slow_chunks.say("POST / HTTP/1.1\r\nHost: town\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n");
  EXPECT_EQ(status_of(slow_chunks.rest()), 408);
}

TEST(HostileClient, ThatDripsGainsNoTime) {
  HttpStage stage(Clerk::echo, {.head_time = 100ms, .idle_time = 100ms});
  {
    auto client = stage.client();
    client.say("GET / HTTP/1.1\r\nHost: town\r\nA: ");
    await("it is left", [&] { return !client.say("x") || stage.server().counters().refused == 1; });
  }
  stage.await_connections(0);
}

TEST(HostileClient, ThatDoesNotReadItsAnswerIsLeft) {
  HttpStage stage([](auto exchange) { exchange->answer({.body = std::string(16u << 20, 'x')}); }, {.send_time = 10ms});
  auto client = stage.client(RawClient::Receives::little);
  client.say(get("/"));
  stage.await_connections(1);
  stage.await_connections(0);
  EXPECT_LT(client.rest().size(), 16u << 20);
}

TEST(HostileClient, ThatDoesNotReadItsStreamIsLeft) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); },
                  {.send_time = 10ms, .stream_buffer = 64u << 20});
  auto client = stage.client(RawClient::Receives::little);
  client.say(get("/"));
  const auto stream = pile.take()->stream({});
  EXPECT_TRUE(stream->write(std::string(32u << 20, 'x')));
  stage.await_connections(0);
  EXPECT_FALSE(stream->write("x"));
}

TEST(HostileClient, MayAskAheadOnlySoMuch) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); }, {.head = 1024});
  auto client = stage.client();
  std::string ahead;
  for (int i = 0; i < 1000; ++i) ahead += get("/");
  client.say(ahead);
  const auto exchange = pile.take();
  await("it has read what it reads", [&] { return stage.server().counters().bytes_in >= 1024; });
  EXPECT_LE(stage.server().counters().bytes_in, 2 * (64u << 10)) << "the rest is the client's to keep";
}

TEST(HostileClient, HasOnlySoManyRequestsAtOnce) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); }, {.in_flight = 2});
  std::vector<RawClient> clients;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(stage.client());
    clients.back().say(get("/"));
  }
  await("both are there", [&] { return pile.size() == 2; });
  auto third = stage.client();
  third.say(get("/"));
  EXPECT_EQ(status_of(third.answer()), 429);
  pile.take()->answer({});
  third.say(get("/"));  // the same connection is still good
  await("it is let in", [&] { return pile.size() == 2; });
  const auto stream = pile.take()->stream({});
  auto fourth = stage.client();
  fourth.say(get("/"));
  await("a stream is not in the way", [&] { return pile.size() == 2; });
  clients.clear();  // whoever goes away gains nothing while the work goes on
  auto fifth = stage.client();
  fifth.say(get("/"));
  EXPECT_EQ(status_of(fifth.answer()), 429);
}

TEST(HostileClient, CannotFillTheMemoryWithBodies) {
  HttpStage stage(Clerk::echo, {.bodies = 1u << 20});
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(stage.client());
    clients.back().say(
        cat("POST / HTTP/1.1\r\nHost: town\r\nContent-Length: 400000\r\n\r\n", std::string(390'000, 'x')));
  }
  await("some are refused", [&] { return stage.server().counters().refused == 2; });
  clients.clear();
  stage.await_connections(0);
  auto client = stage.client();
  client.say(cat("POST / HTTP/1.1\r\nHost: town\r\nContent-Length: 900000\r\n\r\n", std::string(900'000, 'x')));
  EXPECT_EQ(status_of(client.answer()), 200) << "all of it was given back";
}

TEST(HostileClient, ThatTakesNoAnswersMakesRoomForOneThatDoes) {
  const std::string large(16u << 20, 'x');  // the kernel holds a part of each
  HttpStage stage([&](auto exchange) { exchange->answer({.body = large}); }, {.answers = 40u << 20});
  std::vector<RawClient> deaf;
  for (int i = 0; i < 4; ++i) {
    deaf.push_back(stage.client(RawClient::Receives::little));
    deaf.back().say(get("/"));
  }
  await("one more than there is room for is refused", [&] { return stage.server().counters().refused > 0; });
  await("one that takes its answer has it", [&] {
    auto client = stage.client();
    client.say(get("/"));
    return body_of(client.answer()) == large;
  });
  deaf.clear();
  stage.await_connections(0);
  auto client = stage.client();
  for (int i = 0; i < 4; ++i) {
    client.say(get("/"));
    EXPECT_EQ(body_of(client.answer()).size(), large.size()) << "what was left was given back";
  }
}

TEST(HostileClient, ThatIsOneTooManyIsTurnedAway) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); }, {.connections = 2});
  std::vector<RawClient> clients;
  std::vector<std::shared_ptr<HttpStream>> streams;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(stage.client());
    clients.back().say(get("/"));
    streams.push_back(pile.take()->stream({}));
    clients.back().head();
  }
  {
    auto third = stage.client();
    const auto all = third.rest();
    EXPECT_EQ(status_of(all), 503) << all;
    EXPECT_EQ(body_of(all).substr(0, 3), "503");
  }
  EXPECT_TRUE(streams[0]->write("x") && streams[1]->write("x")) << "nobody made room who is served";
  clients.pop_back();
  stage.await_connections(1);
  auto next = stage.client();
  next.say(get("/"));
  pile.take()->answer({});
  EXPECT_EQ(status_of(next.answer()), 200);
}

TEST(HostileClient, ThatOnlyHoldsAConnectionMakesRoomForOneThatAsks) {
  for (const auto* begun :
       {"", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: town\r\nContent-Length: 5\r\n\r\nhe"}) {
    HttpStage stage(Clerk::echo, {.connections = 4});
    std::vector<RawClient> idle;
    for (int i = 0; i < 4; ++i) {
      idle.push_back(stage.client());
      idle.back().say(begun);
    }
    await("it is served", [&] {
      auto client = stage.client();
      client.say(get("/"));
      return status_of(client.answer()) == 200;
    });
  }
}

/// While it lives, this process may have so many descriptors.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    auto now = before_;
    now.rlim_cur = most;
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST(HostileClient, IsSurvivedWhenThereAreNoDescriptorsLeft) {
  HttpStage stage(Clerk::echo);
  {
    std::vector<RawClient> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(stage.client());
    stage.await_connections(4);
    const FileDescriptor highest(::dup(0));
    std::vector<FileDescriptor> waiting;  // sockets that are made before there is nothing left
    const FewDescriptors few(static_cast<rlim_t>(highest.get()) + 3);
    while (true) {
      FileDescriptor one(::dup(0));
      if (!one) break;
      waiting.push_back(std::move(one));
    }
    waiting.pop_back();  // for the client; the server has none
    auto client = stage.client();
    client.say(get("/"));
    EXPECT_EQ(status_of(client.answer()), 200) << "whoever only holds a connection makes room";
  }
  expect_served(stage);
}

TEST(HostileClient, ComesTenThousandTimes) {
  HttpStage stage(Clerk::echo, {.connections = 64});
  std::atomic<int> served = 0;
  std::atomic<int> turned_away = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      std::vector<RawClient> held;
      for (int i = 0; i < stress(1250, 125); ++i) {
        held.push_back(stage.client());
        if (held.size() < 32) continue;
        held.back().say(get("/"));
        const auto status = status_of(held.back().answer());
        if (status == 200) ++served;
        if (status == 503) ++turned_away;
        held.clear();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_GT(served + turned_away, 0);
  await("everybody has gone", [&] { return stage.server().counters().connections == 0; });
  expect_served(stage);
  EXPECT_EQ(stage.troubles(), std::vector<std::string>{});
}

}  // namespace
}  // namespace townpost
