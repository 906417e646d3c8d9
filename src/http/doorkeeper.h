#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/http_exchange.h"
#include "ops/request.h"

namespace townpost::http {

/// Who a request comes from, and what it may be told.
struct Visitor {
  Origin origin;
  std::string token;                    ///< the public id of what it showed; empty for whoever needs none
  std::optional<Instant> expires_at;    ///< whatever it follows ends then
  std::function<void()> once_answered;  ///< what is noted of the visit; may be null
};

/// Why a request is not let in.
struct Turned {
  int status = 401;
  std::string why;
};

/// Looks at each request before anything is done for it: whether it was meant for this server, and who it is from. Any
/// thread may ask; it may wait for the store.
class Doorkeeper {
 public:
  virtual ~Doorkeeper() = default;
  virtual tl::expected<Visitor, Turned> admit(const HttpRequest& request) = 0;
};

}  // namespace townpost::http
