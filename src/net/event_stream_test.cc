#include "net/event_stream.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "base/text.h"
#include "net/little_server_test.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string chunk(std::string_view text) {
  std::string size;
  for (auto left = text.size(); left > 0; left /= 16) size.insert(size.begin(), "0123456789abcdef"[left % 16]);
  return cat(size, "\r\n", text, "\r\n");
}

/// Everything up to the end of the stream.
std::vector<std::string> all_data(EventStream& stream) {
  std::vector<std::string> data;
  while (!stream.has_ended()) {
    const auto events = stream.read();
    if (!events) break;
    for (const auto& event : *events) data.push_back(event.data);
    if (stream.has_ended() || !wait_for(stream.fd(), POLLIN, Deadline::in(10s))) break;
  }
  EXPECT_TRUE(stream.has_ended());
  const auto over = stream.read();
  EXPECT_TRUE(!over && over.error().code == Code::unavailable);
  return data;
}

std::string refusal(const Result<EventStream>& stream) {
  EXPECT_FALSE(stream);
  return stream ? "" : stream.error().message;
}

TEST(EventStream, GivesEventsAsTheyComeAndThenTheEnd) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    wire.send(cat(kHead, chunk("data: one\n\nda")));
    wire.send(chunk("ta: two\n\n"));
    wire.send("0\r\n\r\n");
  });
  auto stream = EventStream::open({.url = server.url("/event")});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(all_data(*stream), (std::vector<std::string>{"one", "two"}));
  EXPECT_NE(server.asked().at(0).head.find("Accept: text/event-stream"), std::string::npos);
}

TEST(EventStream, ReadsOneWithoutChunksToo) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\ndata: one\n\n");
    wire.close();
  });
  auto stream = EventStream::open({.url = server.url()});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(all_data(*stream), std::vector<std::string>{"one"});
}

TEST(EventStream, NeverWaitsForEvents) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    wire.send(kHead);
    wire.wait_until_hung_up();
  });
  auto stream = EventStream::open({.url = server.url()});
  ASSERT_TRUE(stream) << stream.error().message;
  for (int i = 0; i < 3; ++i) {
    const auto events = stream->read();
    ASSERT_TRUE(events) << events.error().message;
    EXPECT_TRUE(events->empty());
  }
  EXPECT_FALSE(stream->has_ended());
}

TEST(EventStream, ReportsAServerThatDies) {
  const LittleServer server([](const Asked&, const Wire& wire) {
    wire.send(cat(kHead, chunk("data: last\n\n"), "ff\r\ndata: ha"));
    wire.close();
  });
  auto stream = EventStream::open({.url = server.url()});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(all_data(*stream), std::vector<std::string>{"last"});
}

TEST(EventStream, ReadsMoreThanOneAnswerMayHold) {
  const std::string line(1u << 20, 'x');
  const LittleServer server([&line](const Asked&, const Wire& wire) {
    wire.send(kHead);
    for (int i = 0; i < 12; ++i) wire.send(chunk(cat("data: ", line, "\n\n")));
    wire.send("0\r\n\r\n");
  });
  auto stream = EventStream::open({.url = server.url()});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(all_data(*stream), std::vector<std::string>(12, line));
}

TEST(EventStream, RefusesAnAnswerThatIsNoStream) {
  const LittleServer page([](const Asked&, const Wire& wire) { wire.send(http_answer(200, "<html>", "text/html")); });
  EXPECT_EQ(refusal(EventStream::open({.url = page.url()})), cat(page.url(), " has no stream of events there"));
  const LittleServer locked([](const Asked&, const Wire& wire) { wire.send(http_answer(401, "")); });
  EXPECT_EQ(refusal(EventStream::open({.url = locked.url()})), cat(locked.url(), " refused its events: 401"));
}

TEST(EventStream, DoesNotWaitForEverToBeGranted) {
  const LittleServer server([](const Asked&, const Wire& wire) { wire.wait_until_hung_up(); });
  EXPECT_EQ(refusal(EventStream::open({.url = server.url(), .timeout = 50ms})),
            cat("no answer from ", server.url(), " within 50 ms"));
}

}  // namespace
}  // namespace townpost
