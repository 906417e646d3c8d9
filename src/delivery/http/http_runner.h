#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "net/url.h"
#include "post/values/address.h"

namespace townpost {

/// A service that runs agents and is spoken to over HTTP: the session "http:URL".
struct HttpRunner {
  Url url;           ///< where it is
  std::string base;  ///< the same as text, with user and password, without a slash at its end

  /// Of "http:https://runner.example/path", or of the URL alone. Error: usage, without a password.
  static Result<HttpRunner> parse(const std::string& uri);
  /// How it is stored: "http:URL".
  std::string uri() const;
  /// Where it takes what is meant for this agent.
  std::string message_url(const Address& agent) const;
  /// Whether the setting http.allow_targets ("HOST" or "HOST:PORT", in lower case) names it.
  bool is_named_in(const std::vector<std::string>& targets) const;
};

bool is_http_session(std::string_view uri);

}  // namespace townpost
