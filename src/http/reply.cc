#include "http/reply.h"

#include "base/advice.h"
#include "base/text.h"
#include "http/json_names.h"

namespace townpost::http {

namespace {

HttpResponse response(int status, JsonObject body, Instant now) {
  body["timestamp"] = rfc3339(now);
  HttpResponse out{.status = status, .headers = {{"content-type", "application/json"}, {"cache-control", "no-store"}}};
  out.body = to_line(body);
  return out;
}

JsonObject with_error(int status, std::string_view message, JsonObject details) {
  JsonObject error;
  const auto word = code_word(status);
  error["code"] = std::string(word);
  error["message"] = std::string(message);
  if (!details.empty()) error["details"] = std::move(details);
  JsonObject out;
  out["success"] = false;
  out["error"] = std::move(error);
  return out;
}

}  // namespace

int status_of(Code code) {
  switch (code) {
    case Code::usage:
      return 400;
    case Code::forbidden:
      return 403;
    case Code::not_found:
      return 404;
    case Code::refused:
    case Code::key_conflict:
      return 409;
    case Code::limited:
      return 429;
    case Code::no_town:
    case Code::unavailable:
    case Code::timeout:
      return 503;
    case Code::partial:
      return 207;
  }
  return 500;
}

std::string_view code_word(int status) {
  switch (status) {
    case 400:
      return "VALIDATION_ERROR";
    case 401:
      return "UNAUTHORIZED";
    case 403:
      return "FORBIDDEN";
    case 404:
      return "NOT_FOUND";
    case 405:
      return "METHOD_NOT_ALLOWED";
    case 408:
      return "TIMEOUT";
    case 409:
      return "CONFLICT";
    case 413:
      return "PAYLOAD_TOO_LARGE";
    case 415:
      return "UNSUPPORTED_MEDIA_TYPE";
    case 429:
      return "RATE_LIMITED";
    case 431:
      return "HEADERS_TOO_LARGE";
    case 503:
      return "UNAVAILABLE";
    default:
      return "INTERNAL_ERROR";
  }
}

HttpResponse success(Json data, Instant now, int status) {
  JsonObject out;
  out["success"] = true;
  out["data"] = std::move(data);
  return response(status, std::move(out), now);
}

namespace {

/// What is `as` elsewhere is a header here.
std::string hint_of(const Error& error) {
  const bool only_names_agent = error.next && error.next->op.empty() && error.next->args.size() == 1;
  if (!only_names_agent || error.next->args.front().first != "as") return advice(error);
  return cat(error.hint, "the header Townpost-As: ", error.next->args.front().second, error.next->after);
}

}  // namespace

HttpResponse failure(const Error& error, Instant now, std::string_view argument) {
  const int status = status_of(error.code);
  std::string message = error.message;
  if (const auto at = message.find(error.argument); !argument.empty() && at != std::string::npos)
    message.replace(at, error.argument.size(), argument);
  JsonObject details;
  if (!argument.empty()) details["argument"] = std::string(argument);
  if (!error.hint.empty() || error.next) details["hint"] = hint_of(error);
  if (error.retry_after_s) details["retryAfter"] = *error.retry_after_s;
  auto out = response(status, with_error(status, message, std::move(details)), now);
  if (error.retry_after_s) out.headers.emplace_back("retry-after", std::to_string(*error.retry_after_s));
  return out;
}

HttpResponse refusal(int status, std::string_view message, Instant now) {
  return response(status, with_error(status, message, {}), now);
}

}  // namespace townpost::http
