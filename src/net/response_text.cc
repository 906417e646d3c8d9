#include "net/response_text.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "base/text.h"
#include "net/request_reader.h"

namespace townpost {

namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return status < 300 ? "Success" : status < 400 ? "Redirection" : status < 500 ? "Client Error" : "Server Error";
  }
}

bool is_ours_to_say(std::string_view lower_name) {
  return lower_name == "content-length" || lower_name == "transfer-encoding" || lower_name == "connection" ||
         lower_name == "date" || lower_name == "keep-alive" || lower_name == "trailer" || lower_name == "upgrade";
}

void append_header(std::string& to, std::string_view name, std::string_view value) {
  to.append(name).append(": ");
  for (const char c : value) to.push_back((c >= 0 && c < ' ') || c == 0x7f ? ' ' : c);
  to.append("\r\n");
}

}  // namespace

std::string response_text(const HttpResponse& response, const ResponseFrame& frame, std::string_view date) {
  using Body = ResponseFrame::Body;
  const bool is_final = response.status >= 200 && response.status <= 599;
  const int status = is_final ? response.status : 500;
  const bool has_body = status != 204 && status != 304;
  std::string text;
  text.reserve(256 + (frame.body == Body::counted ? response.body.size() : 0));
  text += cat("HTTP/1.1 ", status, " ", reason(status), "\r\n");
  append_header(text, "Date", date);
  for (const auto& [name, value] : response.headers)
    if (is_http_token(name) && !is_ours_to_say(lower_ascii(name))) append_header(text, name, value);
  if (has_body && frame.body == Body::counted) append_header(text, "Content-Length", cat(response.body.size()));
  if (has_body && frame.body == Body::chunked) append_header(text, "Transfer-Encoding", "chunked");
  if (frame.after == ResponseFrame::After::close)
    append_header(text, "Connection", "close");
  else if (frame.to_http_1_0)
    append_header(text, "Connection", "keep-alive");
  text += "\r\n";
  if (has_body && frame.body == Body::counted && frame.sent == ResponseFrame::Sent::whole) text += response.body;
  return text;
}

void append_chunk(std::string& to, std::string_view bytes) {
  if (bytes.empty()) return;
  std::array<char, 20> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  to.append(size.data()).append(bytes).append("\r\n");
}

std::string http_date(std::int64_t seconds) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t at = seconds;
  std::tm parts{};
  gmtime_r(&at, &parts);
  std::array<char, 64> text{};
  // strftime would ask the locale for the names.
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900, parts.tm_hour, parts.tm_min,
                parts.tm_sec);
  return text.data();
}

}  // namespace townpost
