// reference_send TOWN.DB MAILBOX ADDRESS SUBJECT BODY: opens the store, commits one message durably, closes the store.
#include "bench/reference_message.h"

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  constexpr int kNobodyElseWrites = 0;
  sqlite3* db = reference::open_town(argv[1], kNobodyElseWrites);
  reference::commit_message(db, {argv[2], argv[3], argv[4], argv[5]});
  return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
