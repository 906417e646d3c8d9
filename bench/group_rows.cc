#include <sqlite3.h>

#include <array>
#include <chrono>

#include "base/text.h"
#include "bench/times.h"
#include "bench/workshop.h"
#include "post/lists/groups.h"
#include "post/mail/post_office.h"
#include "store/db/sqlite.h"
#include "store/file_bell.h"
#include "store/sql_store.h"

namespace townpost::bench {

namespace {

constexpr std::int64_t kMessages = 10'000;
constexpr int kMembers = 1000;
constexpr int kWarmUp = 3;
constexpr int kRounds = 30;

template <class T>
T must(Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}
void must(const Result<>& result) {
  if (!result) give_up(result.error().message);
}

class NoMachine final : public Machine {};

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// A thousand workers, each with a terminal that it was registered with, in one group.
void add_members(Town& town) {
  std::vector<std::string> members;
  must(town.store.write([&](Ledger& ledger) -> Result<> {
    members.clear();
    for (int i = 0; i < kMembers; ++i) {
      members.push_back(cat("mill/polecats/member", i));
      TRY(address, Address::parse(members.back()));
      TRY_VOID(ledger.add_agent({.address = address, .session = cat("tmux:%", i), .created_at = town.clock.now()}));
    }
    return {};
  }));
  must(Groups(town).create("everybody", members, {}));
}

/// The store as somebody sees it who has nothing but SQLite.
class ByHand {
 public:
  explicit ByHand(const std::filesystem::path& file) {
    check(sqlite3_open_v2(file.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr));
    run("PRAGMA synchronous = FULL");
  }
  ~ByHand() { sqlite3_close(db_); }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  /// The rows of a table.
  struct Rows {
    std::string table;
    std::vector<std::vector<sqlite3_value*>> values;
    int columns = 0;
    Rows() = default;
    Rows(Rows&&) = default;
    Rows& operator=(Rows&&) = delete;
    ~Rows() {
      for (auto& row : values)
        for (auto* value : row) sqlite3_value_free(value);
    }
  };
  Rows rows(const std::string& table, const std::string& where) {
    Rows out;
    out.table = table;
    sqlite3_stmt* select = prepared(cat("SELECT * FROM ", table, " WHERE ", where));
    out.columns = sqlite3_column_count(select);
    while (sqlite3_step(select) == SQLITE_ROW) {
      auto& row = out.values.emplace_back();
      for (int i = 0; i < out.columns; ++i) row.push_back(sqlite3_value_dup(sqlite3_column_value(select, i)));
    }
    sqlite3_finalize(select);
    return out;
  }
  std::int64_t number(const std::string& sql) {
    sqlite3_stmt* select = prepared(sql);
    const std::int64_t out = sqlite3_step(select) == SQLITE_ROW ? sqlite3_column_int64(select, 0) : 0;
    sqlite3_finalize(select);
    return out;
  }
  /// One durable transaction: each row by a prepared statement, and nothing else.
  void insert(const std::vector<Rows>& all) {
    run("BEGIN IMMEDIATE");
    for (const auto& rows : all) {
      std::string places = "?";
      for (int i = 1; i < rows.columns; ++i) places += ", ?";
      sqlite3_stmt* add = prepared(cat("INSERT INTO ", rows.table, " VALUES (", places, ")"));
      for (const auto& row : rows.values) {
        for (int i = 0; i < rows.columns; ++i) sqlite3_bind_value(add, i + 1, row[static_cast<std::size_t>(i)]);
        check(sqlite3_step(add));
        sqlite3_reset(add);
      }
      sqlite3_finalize(add);
    }
    run("COMMIT");
  }
  void run(const std::string& sql) { check(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr)); }

 private:
  sqlite3_stmt* prepared(const std::string& sql) {
    sqlite3_stmt* out = nullptr;
    check(sqlite3_prepare_v2(db_, sql.c_str(), -1, &out, nullptr));
    return out;
  }
  void check(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) give_up(sqlite3_errmsg(db_));
  }
  sqlite3* db_ = nullptr;
};

/// Nobody has an entry in its line any more: the next message makes a new one for each.
void end_nudges(ByHand& store) {
  store.run("DELETE FROM nudge");
}

}  // namespace

/// One send to a group of a thousand through the services, bells and receipt included, against the rows that it left
/// behind written by hand into a town like it, in one durable transaction.
Measured group_send_1000(Workshop& workshop) {
  const auto& ours = workshop.town("group", kMessages);
  const auto& theirs = workshop.town("group-reference", kMessages);
  FileBell bell(ours.folder / ".town");
  SqlStore store(must(SqliteDatabase::open(ours.store(), SqliteDatabase::Mode::existing)), &bell);
  NoMachine machine;
  SystemClock clock;
  SystemRandom random;
  Town town{ours.folder / ".town", Settings(), store, bell, machine, clock, random};
  add_members(town);
  ByHand seen(ours.store());
  ByHand reference(theirs.store());
  std::vector<double> sends, references;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    const auto event = seen.number("SELECT max(seq) FROM event");
    const auto start = std::chrono::steady_clock::now();
    const auto receipt =
        must(PostOffice(town).send({{.subject = cat("round ", round), .body = "look"}, {"group:everybody"}}, {}));
    const double send = ms_since(start);
    if (receipt.recipients.size() != kMembers) give_up("the group has lost somebody");
    const auto id = std::to_string(receipt.message.id.key);
    std::vector<ByHand::Rows> rows;
    rows.push_back(seen.rows("message", "id = " + id));
    rows.push_back(seen.rows("delivery", "message = " + id));
    rows.push_back(seen.rows("nudge", "1"));
    rows.push_back(seen.rows("event", cat("seq > ", event)));
    if (rows[1].values.size() != kMembers || rows[2].values.size() != kMembers) give_up("rows are missing");
    const auto begin = std::chrono::steady_clock::now();
    reference.insert(rows);
    const double hand = ms_since(begin);
    if (round >= kWarmUp) {
      sends.push_back(send);
      references.push_back(hand);
    }
    end_nudges(seen);
    end_nudges(reference);
  }
  const Times send_times(std::move(sends)), reference_times(std::move(references));
  return {.value = send_times.median(),
          .unit = "ms",
          .reference = reference_times.median(),
          .remarks = {cat("send to a group of 1,000: ", send_times.str()),
                      cat("its rows by hand:         ", reference_times.str())}};
}

}  // namespace townpost::bench
