#pragma once

namespace townpost {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

/// Aborts on a bug of ours; never used on input.
#define CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::townpost::check_failed(#condition, __FILE__, __LINE__))

}  // namespace townpost
