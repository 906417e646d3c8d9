#include "ops/request.h"

namespace townpost {

Result<> Request::check(Instant now) const {
  if (is_cancelled()) return fail(Code::timeout, "the caller no longer waits for this");
  if (deadline && now >= *deadline) return fail(Code::timeout, "the time for this call is over", "allow it more time");
  return {};
}

}  // namespace townpost
