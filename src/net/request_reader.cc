#include "net/request_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace townpost {

namespace {

constexpr std::size_t kLongestChunkLine = 1024;
constexpr int kMostBlankLines = 2;

bool is_field_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; });
}

/// A number and nothing else: no sign, no space, no list.
bool read_number(std::string_view text, int base, std::size_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

void skip_space(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); }

/// Takes a word off it, or a text in quotes, to which its end belongs. False if there is none.
bool skip_value(std::string_view& text) {
  std::size_t end = 0;
  if (!text.empty() && text[0] == '"') {
    for (end = 1; end < text.size() && text[end] != '"'; ++end)
      if (text[end] == '\\') ++end;
    if (end >= text.size()) return false;
    ++end;
  } else {
    while (end < text.size() && is_http_token(text.substr(end, 1))) ++end;
  }
  text.remove_prefix(end);
  return end > 0;
}

/// What may stand behind the size of a chunk: `;name` or `;name=value`, as often as one likes.
bool is_chunk_extension(std::string_view text) {
  while (!text.empty()) {
    skip_space(text);
    if (text.empty() || text[0] != ';') return false;
    text.remove_prefix(1);
    skip_space(text);
    if (text.empty() || text[0] == '"' || !skip_value(text)) return false;
    auto rest = text;
    skip_space(rest);
    if (rest.empty() || rest[0] != '=') continue;
    rest.remove_prefix(1);
    skip_space(rest);
    if (!skip_value(rest)) return false;
    text = rest;
  }
  return true;
}

bool says_how_to_read(std::string_view name) {
  return name == "content-length" || name == "transfer-encoding" || name == "host" || name == "connection" ||
         name == "proxy-connection" || name == "expect" || name == "upgrade";
}

}  // namespace

bool is_http_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

std::size_t RequestReader::feed(std::string_view bytes) {
  const auto all = bytes.size();
  while (!bytes.empty() && !is_whole() && !is_refused()) {
    begun_ = true;
    if (takes_lines())
      feed_line(bytes);
    else
      feed_body(bytes);
  }
  return all - bytes.size();
}

void RequestReader::feed_line(std::string_view& bytes) {
  const auto end = bytes.find('\n');
  const auto piece = bytes.substr(0, end == std::string_view::npos ? end : end + 1);
  if (piece.size() > room_) {
    if (stage_ == Stage::first_line || stage_ == Stage::fields)
      return refuse(431, "the head of the request is too large");
    return refuse(400, "what stands around the chunks is too long");
  }
  room_ -= piece.size();
  bytes.remove_prefix(piece.size());
  unended_.append(piece);
  if (end == std::string_view::npos) return;
  const auto whole = std::exchange(unended_, {});
  if (whole.size() < 2 || whole[whole.size() - 2] != '\r') return refuse(400, "a line does not end with CR LF");
  line(std::string_view(whole).substr(0, whole.size() - 2));
}

void RequestReader::feed_body(std::string_view& bytes) {
  const auto piece = bytes.substr(0, left_);
  request_.body.append(piece);
  bytes.remove_prefix(piece.size());
  left_ -= piece.size();
  if (left_ > 0) return;
  room_ = 2;
  stage_ = stage_ == Stage::counted ? Stage::whole : Stage::chunk_end;
}

void RequestReader::line(std::string_view text) {
  switch (stage_) {
    case Stage::first_line:
      // Some clients send an empty line behind a body.
      if (text.empty() && ++blank_lines_ <= kMostBlankLines) {
        begun_ = false;
        return;
      }
      return first_line(text);
    case Stage::fields:
      return text.empty() ? head_ended() : field(text);
    case Stage::chunk_size:
      return chunk_size(text);
    case Stage::chunk_end:
      if (!text.empty()) return refuse(400, "a chunk is longer than it says");
      room_ = kLongestChunkLine;
      stage_ = Stage::chunk_size;
      return;
    case Stage::trailers:
      return text.empty() ? void(stage_ = Stage::whole) : field(text);
    case Stage::counted:
    case Stage::chunk:
    case Stage::whole:
    case Stage::refused:
      return;
  }
}

void RequestReader::first_line(std::string_view text) {
  const auto words = split(text, ' ');
  if (words.size() != 3 || !is_http_token(words[0])) return refuse(400, "the first line is not that of a request");
  if (words[2] == "HTTP/1.0")
    minor_ = 0;
  else if (words[2].substr(0, 5) == "HTTP/" && words[2] != "HTTP/1.1")
    return refuse(505, "only HTTP/1.1 is spoken here");
  else if (words[2] != "HTTP/1.1")
    return refuse(400, "the first line is not that of a request");
  request_.method = words[0];
  stage_ = Stage::fields;
  target(words[1]);
}

void RequestReader::target(std::string_view text) {
  const bool visible = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
  const bool of_all = text == "*" && request_.method == "OPTIONS";
  if (!visible || text.empty() || (text[0] != '/' && !of_all)) return refuse(400, "the target of a request is a path");
  const auto end = text.find('?');
  request_.path = text.substr(0, end);
  if (end != std::string_view::npos) request_.query = text.substr(end + 1);
}

void RequestReader::field(std::string_view text) {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  // Space before the colon, or a line that continues another, is no name: it is refused here.
  if (colon == std::string_view::npos || !is_http_token(name)) return refuse(400, "a line of the head is not a header");
  const auto value = text.substr(colon + 1);
  if (!is_field_text(value)) return refuse(400, "a header has control characters");
  if (stage_ == Stage::trailers) {
    if (says_how_to_read(lower_ascii(name))) refuse(400, "a trailer says how the request should have been read");
    return;
  }
  if (request_.headers.size() == limits_.fields) return refuse(431, "the request has too many headers");
  request_.headers.emplace_back(lower_ascii(name), trim(value));
}

void RequestReader::head_ended() {
  const auto hosts = request_.count("host");
  if (hosts > 1 || (hosts == 0 && minor_ == 1)) return refuse(400, "a request names one Host");
  connection_and_expect();
  if (is_refused()) return;
  const auto lengths = request_.count("content-length");
  const auto encodings = request_.count("transfer-encoding");
  if (lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0))
    return refuse(400, "the length of the body is said more than once");
  if (encodings > 0) {
    if (minor_ == 0) return refuse(400, "HTTP/1.0 has no chunks");
    if (lower_ascii(request_.header("transfer-encoding")) != "chunked")
      return refuse(501, "a body comes in chunks or with its length");
    room_ = kLongestChunkLine;
    stage_ = Stage::chunk_size;
    return;
  }
  if (lengths == 0) {
    stage_ = Stage::whole;
    return;
  }
  const auto said = request_.header("content-length");
  if (said.empty() || said.find_first_not_of("0123456789") != std::string_view::npos)
    return refuse(400, "the length of the body is not a number");
  if (!read_number(said, 10, left_) || left_ > limits_.body) return refuse(413, "the body is too large");
  stage_ = left_ > 0 ? Stage::counted : Stage::whole;
}

void RequestReader::connection_and_expect() {
  bool asks_to_stay = minor_ == 1;
  bool asks_to_close = false;
  for (const auto& [name, value] : request_.headers) {
    if (name == "connection" || name == "proxy-connection")
      for (const auto word : split(std::string_view(value), ',')) {
        const auto wish = lower_ascii(trim(word));
        if (!wish.empty() && !is_http_token(wish)) return refuse(400, "Connection is a list of words");
        if (name != "connection") continue;
        asks_to_stay = asks_to_stay || wish == "keep-alive";
        asks_to_close = asks_to_close || wish == "close";
      }
    // What HTTP/1.0 expects is passed over: it cannot be told to go on.
    if (name != "expect" || minor_ == 0) continue;
    if (lower_ascii(value) != "100-continue") return refuse(417, "nothing but 100-continue can be expected here");
    expects_continue_ = true;
  }
  keeps_ = asks_to_stay && !asks_to_close;
}

void RequestReader::chunk_size(std::string_view text) {
  const auto digits = text.substr(0, text.find_first_of(" \t;"));
  std::size_t size = 0;
  if (!is_field_text(text) || !read_number(digits, 16, size)) return refuse(400, "the size of a chunk is not a number");
  if (!is_chunk_extension(text.substr(digits.size()))) return refuse(400, "the extension of a chunk cannot be read");
  if (size > limits_.body || request_.body.size() + size > limits_.body) return refuse(413, "the body is too large");
  left_ = size;
  room_ = limits_.head;
  stage_ = size > 0 ? Stage::chunk : Stage::trailers;
}

void RequestReader::refuse(int status, std::string_view why) {
  refusal_ = {status, why};
  stage_ = Stage::refused;
}

}  // namespace townpost
