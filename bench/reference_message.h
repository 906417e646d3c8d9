#pragma once
#include <sqlite3.h>
#include <sys/random.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

/// What a `gt mail send` must do at the very least, by hand: the rows of one message from the human to one agent, in
/// one durable commit. No settings, no addresses, no rules, no bell, no queue of writers.
namespace reference {

struct Letter {
  const char* mailbox;  ///< the recipient's key
  const char* address;
  const char* subject;
  const char* body;
};

inline void must(int code, sqlite3* db) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  std::fprintf(stderr, "reference: %s\n", sqlite3_errmsg(db));
  std::exit(1);
}

inline sqlite3* open_town(const char* file, int busy_ms) {
  sqlite3* db = nullptr;
  const int opened = sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  must(opened, db);
  sqlite3_busy_timeout(db, busy_ms);
  must(sqlite3_exec(db, "PRAGMA synchronous = FULL", nullptr, nullptr, nullptr), db);
  return db;
}

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) : db_(db) { must(sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr), db); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int at, std::int64_t number) { sqlite3_bind_int64(statement_, at, number); }
  void bind(int at, const char* text) { sqlite3_bind_text(statement_, at, text, -1, SQLITE_STATIC); }
  void step() { must(sqlite3_step(statement_), db_); }
  std::int64_t integer() { return sqlite3_column_int64(statement_, 0); }

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
};

inline void commit_message(sqlite3* db, const Letter& letter) {
  std::array<std::uint64_t, 2> chance{};
  if (getrandom(chance.data(), sizeof chance, 0) != sizeof chance) std::exit(1);
  std::array<char, 32> thread{};
  std::snprintf(thread.data(), thread.size(), "thread-%012llx",
                static_cast<unsigned long long>(chance[1] & 0xffff'ffff'ffffU));
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t now_ms = now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
  const std::string detail = std::string("for ") + letter.address;

  must(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), db);
  std::int64_t id = 0;
  {
    Statement newest(db, "SELECT id FROM message ORDER BY id DESC LIMIT 1");
    newest.step();
    id = ((newest.integer() >> 20) + 1) << 20 | static_cast<std::int64_t>(chance[0] & 0xfffff);
  }
  {
    Statement message(db,
                      "INSERT INTO message (id, created_at, sender, grade, priority, type, ack_required, wisp, hops, "
                      "thread, sent_from, sent_to, sent_cc, subject, body) "
                      "VALUES (?, ?, 1, 2, 2, 0, 0, 0, 0, ?, 'overseer', ?, '', ?, ?)");
    message.bind(1, id);
    message.bind(2, now_ms);
    message.bind(3, thread.data());
    message.bind(4, letter.address);
    message.bind(5, letter.subject);
    message.bind(6, letter.body);
    message.step();
  }
  {
    Statement delivery(db,
                       "INSERT INTO delivery (message, mailbox, place, is_copy, priority, pinned, held_by) "
                       "VALUES (?, ?, 0, 0, 2, 0, '')");
    delivery.bind(1, id);
    delivery.bind(2, std::int64_t{std::atoll(letter.mailbox)});
    delivery.step();
  }
  {
    Statement event(db,
                    "INSERT INTO event (seq, at, kind, message, detail) "
                    "VALUES ((SELECT COALESCE(MAX(seq), 0) + 1 FROM event), ?, 'stored', ?, ?)");
    event.bind(1, now_ms);
    event.bind(2, id);
    event.bind(3, detail.c_str());
    event.step();
  }
  must(sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr), db);
}

}  // namespace reference
