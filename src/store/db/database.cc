#include "store/db/database.h"

#include <set>

#include "base/mutex.h"

namespace townpost {

Sql Sql::kept(const std::string& text) {
  struct Texts {
    Mutex mutex;
    std::set<std::string, std::less<>> all GUARDED_BY(mutex);  // its strings stay where they are
  };
  static Texts texts;
  const MutexLock lock(texts.mutex);
  return Sql(std::string_view(*texts.all.insert(text).first));
}

bool only_reads(Sql sql) { return trim(sql.text()).starts_with("SELECT"); }

std::string Row::string(int column) const {
  std::string out(text(column));
  if (is_utf8(out) && out.find('\0') == std::string::npos) return out;
  note_damage("a text is not UTF-8");
  return {};
}

std::int64_t Row::within(int column, std::int64_t least, std::int64_t most) const {
  const auto number = integer(column);
  if (number >= least && number <= most) return number;
  note_damage(cat("the number ", number, " means nothing where it stands"));
  return least > 0 || most < 0 ? least : 0;
}

Result<> Row::sound() const {
  if (!damage_) return {};
  return fail(Code::unavailable, cat("the store is damaged: ", *damage_),
              "restore it from a backup; " + next("store.check", {}, " shows where"));
}

}  // namespace townpost
