#include "net/json_rpc.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::size_t kLongestHeader = 1024;
constexpr std::size_t kMostHeaders = 16;

Failure unframed(std::string_view why) { return fail(Code::refused, cat("not a message of JSON-RPC: ", why)); }

bool is_header_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

}  // namespace

std::string rpc_frame(RpcFraming framing, const Json& message) {
  const auto text = to_line(message);
  if (framing == RpcFraming::lines) return cat(text, "\n");
  return cat("Content-Length: ", text.size(), "\r\n\r\n", text);
}

Result<std::vector<std::string>> RpcReader::feed(std::string_view bytes) {
  if (broken_) return fail(*broken_);
  std::vector<std::string> out;
  while (!bytes.empty()) {
    if (body_left_ > 0) {
      take_body(bytes, out);
      continue;
    }
    const bool lines = framing_ == RpcFraming::lines;
    auto line = take_line(bytes, lines ? longest_ : kLongestHeader);
    const bool cut = line ? std::exchange(cut_, false) : cut_;
    Result<> read;
    if (lines && line && cut) {
      ++dropped_;
    } else if (lines && line) {
      if (!trim(*line).empty()) out.push_back(std::move(*line));
    } else if (!lines && cut) {
      read = unframed("a line of its head is too long");
    } else if (!lines && line) {
      read = line->empty() ? head_ended(out) : header(*line);
    }
    if (!read) {
      broken_ = read.error();
      break;
    }
  }
  if (broken_ && out.empty()) return fail(*broken_);
  return out;
}

std::optional<std::string> RpcReader::take_line(std::string_view& bytes, std::size_t longest) {
  const auto end = bytes.find('\n');
  const auto piece = bytes.substr(0, end);
  const auto room = longest + 1 - line_.size();  // one more for the CR
  cut_ = cut_ || piece.size() > room;
  line_.append(piece.substr(0, room));
  bytes.remove_prefix(std::min(piece.size() + 1, bytes.size()));
  if (end == std::string_view::npos) return std::nullopt;
  auto line = std::exchange(line_, {});
  if (!line.empty() && line.back() == '\r') line.pop_back();
  cut_ = cut_ || line.size() > longest;
  return line;
}

void RpcReader::take_body(std::string_view& bytes, std::vector<std::string>& out) {
  const auto piece = bytes.substr(0, body_left_);
  if (!passing_over_) body_.append(piece);
  body_left_ -= piece.size();
  bytes.remove_prefix(piece.size());
  if (body_left_ > 0) return;
  if (passing_over_)
    ++dropped_;
  else
    out.push_back(std::move(body_));
  body_.clear();
}

Result<> RpcReader::header(std::string_view line) {
  if (++headers_ > kMostHeaders) return unframed("its head has too many lines");
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_header_name(line.substr(0, colon)))
    return unframed("a line of its head is not a header");
  if (lower_ascii(line.substr(0, colon)) != "content-length") return {};
  const auto length = whole_number<std::size_t>(trim(line.substr(colon + 1)));
  if (!length) return unframed("its length is not a number");
  if (length_ && length_ != length) return unframed("it has two lengths");
  length_ = length;
  return {};
}

Result<> RpcReader::head_ended(std::vector<std::string>& out) {
  if (!length_) return unframed("its head names no length");
  headers_ = 0;
  body_left_ = *std::exchange(length_, std::nullopt);
  passing_over_ = body_left_ > longest_;
  if (body_left_ == 0) out.emplace_back();
  return {};
}

}  // namespace townpost
