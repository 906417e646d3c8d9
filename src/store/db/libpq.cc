#include "store/db/libpq.h"

#include <dlfcn.h>

#include "base/text.h"

namespace townpost {

Result<Libpq> Libpq::load(const char* library) {
  constexpr const char* kHint = "install it (on Debian: apt-get install libpq5), or keep the town in SQLite";
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);  // never closed: it has handlers at exit
  if (!handle)
    return fail(Code::unavailable, cat("this town is on PostgreSQL, but its client library ", library, " is not there"),
                kHint);
  Libpq table;
  const char* missing = nullptr;
#define TOWNPOST_FIND(name)                                                    \
  table.name = reinterpret_cast<decltype(table.name)>(::dlsym(handle, #name)); \
  if (!table.name) missing = #name;
  TOWNPOST_LIBPQ_FUNCTIONS(TOWNPOST_FIND)
#undef TOWNPOST_FIND
  if (missing)
    return fail(Code::unavailable, cat("the PostgreSQL client library ", library, " is too old: it has no ", missing),
                "install that of PostgreSQL 14 or newer, or keep the town in SQLite");
  return table;
}

}  // namespace townpost
