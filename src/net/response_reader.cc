#include "net/response_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "base/text.h"

namespace townpost {

namespace http = boost::beast::http;

struct ResponseReader::Parser {
  explicit Parser(Body wanted) : body(wanted) { start(); }

  void start() {
    at.emplace();
    at->eager(true);
    at->header_limit(kLongestHead);
    if (body == Body::endless)
      at->body_limit(boost::none);
    else
      at->body_limit(kLongestBody);
  }
  bool is_interim() const { return at->is_done() && at->get().result_int() < 200; }

  static constexpr std::uint32_t kLongestHead = 64u << 10;
  static constexpr int kMostInterim = 16;

  Body body;
  std::optional<http::response_parser<http::string_body>> at;
  std::string unread;  ///< not yet understood: less than a line of the head, or of the frame of a chunk
  int interim = 0;
};

namespace {

Failure unreadable(const boost::system::error_code& error) {
  if (error == http::error::body_limit)
    return fail(Code::refused, cat("the answer is over ", ResponseReader::kLongestBody >> 20, " MiB"));
  if (error == http::error::end_of_stream) return fail(Code::refused, "the connection was closed without an answer");
  if (error == http::error::partial_message)
    return fail(Code::refused, "the connection was closed in the middle of the answer");
  return fail(Code::refused, cat("not an answer of HTTP/1.1: ", error.message()));
}

}  // namespace

ResponseReader::ResponseReader(Body body) : parser_(std::make_unique<Parser>(body)) {}
ResponseReader::~ResponseReader() = default;
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;
ResponseReader& ResponseReader::operator=(ResponseReader&&) noexcept = default;

Result<> ResponseReader::feed(std::string_view bytes) {
  auto& [body, at, unread, interim] = *parser_;
  unread.append(bytes);
  while (!unread.empty() && !at->is_done()) {
    boost::system::error_code error;
    const auto used = at->put(boost::asio::buffer(unread), error);
    unread.erase(0, used);
    if (error && error != http::error::need_more) return unreadable(error);
    if (parser_->is_interim()) {
      if (++interim > Parser::kMostInterim) return fail(Code::refused, "one interim answer after the other");
      parser_->start();
    } else if (error || used == 0) {
      break;
    }
  }
  // The parser bounds the head, but not what may stand around chunks.
  if (unread.size() > Parser::kLongestHead && !at->is_done())
    return fail(Code::refused, "not an answer of HTTP/1.1: a line is too long");
  return {};
}

Result<> ResponseReader::end_of_input() {
  if (is_whole()) return {};
  boost::system::error_code error;
  if (parser_->at->got_some())
    parser_->at->put_eof(error);
  else
    error = http::error::end_of_stream;
  if (error) return unreadable(error);
  return {};
}

bool ResponseReader::head_is_there() const { return parser_->at->is_header_done(); }
bool ResponseReader::is_whole() const { return parser_->at->is_done(); }
bool ResponseReader::keeps_connection() const {
  return is_whole() && parser_->unread.empty() && parser_->at->keep_alive();
}
int ResponseReader::status() const { return static_cast<int>(parser_->at->get().result_int()); }

std::string ResponseReader::content_type() const {
  const auto field = parser_->at->get()[http::field::content_type];
  const std::string_view text(field.data(), field.size());
  return lower_ascii(trim(text.substr(0, text.find(';'))));
}

std::string ResponseReader::take_body() { return std::exchange(parser_->at->get().body(), {}); }

}  // namespace townpost
