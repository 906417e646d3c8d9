#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "net/http_exchange.h"

namespace townpost {

/// How the end of an answer is told, and what follows it on the connection.
struct ResponseFrame {
  enum class Body { counted, chunked, until_close };
  enum class After { stay, close };
  enum class Sent { whole, head_only };  ///< the second answers HEAD
  Body body = Body::counted;
  After after = After::stay;
  Sent sent = Sent::whole;
  bool to_http_1_0 = false;
};

/// The answer as it is sent: its head, and its body if that is counted. Nothing in it can end a line or begin another
/// answer.
std::string response_text(const HttpResponse& response, const ResponseFrame& frame, std::string_view date);

/// One chunk of a body; nothing for no bytes, which would end it.
void append_chunk(std::string& to, std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// "Thu, 19 Nov 2026 18:20:03 GMT"
std::string http_date(std::int64_t seconds);

}  // namespace townpost
