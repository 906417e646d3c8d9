#include "net/http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "base/text.h"
#include "net/little_server_test.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

HttpAnswer must(Result<HttpAnswer> answer) {
  EXPECT_TRUE(answer) << answer.error().message;
  return answer.value_or(HttpAnswer{});
}

Error failure(const Result<HttpAnswer>& answer) {
  EXPECT_FALSE(answer) << "answered " << answer->status;
  return answer ? Error{} : answer.error();
}

/// A server that says the same to everybody.
class Parrot : public LittleServer {
 public:
  explicit Parrot(std::string words) : LittleServer([words](const Asked&, const Wire& wire) { wire.send(words); }) {}
};

TEST(HttpClient, BringsMethodPathHeadersAndBodyThere) {
  const Parrot server(http_answer(200, "{}"));
  HttpClient client;
  const auto answer = must(client.exchange({.method = "POST",
                                            .url = server.url("/session/x?limit=1"),
                                            .body = "{\"a\":1}",
                                            .headers = {{"Content-Type", "application/json"}}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_EQ(answer.body, "{}");
  ASSERT_EQ(server.asked().size(), 1U);
  const auto asked = server.asked()[0];
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.target, "/session/x?limit=1");
  EXPECT_EQ(asked.body, "{\"a\":1}");
  EXPECT_NE(asked.head.find(cat("Host: 127.0.0.1:", server.port(), "\r\n")), std::string::npos) << asked.head;
  EXPECT_NE(asked.head.find("Content-Type: application/json\r\n"), std::string::npos) << asked.head;
}

TEST(HttpClient, ReadsAnAnswerInChunks) {
  const Parrot server(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n6;x=y\r\n whole\r\n0\r\nTrailer: t\r\n\r\n");
  EXPECT_EQ(must(HttpClient().exchange({.url = server.url()})).body, "half whole");
}

TEST(HttpClient, ReadsAnAnswerThatEndsWithTheConnection) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\n\r\nall of it");
    wire.close();
  });
  EXPECT_EQ(must(HttpClient().exchange({.url = server.url()})).body, "all of it");
}

TEST(HttpClient, ReadsAnAnswerThatArrivesByteByByte) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    for (const char byte : http_answer(200, "slowly")) wire.send({&byte, 1});
  });
  EXPECT_EQ(must(HttpClient().exchange({.url = server.url()})).body, "slowly");
}

TEST(HttpClient, PassesOverInterimAnswers) {
  const Parrot server(cat("HTTP/1.1 100 Continue\r\n\r\n", http_answer(201, "x")));
  const auto answer = must(HttpClient().exchange({.url = server.url()}));
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "x");
}

TEST(HttpClient, GivesRefusalsAsAnswers) {
  for (const int status : {204, 400, 401, 404, 409, 500, 503}) {
    const Parrot server(http_answer(status, status == 204 ? "" : "no"));
    const auto answer = must(HttpClient().exchange({.url = server.url()}));
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.is_good(), status == 204);
  }
}

TEST(HttpClient, AsksAgainOnTheSameConnection) {
  const Parrot server(http_answer(200, "again"));
  HttpClient client;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(must(client.exchange({.url = server.url()})).body, "again");
  EXPECT_EQ(server.asked().size(), 5U);
  EXPECT_EQ(server.connections(), 1U);
}

TEST(HttpClient, ConnectsAnewAfterAServerSaidClose) {
  const Parrot server(http_answer(200, "bye", "text/plain", "Connection: close\r\n"));
  HttpClient client;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(must(client.exchange({.url = server.url()})).body, "bye");
  EXPECT_EQ(server.connections(), 2U);
}

/// Answers one request, hangs up at the second, and answers from then on.
LittleServer::Answer forgetful() {
  return [count = std::make_shared<std::atomic<int>>(0)](const Asked&, const Wire& wire) {
    if (++*count == 2)
      wire.close();
    else
      wire.send(http_answer(200, "here"));
  };
}

TEST(HttpClient, RepeatsAQuestionThatAKeptConnectionLost) {
  const LittleServer server(forgetful());
  HttpClient client;
  must(client.exchange({.url = server.url("/a")}));
  EXPECT_EQ(must(client.exchange({.url = server.url("/b")})).body, "here");
  EXPECT_EQ(server.asked().size(), 3U);
}

TEST(HttpClient, NeverRepeatsAnOrder) {
  const LittleServer server(forgetful());
  HttpClient client;
  must(client.exchange({.url = server.url("/a")}));
  const auto error = failure(client.exchange({.method = "POST", .url = server.url("/b"), .body = "x"}));
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_EQ(server.asked().size(), 2U);
}

TEST(HttpClient, SaysThatNobodyListens) {
  const auto url = cat("http://127.0.0.1:", unused_port());
  const auto error = failure(HttpClient().exchange({.url = url}));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_EQ(error.message, cat("cannot reach ", url, ": Connection refused"));
}

TEST(HttpClient, FindsLocalhost) {
  const Parrot server(http_answer(200, "home"));
  EXPECT_EQ(must(HttpClient().exchange({.url = cat("http://localhost:", server.port())})).body, "home");
}

TEST(HttpClient, SaysThatAHostIsUnknown) {
  const auto error = failure(HttpClient().exchange({.url = "http://no-such-host.invalid:4096", .timeout = 5s}));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.message.find("no-such-host.invalid"), std::string::npos) << error.message;
}

TEST(HttpClient, DoesNotWaitForEverForAServerThatSaysNothing) {
  const LittleServer server([](const Asked&, const Wire& wire) { wire.wait_until_hung_up(); });
  const auto error = failure(HttpClient().exchange({.method = "POST", .url = server.url(), .timeout = 50ms}));
  EXPECT_EQ(error.code, Code::timeout);
  EXPECT_EQ(error.message, cat("no answer from ", server.url(), " within 50 ms"));
}

TEST(HttpClient, DoesNotWaitForEverForTheRestOfAnAnswer) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    wire.wait_until_hung_up();
  });
  EXPECT_EQ(failure(HttpClient().exchange({.url = server.url(), .timeout = 50ms})).code, Code::timeout);
}

TEST(HttpClient, DoesNotWaitForEverForAServerThatDoesNotRead) {
  std::string port;
  const auto deaf = listening_socket(port);  // the system takes the connection, and what its buffers hold
  const auto error = failure(HttpClient().exchange({.method = "POST",
                                                    .url = cat("http://127.0.0.1:", port),
                                                    .body = std::string(64u << 20, 'x'),
                                                    .timeout = 100ms}));
  EXPECT_EQ(error.code, Code::timeout);
}

TEST(HttpClient, NeedsOnlyTheHeadIfThatIsEnough) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n");
    wire.wait_until_hung_up();
  });
  const auto answer = must(HttpClient().exchange({.url = server.url(), .until = HttpCall::Until::head}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "application/json");
}

TEST(HttpClient, SaysThatTheServerHungUp) {
  for (const auto* words : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf"}) {
    const LittleServer server([words](const Asked&, const Wire& wire) {
      wire.send(words);
      wire.close();
    });
    const auto error = failure(HttpClient().exchange({.method = "POST", .url = server.url()}));
    EXPECT_EQ(error.code, Code::refused) << words;
    EXPECT_NE(error.message.find(server.url()), std::string::npos) << error.message;
  }
}

TEST(HttpClient, RefusesAnAnswerThatIsTooLarge) {
  const Parrot told(http_answer(200, std::string((8u << 20) + 1, 'x')));
  const auto error = failure(HttpClient().exchange({.url = told.url()}));
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_EQ(error.message, cat(told.url(), ": the answer is over 8 MiB"));
  const LittleServer endless([](const Asked&, const Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\n\r\n");
    for (int i = 0; i < 9; ++i) wire.send(std::string(1u << 20, 'x'));
    wire.close();
  });
  EXPECT_EQ(failure(HttpClient().exchange({.url = endless.url()})).code, Code::refused);
}

TEST(HttpClient, TakesALargeAnswerWhole) {
  const std::string large(8u << 20, 'x');
  const Parrot server(http_answer(200, large));
  EXPECT_EQ(must(HttpClient().exchange({.url = server.url()})).body, large);
}

TEST(HttpClient, RefusesWhatIsNoAnswer) {
  const Parrot server("SSH-2.0-OpenSSH_9.2\r\n\r\n");
  const auto error = failure(HttpClient().exchange({.url = server.url()}));
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_NE(error.message.find(server.url()), std::string::npos) << error.message;
}

TEST(HttpClient, ShowsItsPasswordToTheServerOnly) {
  const LittleServer server([](const Asked&, const Wire& wire) { wire.close(); });
  const auto url = cat("http://opencode:open-sesame@127.0.0.1:", server.port());
  const auto error = failure(HttpClient().exchange({.method = "POST", .url = url}));
  EXPECT_EQ(error.message.find("sesame"), std::string::npos) << error.message;
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_NE(server.asked()[0].head.find("Authorization: Basic b3BlbmNvZGU6b3Blbi1zZXNhbWU=\r\n"), std::string::npos);
}

TEST(HttpClient, LetsNobodySmuggleAHeaderIn) {
  const Parrot server(http_answer(200, ""));
  HttpClient client;
  EXPECT_EQ(failure(client.exchange({.url = server.url(), .headers = {{"A", "x\r\nB: y"}}})).code, Code::usage);
  EXPECT_EQ(failure(client.exchange({.url = server.url(), .headers = {{"A: x\r\nB", "y"}}})).code, Code::usage);
  EXPECT_EQ(failure(client.exchange({.method = "GET / HTTP/1.1\r\nX:", .url = server.url()})).code, Code::usage);
  EXPECT_TRUE(server.asked().empty());
}

}  // namespace
}  // namespace townpost
