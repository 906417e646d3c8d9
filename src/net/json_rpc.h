#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace townpost {

/// How messages of JSON-RPC follow each other on a stream of bytes.
enum class RpcFraming {
  lines,   ///< one message a line, as MCP does over standard input and output
  length,  ///< "Content-Length: N", an empty line and N bytes, as language servers do
};

/// One message as it is sent.
std::string rpc_frame(RpcFraming framing, const Json& message);

/// Takes the messages off the bytes of the other side, however they are cut. What a message says is not looked at. One
/// over `longest` is passed over and counted; memory is bounded by `longest`.
class RpcReader {
 public:
  static constexpr std::size_t kLongest = 8u << 20;
  explicit RpcReader(RpcFraming framing, std::size_t longest = kLongest) : framing_(framing), longest_(longest) {}

  /// The messages that these bytes complete. Error: refused, if it cannot be told where the next one begins; there is
  /// no way on then.
  Result<std::vector<std::string>> feed(std::string_view bytes);
  std::size_t dropped() const { return dropped_; }
  /// Whether a message has begun and is not complete: then the end of the stream cuts it off.
  bool is_inside() const { return !line_.empty() || cut_ || body_left_ > 0 || length_; }

 private:
  /// Takes a line off `bytes`, if its end is there.
  std::optional<std::string> take_line(std::string_view& bytes, std::size_t longest);
  void take_body(std::string_view& bytes, std::vector<std::string>& out);
  Result<> header(std::string_view line);
  Result<> head_ended(std::vector<std::string>& out);

  RpcFraming framing_;
  std::size_t longest_;
  std::string line_;
  bool cut_ = false;  ///< the line was longer than allowed: its rest is passed over
  std::string body_;
  std::size_t body_left_ = 0;
  bool passing_over_ = false;          ///< the body is too long
  std::optional<std::size_t> length_;  ///< what the head that is being read has said
  std::size_t headers_ = 0;
  std::size_t dropped_ = 0;
  std::optional<Error> broken_;
};

}  // namespace townpost
