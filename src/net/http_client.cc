#include "net/http_client.h"

#include <algorithm>

#include "base/text.h"
#include "net/response_reader.h"

namespace townpost {

namespace {

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos;
}

}  // namespace

Result<std::string> http_request(const HttpCall& call, const Url& url) {
  if (!is_token(call.method)) return fail(Code::usage, "the method of a request is a word such as GET");
  std::string request =
      cat(call.method, " ", url.target, " HTTP/1.1\r\nHost: ", url.host_and_port(), "\r\nUser-Agent: townpost\r\n");
  if (const auto who = basic_authorization(url); !who.empty()) request += cat("Authorization: ", who, "\r\n");
  for (const auto& [name, value] : call.headers) {
    if (!is_token(name) || !is_one_line(value)) return fail(Code::usage, "a header is one line, and its name a word");
    request += cat(name, ": ", value, "\r\n");
  }
  if (!call.body.empty() || call.method == "POST") request += cat("Content-Length: ", call.body.size(), "\r\n");
  request += cat("\r\n", call.body);
  return request;
}

Result<HttpAnswer> HttpClient::exchange(const HttpCall& call) {
  TRY(url, Url::parse(call.url, Url::Schemes::http_and_https));
  TRY(request, http_request(call, url));
  const auto deadline = Deadline::in(call.timeout, call.stop);
  const bool again = kept_ && kept_->url().origin() == url.origin() && !kept_->is_stale();
  if (!again) TRY_VOID(reach(call, url, deadline));
  auto answer = ask(call, request, deadline);
  if (answer) return answer;
  kept_.reset();
  // A server may close a kept connection just when it is used again. A question may be asked twice; an order may not.
  if (!again || call.method != "GET" || answer.error().code != Code::refused) return answer;
  TRY_VOID(reach(call, url, deadline));
  answer = ask(call, request, deadline);
  if (!answer) kept_.reset();
  return answer;
}

Result<> HttpClient::reach(const HttpCall& call, const Url& url, const Deadline& deadline) {
  kept_.reset();
  TRY(connection, dialer_->dial(url, deadline.or_in(call.connect_timeout)));
  kept_ = std::move(connection);
  return {};
}

Result<HttpAnswer> HttpClient::ask(const HttpCall& call, const std::string& request, const Deadline& deadline) {
  TRY_VOID(kept_->send(request, deadline));
  ResponseReader reader(ResponseReader::Body::bounded);
  const auto named = [&](Error error) {
    error.message = cat(kept_->url().origin(), ": ", error.message);
    return fail(std::move(error));
  };
  std::string piece;
  while (!reader.is_whole() && !(call.until == HttpCall::Until::head && reader.head_is_there())) {
    piece.clear();
    TRY(open, kept_->receive(piece, deadline));
    auto read = open ? reader.feed(piece) : reader.end_of_input();
    if (!read) return named(std::move(read.error()));
  }
  HttpAnswer answer{reader.status(), reader.content_type(), reader.take_body()};
  if (!reader.keeps_connection()) kept_.reset();
  return answer;
}

}  // namespace townpost
