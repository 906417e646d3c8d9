// reference_contended TOWN.DB MAILBOX ADDRESS SUBJECT BODY: the same send among many, as one usually lets SQLite wait:
// by its busy timeout alone. It is long enough that nobody gives up.
#include "bench/reference_message.h"

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  constexpr int kBusyMs = 120'000;
  sqlite3* db = reference::open_town(argv[1], kBusyMs);
  reference::commit_message(db, {argv[2], argv[3], argv[4], argv[5]});
  return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
