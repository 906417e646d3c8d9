#include "net/request_reader.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

constexpr std::string_view kHead = "GET / HTTP/1.1\r\nHost: town\r\n";

RequestReader read(std::string_view bytes, std::size_t cut = 1u << 20) {
  RequestReader reader({.head = 1024, .fields = 10, .body = 100});
  for (; !bytes.empty(); bytes.remove_prefix(std::min(cut, bytes.size()))) {
    const auto piece = bytes.substr(0, cut);
    if (reader.feed(piece) < piece.size()) break;
  }
  return reader;
}

int refusal(std::string_view bytes) {
  const auto whole = read(bytes);
  const auto in_pieces = read(bytes, 1);
  EXPECT_EQ(whole.is_refused(), in_pieces.is_refused()) << bytes;
  if (!whole.is_refused()) return whole.is_whole() ? 200 : 0;
  EXPECT_EQ(whole.refusal().status, in_pieces.refusal().status) << bytes;
  return whole.refusal().status;
}

TEST(RequestReader, TakesARequestApart) {
  for (const std::size_t cut : {1u, 7u, 1000u}) {
    auto reader = read(
        "PATCH /api/mail/a%2Fb?q=%20&x HTTP/1.1\r\nHost: town\r\nX-Many:  one \r\nx-many:\ttwo\t\r\nEmpty:\r\n"
        "Content-Length: 5\r\n\r\nhello",
        cut);
    ASSERT_TRUE(reader.is_whole()) << cut;
    const auto& request = reader.request();
    EXPECT_EQ(request.method, "PATCH");
    EXPECT_EQ(request.path, "/api/mail/a%2Fb");
    EXPECT_EQ(request.query, "q=%20&x");
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(request.count("x-many"), 2U);
    EXPECT_EQ(request.header("x-many"), "one");
    EXPECT_EQ(request.count("empty"), 1U);
    EXPECT_EQ(request.header("none"), "");
    EXPECT_TRUE(reader.keeps_connection());
  }
}

TEST(RequestReader, LeavesTheNextRequestAlone) {
  RequestReader reader({});
  const auto one = cat(kHead, "Content-Length: 3\r\n\r\nabc");
  EXPECT_EQ(reader.feed(cat(one, kHead)), one.size());
  EXPECT_TRUE(reader.is_whole());
  EXPECT_EQ(reader.feed(kHead), 0U);
}

TEST(RequestReader, ReadsABodyInChunksAndDropsItsTrailers) {
  for (const std::size_t cut : {1u, 3u, 1000u}) {
    auto reader = read(cat(kHead,
                           "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n6 ;x=\"y\\\";\" ; z\r\n whole\r\n000\r\n"
                           "Authorization: stolen\r\n\r\n"),
                       cut);
    ASSERT_TRUE(reader.is_whole()) << cut;
    EXPECT_EQ(reader.request().body, "half whole");
    EXPECT_EQ(reader.request().count("authorization"), 0U);
  }
}

TEST(RequestReader, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  for (const auto* lines : {"Content-Length: 5\r\nContent-Length: 5\r\n",
                            "Content-Length: 5\r\nContent-Length: 6\r\n",
                            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                            "Content-Length: 5, 5\r\n",
                            "Content-Length: +5\r\n",
                            "Content-Length: -5\r\n",
                            "Content-Length: 0x5\r\n",
                            "Content-Length:\r\n",
                            "Content-Length : 5\r\n",
                            " Content-Length: 5\r\n",
                            "A: b\r\n folded\r\n",
                            "A: b\r\n\tfolded\r\n",
                            "A: b\n",
                            "A: b\r\r\n",
                            "A: b\rC: d\r\n",
                            "no colon\r\n",
                            ": no name\r\n",
                            "A b: c\r\n",
                            "Host: another\r\n",
                            "Connection: a b\r\n",
                            "A: \x01\r\n",
                            "A: \x7f\r\n"})
    EXPECT_EQ(refusal(cat(kHead, lines, "\r\nhello")), 400) << lines;
  EXPECT_EQ(refusal(cat(kHead, std::string_view("A: b\0c\r\n", 8), "\r\n")), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\n\r\n"), 400) << "no Host";
  EXPECT_EQ(refusal("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  for (const auto* coding : {"gzip", "gzip, chunked", "chunked, chunked", "identity", "xchunked", ""})
    EXPECT_EQ(refusal(cat(kHead, "Transfer-Encoding: ", coding, "\r\n\r\n")), 501) << coding;
}

TEST(RequestReader, RefusesAFirstLineThatIsNone) {
  for (const auto* line : {"GET /", "GET", "GET / HTTP/1.1 x", "GET  / HTTP/1.1", "G(T / HTTP/1.1", " GET / HTTP/1.1",
                           "GET / http/1.1", "GET /\x80 HTTP/1.1", "GET /a#b HTTP/1.1", "GET http://town/ HTTP/1.1",
                           "GET town HTTP/1.1", "GET * HTTP/1.1", "\x16\x03\x01", "GET /\t HTTP/1.1"})
    EXPECT_EQ(refusal(cat(line, "\r\nHost: town\r\n\r\n")), 400) << line;
  EXPECT_EQ(refusal("GET / HTTP/1.1\nHost: town\n\n"), 400);
  for (const auto* version : {"HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/1.10"})
    EXPECT_EQ(refusal(cat("GET / ", version, "\r\n\r\n")), 505) << version;
  EXPECT_EQ(refusal("OPTIONS * HTTP/1.1\r\nHost: town\r\n\r\n"), 200);
  EXPECT_EQ(refusal(cat("\r\n\r\n", kHead, "\r\n")), 200) << "empty lines in front";
  EXPECT_EQ(refusal(cat("\r\n\r\n\r\n", kHead, "\r\n")), 400);
}

TEST(RequestReader, RefusesChunksThatAreNone) {
  for (const auto* chunks : {"nonsense\r\n",
                             "-1\r\n",
                             "+1\r\nx\r\n",
                             "0x1\r\nx\r\n",
                             " 1\r\nx\r\n",
                             "\r\n",
                             "1\nx\r\n",
                             "5\r\nhelloXY\r\n",
                             "5\r\nhello\n",
                             "fffffffffffffffff\r\n",
                             "1;\x01\r\nx\r\n",
                             "1 \r\nx\r\n",
                             "1;\r\nx\r\n",
                             "1;a b\r\nx\r\n",
                             "1;a=\r\nx\r\n",
                             "1;a=\"\r\nx\r\n",
                             "1;a=\"\\\"\r\nx\r\n",
                             "1;=b\r\nx\r\n",
                             "1 x\r\nx\r\n",
                             "0\r\nTransfer-Encoding: chunked\r\n\r\n",
                             "0\r\ncontent-length: 1\r\n\r\n",
                             "0\r\nno trailer\r\n\r\n",
                             "0\r\n folded: x\r\n\r\n"})
    EXPECT_EQ(refusal(cat(kHead, "Transfer-Encoding: chunked\r\n\r\n", chunks)), 400) << chunks;
}

TEST(RequestReader, RefusesWhatIsTooLarge) {
  const std::string much(2000, 'x');
  EXPECT_EQ(refusal(cat("GET /", much)), 431);
  EXPECT_EQ(refusal(cat(kHead, "A: ", much)), 431);
  std::string many(kHead);
  for (int i = 0; i < 10; ++i) many += "A: b\r\n";
  EXPECT_EQ(refusal(cat(many, "\r\n")), 431);
  EXPECT_EQ(refusal(cat(kHead, "Content-Length: 101\r\n\r\n")), 413);
  EXPECT_EQ(refusal(cat(kHead, "Content-Length: 99999999999999999999\r\n\r\n")), 413);
  EXPECT_EQ(refusal(cat(kHead, "Transfer-Encoding: chunked\r\n\r\n65\r\n")), 413);
  EXPECT_EQ(refusal(cat(kHead, "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n64\r\n")), 413);
  EXPECT_EQ(refusal(cat(kHead, "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n")), 413);
  EXPECT_EQ(refusal(cat(kHead, "Transfer-Encoding: chunked\r\n\r\n1;", much)), 400);
  EXPECT_EQ(refusal(cat(kHead, "Transfer-Encoding: chunked\r\n\r\n0\r\nA: ", much)), 400);
}

TEST(RequestReader, KnowsWhoWantsToStay) {
  const auto stays = [](std::string_view version, std::string_view lines) {
    const auto reader = read(cat("GET / ", version, "\r\nHost: town\r\n", lines, "\r\n"));
    EXPECT_TRUE(reader.is_whole());
    return reader.keeps_connection();
  };
  EXPECT_TRUE(stays("HTTP/1.1", ""));
  EXPECT_TRUE(stays("HTTP/1.1", "Connection: upgrade\r\n"));
  EXPECT_FALSE(stays("HTTP/1.1", "Connection: CLOSE\r\n"));
  EXPECT_FALSE(stays("HTTP/1.1", "Connection: x, close\r\nConnection: keep-alive\r\n"));
  EXPECT_FALSE(stays("HTTP/1.0", ""));
  EXPECT_TRUE(stays("HTTP/1.0", "Connection: Keep-Alive\r\n"));
}

TEST(RequestReader, KnowsWhoWaitsToGoOn) {
  const auto reader = read(cat(kHead, "Expect: 100-Continue\r\nContent-Length: 5\r\n\r\n"));
  EXPECT_TRUE(reader.head_is_there());
  EXPECT_TRUE(reader.waits_to_go_on());
  EXPECT_FALSE(read(cat(kHead, "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nh")).waits_to_go_on());
  EXPECT_FALSE(read(cat(kHead, "Expect: 100-continue\r\n\r\n")).waits_to_go_on()) << "there is no body";
  EXPECT_EQ(refusal(cat(kHead, "Expect: wonders\r\n\r\n")), 417);
}

}  // namespace
}  // namespace townpost
