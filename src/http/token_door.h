#pragma once
#include <chrono>
#include <map>
#include <string>

#include "base/mutex.h"
#include "http/doorkeeper.h"
#include "ops/host.h"
#include "post/values/token.h"

namespace townpost::http {

/// Lets in whoever shows a token of the town, or the cookie of a page that a person opened. A request must be meant for
/// this server, by one of its names: a page of another site whose name was bent to our address gets nothing.
class TokenDoor final : public Doorkeeper {
 public:
  struct Parts {
    Host& host;
    std::string town;     ///< the `.town` folder
    std::string address;  ///< that is listened to, without the port
    /// Of every caller: what the server was started with, as far as it says which towns its user trusts, and no more. A
    /// caller over the network brings no variables.
    const Environment& around;
  };
  explicit TokenDoor(Parts parts) : parts_(std::move(parts)) {}
  tl::expected<Visitor, Turned> admit(const HttpRequest& request) override;

  /// The name of the cookie that a page has.
  static constexpr const char* kCookie = "townpost_page";

 private:
  /// How much of its share a token has left.
  struct Share {
    double left = 0;
    std::chrono::steady_clock::time_point at;
  };
  tl::expected<TokenHolder, Turned> holder_of(const HttpRequest& request, OpenTown& town) const;
  bool has_share_left(const std::string& token, int per_minute);

  const Parts parts_;
  Mutex mutex_;
  std::map<std::string, Share> shares_ GUARDED_BY(mutex_);
};

}  // namespace townpost::http
