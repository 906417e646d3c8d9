#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

/// One session of an OpenCode server: opencode:http://HOST:PORT#SESSION. A server with a password is written
/// http://:PASSWORD@HOST:PORT or http://USER:PASSWORD@HOST:PORT.
struct OpencodeAddress {
  std::string server;   ///< "http://127.0.0.1:4096", with user and password if there are any; no final slash
  std::string session;  ///< "ses_…"

  /// Error: usage, without the password.
  static Result<OpencodeAddress> parse(std::string_view uri);

  /// The server without its password: fit for messages.
  std::string shown_server() const;
  /// Where something of this session is: url("/message") = http://…/session/ses_…/message
  std::string url(std::string_view path) const;
  /// The events of all sessions of the server, in all folders that it works in.
  std::string events_url() const { return server + "/global/event"; }

  friend bool operator==(const OpencodeAddress&, const OpencodeAddress&) = default;
};

/// A server's address as it is used here; the user of a bare password is "opencode". Error: usage.
Result<std::string> opencode_server(std::string_view url);

}  // namespace townpost
