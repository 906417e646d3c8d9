#include "net/json_rpc.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

using Messages = std::vector<std::string>;

Messages read_whole(RpcFraming framing, std::string_view text) {
  auto read = RpcReader(framing).feed(text);
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(Messages{});
}

TEST(RpcFrame, IsALineOrHasALength) {
  const Json message = {{"method", "a\nb"}};
  EXPECT_EQ(rpc_frame(RpcFraming::lines, message), "{\"method\":\"a\\nb\"}\n");
  EXPECT_EQ(rpc_frame(RpcFraming::length, message), "Content-Length: 17\r\n\r\n{\"method\":\"a\\nb\"}");
}

TEST(RpcReader, TakesAMessageALine) {
  EXPECT_EQ(read_whole(RpcFraming::lines, "{\"a\":1}\n\n  \r\n{\"b\":2}\r\n{\"c\""),
            (Messages{"{\"a\":1}", "{\"b\":2}"}));
}

TEST(RpcReader, TakesMessagesByTheirLength) {
  EXPECT_EQ(
      read_whole(
          RpcFraming::length,
          "Content-Length: 7\r\n\r\n{\"a\":1}content-length:2\nContent-Type: x; y=z\n\n{}Content-Length: 0\r\n\r\n"),
      (Messages{"{\"a\":1}", "{}", ""}));
}

TEST(RpcReader, PassesOverWhatIsTooLongAndGoesOn) {
  RpcReader lines(RpcFraming::lines, 8);
  EXPECT_EQ(lines.feed("123456789\n12345678\r\n123456789123456789\nend\n").value(), (Messages{"12345678", "end"}));
  EXPECT_EQ(lines.dropped(), 2U);
  RpcReader length(RpcFraming::length, 8);
  EXPECT_EQ(length.feed("Content-Length: 9\r\n\r\n123456789Content-Length: 8\r\n\r\n12345678").value(),
            Messages{"12345678"});
  EXPECT_EQ(length.dropped(), 1U);
}

TEST(RpcReader, KnowsWhetherTheEndWouldCutAMessageOff) {
  RpcReader lines(RpcFraming::lines);
  EXPECT_FALSE(lines.is_inside());
  ASSERT_TRUE(lines.feed("{}\n{"));
  EXPECT_TRUE(lines.is_inside());
  for (const auto* half : {"C", "Content-Length: 5\r\n", "Content-Length: 5\r\n\r\n", "Content-Length: 5\r\n\r\n123"}) {
    RpcReader length(RpcFraming::length);
    ASSERT_TRUE(length.feed(half));
    EXPECT_TRUE(length.is_inside()) << half;
  }
}

TEST(RpcReader, StopsWhereNobodyCanTellWhereAMessageBegins) {
  const std::string much(2000, 'x');
  std::string many;
  for (int i = 0; i < 20; ++i) many += cat("X-", i, ": y\r\n");
  for (const auto& text : {std::string("\r\n"), std::string("{\"a\":1}\n"), std::string("Content-Length: -1\r\n"),
                           std::string("Content-Length: 1x\r\n"), std::string("Content-Length:\r\n"),
                           std::string("Content-Length: 99999999999999999999999\r\n"),
                           std::string("Content-Length: 1\r\nContent-Length: 2\r\n"), cat("X: ", much), many}) {
    RpcReader reader(RpcFraming::length);
    const auto read = reader.feed(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::refused) << text;
    EXPECT_FALSE(reader.feed("Content-Length: 2\r\n\r\n{}")) << "it went on after " << text;
  }
}

RC_GTEST_PROP(RpcReader, ReadsWhatWasFramedHoweverItIsCut, ()) {
  const auto framing = *rc::gen::element(RpcFraming::lines, RpcFraming::length);
  const auto texts = *rc::gen::container<std::vector<std::string>>(rc::gen::string<std::string>());
  std::string stream;
  Messages sent;
  for (const auto& text : texts) {
    const Json message = {{"text", to_utf8(text)}};
    sent.push_back(to_line(message));
    stream += rpc_frame(framing, message);
  }
  RpcReader reader(framing);
  Messages got;
  for (std::string_view rest = stream; !rest.empty();) {
    const auto cut = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
    auto read = reader.feed(rest.substr(0, cut));
    RC_ASSERT(read.has_value());
    for (auto& message : *read) got.push_back(std::move(message));
    rest.remove_prefix(cut);
  }
  RC_ASSERT(got == sent);
  RC_ASSERT(!reader.is_inside());
}

}  // namespace
}  // namespace townpost
