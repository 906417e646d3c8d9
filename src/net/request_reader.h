#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "net/http_exchange.h"

namespace townpost {

/// One request of HTTP/1.0 or 1.1, read piece by piece as it arrives. Strict where two readers could understand it
/// differently, so that nobody can hide one request in another: no folded lines, no bare line feed, one length or
/// chunks, never both (docs/decisions/0022). Trailers are checked and dropped. Memory is bounded by the limits.
class RequestReader {
 public:
  struct Limits {
    std::size_t head = 16u << 10;  ///< of all lines up to the empty one, and of all trailers
    std::size_t fields = 100;
    std::size_t body = 8u << 20;
  };
  struct Refusal {
    int status;
    std::string_view why;
  };
  explicit RequestReader(const Limits& limits) : limits_(limits), room_(limits.head) {}

  /// How many of the bytes belong to this request: all, unless it is whole or refused by then.
  std::size_t feed(std::string_view bytes);

  bool has_begun() const { return begun_; }
  bool head_is_there() const { return stage_ > Stage::fields; }
  bool is_whole() const { return stage_ == Stage::whole; }
  bool is_refused() const { return stage_ == Stage::refused; }
  const Refusal& refusal() const { return refusal_; }

  // Once the head is there.
  /// Whether the client waits for "100 Continue" before it sends the body.
  bool waits_to_go_on() const { return expects_continue_ && !is_whole() && !is_refused() && request_.body.empty(); }
  /// Whether the client means to ask again on the same connection.
  bool keeps_connection() const { return keeps_; }
  bool is_http_1_0() const { return minor_ == 0; }
  HttpRequest& request() { return request_; }
  const HttpRequest& request() const { return request_; }

 private:
  enum class Stage { first_line, fields, counted, chunk_size, chunk, chunk_end, trailers, whole, refused };

  bool takes_lines() const { return stage_ != Stage::counted && stage_ != Stage::chunk; }
  void feed_line(std::string_view& bytes);
  void feed_body(std::string_view& bytes);
  void line(std::string_view text);
  void first_line(std::string_view text);
  void target(std::string_view text);
  void field(std::string_view text);
  void head_ended();
  void connection_and_expect();
  void chunk_size(std::string_view text);
  void refuse(int status, std::string_view why);

  Limits limits_;
  Stage stage_ = Stage::first_line;
  bool begun_ = false;
  bool keeps_ = false;
  bool expects_continue_ = false;
  int minor_ = 1;
  int blank_lines_ = 0;
  std::size_t room_;      ///< how many bytes the lines that are being read may still have
  std::string unended_;   ///< a line that has begun
  std::size_t left_ = 0;  ///< of the body, or of the chunk
  Refusal refusal_{};
  HttpRequest request_;
};

/// Whether it is a word as methods and names of headers are (RFC 9110, "token").
bool is_http_token(std::string_view text);

}  // namespace townpost
