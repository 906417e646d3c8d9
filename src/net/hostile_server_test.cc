// Servers that want to hold us up, fill our memory or be misunderstood.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/text.h"
#include "net/event_stream.h"
#include "net/http_client.h"
#include "net/little_server_test.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Says `first`, and then `more` again and again until it is hung up on.
LittleServer::Answer endless(std::string first, std::string more, Millis pause = 0ms) {
  return [=](const Asked&, const Wire& wire) {
    wire.send(first);
    while (wire.reaches(more)) std::this_thread::sleep_for(pause);
  };
}

Error failure(const LittleServer& server, Millis timeout = 1min) {
  const auto answer = HttpClient().exchange({.url = server.url(), .timeout = timeout});
  EXPECT_FALSE(answer) << "answered " << answer->status;
  return answer ? Error{} : answer.error();
}

TEST(HostileServer, ThatDripsItsAnswerIsLeftAtTheDeadline) {
  for (const auto* first : {"", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"}) {
    const LittleServer server(endless(first, "x", 5ms));
    EXPECT_EQ(failure(server, 100ms).code, Code::timeout) << first;
  }
}

TEST(HostileServer, WhoseHeadNeverEndsIsRefused) {
  EXPECT_EQ(failure(LittleServer(endless("HTTP/1.1 200 OK\r\n", "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n"))).code,
            Code::refused);
  EXPECT_EQ(failure(LittleServer(endless("HTTP/1.1 200 OK\r\nX: ", std::string(4096, 'y')))).code, Code::refused);
}

TEST(HostileServer, ThatGivesInterimAnswersForEverIsRefused) {
  const LittleServer server(endless("", "HTTP/1.1 100 Continue\r\n\r\n"));
  EXPECT_EQ(failure(server).message, cat(server.url(), ": one interim answer after the other"));
}

TEST(HostileServer, WhoseChunksAreNoneIsRefused) {
  for (const auto* chunk :
       {"nonsense\r\n", "-1\r\n", "ffffffffffffffffff\r\nx", "5\r\nhelloXY\r\n", "5\r\nhello\r\nzz\r\n", " \r\n"}) {
    const LittleServer server([chunk](const Asked&, const Wire& wire) {
      wire.send(cat(kChunked, chunk));
      wire.wait_until_hung_up();
    });
    EXPECT_EQ(failure(server).code, Code::refused) << chunk;
  }
}

TEST(HostileServer, ThatPromisesAChunkLargerThanAnythingIsRefused) {
  const LittleServer server(endless(cat(kChunked, "7fffffffffffffff\r\n"), std::string(65536, 'x')));
  EXPECT_EQ(failure(server).code, Code::refused);
}

TEST(HostileServer, WhoseChunksHaveNamesOrTrailersWithoutEndIsRefused) {
  EXPECT_EQ(failure(LittleServer(endless(cat(kChunked, "5;"), std::string(4096, 'y')))).code, Code::refused);
  EXPECT_EQ(failure(LittleServer(endless(cat(kChunked, "0\r\nX: "), std::string(4096, 'y')))).code, Code::refused);
  EXPECT_EQ(failure(LittleServer(endless(cat(kChunked, "0\r\n"), "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n"))).code,
            Code::refused);
}

TEST(HostileServer, WithTwoLengthsIsRefused) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello");
    wire.wait_until_hung_up();
  });
  EXPECT_EQ(failure(server).code, Code::refused);
}

TEST(HostileServer, CannotKeepWhoeverWantsToGo) {
  for (const auto* first : {"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", ""}) {
    std::stop_source stop;
    const LittleServer server([&](const Asked&, const Wire& wire) {
      wire.send(first);
      stop.request_stop();
      wire.wait_until_hung_up();
    });
    const auto answer = HttpClient().exchange({.url = server.url(), .timeout = 1h, .stop = stop.get_token()});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::timeout);
    EXPECT_EQ(answer.error().message, cat("called off before ", server.url(), " answered"));
  }
}

TEST(HostileServer, IsNotEvenAskedByWhoeverHasGone) {
  const LittleServer server([](const Asked&, const Wire& wire) { wire.send(http_answer(200, "")); });
  std::stop_source stop;
  stop.request_stop();
  const auto answer = HttpClient().exchange({.url = server.url(), .stop = stop.get_token()});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::unavailable) << "it was perhaps sent";
  const auto events = EventStream::open({.url = server.url(), .stop = stop.get_token()});
  ASSERT_FALSE(events);
  EXPECT_TRUE(server.asked().empty());
}

TEST(HostileServer, DoesNotDisturbThoseThatOtherThreadsAsk) {
  const LittleServer bad(endless("HTTP/1.1 200 OK\r\nX: ", "x", 1ms));
  const LittleServer good([](const Asked& asked, const Wire& wire) { wire.send(http_answer(200, asked.target)); });
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      HttpClient client;
      for (int n = 0; n < 10; ++n) {
        const auto path = cat("/", i, "/", n);
        const auto answer = client.exchange({.url = good.url(path), .timeout = 1min});
        if (answer && answer->body == path) ++answered;
        if (n != 5) continue;
        EXPECT_FALSE(client.exchange({.url = bad.url(), .timeout = 20ms}));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answered, 80);
}

}  // namespace
}  // namespace townpost
