#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

/// Where a server is and what is asked of it: an address, taken apart. What stands before the @ is kept apart, so that
/// no message can show it.
struct Url {
  enum class Scheme { http, https };
  enum class Schemes { http, http_and_https };  ///< which are understood

  Scheme scheme = Scheme::http;
  std::string host;  ///< a name or a number; of [::1] only ::1
  std::uint16_t port = 80;
  std::string target = "/";  ///< path and query, as they are sent
  std::string user;          ///< percent escapes resolved
  std::string password;

  /// Error: usage, without the password.
  static Result<Url> parse(std::string_view text, Schemes known = Schemes::http);
  /// "http://127.0.0.1:4096": fit for messages.
  std::string origin() const;
  /// "127.0.0.1:4096", "[::1]:80"
  std::string host_and_port() const;
  /// Whether the server is on this machine.
  bool is_loopback() const;

  friend bool operator==(const Url&, const Url&) = default;
};

/// Whether this is a number of the machine itself (127.0.0.1, ::1, …). A name is none, whatever it begins with: who
/// owns a name says where it leads.
bool is_loopback_number(std::string_view text);

/// The value of an Authorization header: "Basic …"; empty if the url names nobody.
std::string basic_authorization(const Url& url);

/// Everything but letters, digits and -._~ as %XX: one piece of a path or a query.
std::string percent_escaped(std::string_view text);

/// %XX as the byte it stands for; anything else unchanged.
std::string percent_unescaped(std::string_view text);

}  // namespace townpost
