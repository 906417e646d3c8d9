#include "store/db/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/check.h"
#include "base/number.h"
#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr int kBusyMs = 30'000;
constexpr int kLongLog = 500;          // pages, for a program that lives for one command
constexpr int kLongLogSettled = 4000;  // … and for one that stays: nobody starts while it lives but finds its index
constexpr int kTidyLog = 64;  // pages: worth carrying over when nobody waits, since every start reads what is left
constexpr int kApplicationId = 0x544f574e;  // "TOWN": what `file` and we see in the header

class SqliteRow final : public Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  bool is_null(int column) const override { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  bool is_integer(int column) const override { return sqlite3_column_type(statement_, column) == SQLITE_INTEGER; }
  std::int64_t integer(int column) const override {
    if (!is_integer(column) && !is_null(column)) note_damage("there is something else in the place of a number");
    return sqlite3_column_int64(statement_, column);
  }
  std::string_view text(int column) const override {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return data ? std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
                : std::string_view();
  }

 private:
  sqlite3_stmt* statement_;
};

int bind(sqlite3_stmt* statement, int index, const Param& param) {
  const auto& value = param.value();
  if (const auto* number = std::get_if<std::int64_t>(&value)) return sqlite3_bind_int64(statement, index, *number);
  if (const auto* text = std::get_if<std::string_view>(&value))
    // data() of an empty view may be null, which SQLite would take for NULL.
    return sqlite3_bind_text64(statement, index, text->data() ? text->data() : "", text->size(), SQLITE_STATIC,
                               SQLITE_UTF8);
  return sqlite3_bind_null(statement, index);
}

Failure read_only(std::string_view file) {
  return fail(Code::unavailable, cat("cannot write to ", file, ": it is read-only here"),
              "check the permissions of the .town folder");
}

/// Nobody asks how much memory SQLite has, and to count it takes a lock for every piece. Before the first connection.
void leave_memory_uncounted() {
  static const int done = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)done;  // where somebody else was first it is counted, which does no harm
}

/// That SQLite, which follows links, opens what is here and nothing else. A second name for the file would have a log
/// of its own, and each would damage what the other wrote.
Result<> check_files(const std::filesystem::path& file) {
  for (const auto* ending : {"", "-wal", "-shm", "-journal"}) {
    const std::string name = file.string() + ending;
    struct stat found {};
    if (::lstat(name.c_str(), &found) != 0) continue;
    if (!S_ISREG(found.st_mode))
      return fail(Code::unavailable, cat(for_terminal_line(name), " is a link or something else, not a plain file"),
                  "put the file itself there");
    if (found.st_nlink > 1)
      return fail(Code::unavailable, cat(for_terminal_line(name), " has a second name somewhere (a hard link)"),
                  "remove the other name");
  }
  return {};
}

}  // namespace

Failure SqliteDatabase::trouble(int code) const {
  const std::string file = for_terminal_line(file_.string());
  switch (code & 0xff) {
    case SQLITE_FULL:
      return fail(Code::unavailable, cat("the disk is full; nothing was changed in ", file),
                  "free some space and try again");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return read_only(file);
    case SQLITE_CANTOPEN:
      if (const int system = sqlite3_system_errno(handle_); system == EROFS || system == EACCES) return read_only(file);
      return fail(Code::unavailable, cat("cannot open ", file),
                  "check that the .town folder is there and may be written");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fail(Code::unavailable, cat(file, " is damaged: ", sqlite3_errmsg(handle_)),
                  "restore it from a backup; " + next("store.check", {}, " tells more"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(Code::unavailable, cat(file, " is in use and stayed so"),
                  "try again; if it stays in use, look for a hanging process");
    default:
      return fail(Code::unavailable, cat("the store failed: ", sqlite3_errmsg(handle_), " (", file, ")"),
                  "check the disk, then try again");
  }
}

Error SqliteDatabase::not_stored(const std::string& reason) const {
  return {Code::unavailable,
          cat("the disk failed during the commit (", reason, "); nothing was stored in ",
              for_terminal_line(file_.string())),
          "check the disk, then try again", std::nullopt};
}

Error SqliteDatabase::in_doubt(const std::string& reason) const {
  return {Code::unavailable,
          cat("the disk failed during the commit (", reason, "); it is not known whether the change was stored in ",
              for_terminal_line(file_.string())),
          "check the disk, and look before you repeat it; a send with a key can be repeated safely", std::nullopt};
}

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(const std::filesystem::path& file, Mode mode) {
  if (auto network = network_file_system(file.parent_path()))
    return fail(Code::unavailable,
                cat("SQLite is not safe on a network file system (", *network, "): ", for_terminal_line(file.string())),
                "keep the town on a local disk, or use PostgreSQL");
  TRY_VOID(check_files(file));
  // Made by us, so that it is nobody else's to read; the files that SQLite makes beside it get the same mode.
  if (mode == Mode::create && !open_private(file, O_RDWR | O_CREAT)) return fail(file_error("make", file, errno));
  leave_memory_uncounted();
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(handle, file));
  if (code != SQLITE_OK) return database->trouble(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMs);
  if (mode == Mode::create)
    TRY_VOID(database->run_script(cat("PRAGMA journal_mode = WAL; PRAGMA application_id = ", kApplicationId)));
  TRY_VOID(database->run_script("PRAGMA synchronous = FULL"));
  // The log is carried over into the store by tidy_up() and commit(), not at every close (docs/decisions/0004).
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_wal_hook(
      handle,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteDatabase*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      database.get());
  return database;
}

SqliteDatabase::~SqliteDatabase() {
  rollback();
  tidy_up();
  for (auto& [text, known] : statements_) sqlite3_finalize(known.statement);
  sqlite3_close(handle_);
}

Result<SqliteDatabase::Prepared*> SqliteDatabase::prepared(Sql sql) {
  if (auto known = statements_.find(sql.address()); known != statements_.end()) return &known->second;
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.address(), static_cast<int>(sql.text().size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return trouble(code);
  CHECK(statement != nullptr);
  auto& out = statements_[sql.address()];
  out.statement = statement;
  // SQLite takes $1 as a name and numbers names by first appearance.
  for (int index = 1; index <= sqlite3_bind_parameter_count(statement); ++index) {
    const char* const name = sqlite3_bind_parameter_name(statement, index);
    const auto number = name ? whole_number(std::string_view(name).substr(1)) : std::nullopt;
    CHECK(number && *number > 0);
    const auto at = static_cast<std::size_t>(*number) - 1;
    if (out.places.size() <= at) out.places.resize(at + 1);
    out.places[at] = index;
  }
  return &out;
}

Result<std::int64_t> SqliteDatabase::execute(Sql sql, std::span<const Param> params, const RowSink& sink) {
  CHECK(!looking_ || only_reads(sql));
  TRY(known, prepared(sql));
  auto* const statement = known->statement;
  const auto count = std::min(params.size(), known->places.size());
  for (std::size_t i = 0; i < count; ++i)
    if (const int index = known->places[i]; index > 0) bind(statement, index, params[i]);
  int code = SQLITE_ROW;
  const SqliteRow row(statement);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW)
    if (sink && (sink(row) == Next::stop || !row.sound())) break;
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (code != SQLITE_DONE && code != SQLITE_ROW) return trouble(code);
  TRY_VOID(row.sound());
  return sqlite3_changes64(handle_);
}

std::optional<std::int64_t> SqliteDatabase::rows_changed() const { return sqlite3_total_changes64(handle_); }

Result<> SqliteDatabase::run_script(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return trouble(code);
  return {};
}

Result<> SqliteDatabase::give_back_space() {
  TRY_VOID(queue_for_writing(patience_));
  auto done = run_script("VACUUM");
  // The smaller store stands in the log until that is written back. Whoever reads now keeps it there a while longer.
  if (done) (void)run_script("PRAGMA wal_checkpoint(TRUNCATE)");
  leave_queue();
  return done;
}

SqliteDatabase::SqliteDatabase(sqlite3* handle, std::filesystem::path file)
    : handle_(handle), file_(std::move(file)), long_log_(kLongLog) {}

std::string SqliteDatabase::identity() {
  struct stat found {};
  return ::stat(file_.c_str(), &found) == 0 ? cat(found.st_dev, ":", found.st_ino) : std::string();
}

void SqliteDatabase::settle_in(int memory) {
  long_log_ = kLongLogSettled;
  (void)run_script(cat("PRAGMA cache_size = -", memory * 1024));  // KiB; with less it is only slower
}

void SqliteDatabase::hurry(Millis longest) {
  usual_wait_ = longest;
  set_patience({});
}

void SqliteDatabase::set_patience(const Patience& patience) {
  const auto before = patience_.longest;
  patience_ = patience;
  if (!patience_.longest) patience_.longest = usual_wait_;
  if (patience_.longest != before)
    sqlite3_busy_timeout(handle_, static_cast<int>(patience_.longest.value_or(Millis(kBusyMs)).count()));
}

Result<> SqliteDatabase::open_queue() {
  if (writers_) return {};
  // A town's own store has the folder's lock; another file beside it has one of its own.
  const auto lock_file = file_.filename() == "town.db" ? file_.parent_path() / "write.lock"
                                                       : std::filesystem::path(file_.string() + ".lock");
  writers_ = open_private(lock_file, O_RDWR | O_CREAT);
  if (!writers_) return fail(file_error("write", lock_file, errno));
  return {};
}

Result<> SqliteDatabase::queue_for_writing(const Patience& patience) {
  TRY_VOID(open_queue());
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (!patience.has_limits()) {
    while (::fcntl(writers_.get(), F_OFD_SETLKW, &lock) != 0)
      if (errno != EINTR) return fail(file_error("lock", file_, errno));
    return {};
  }
  // A lock cannot be waited for with a limit, so whoever is in a hurry asks again and again.
  constexpr Millis kAskAgain(5);
  for (Millis left = patience.longest.value_or(Millis::max());; left -= kAskAgain) {
    if (::fcntl(writers_.get(), F_OFD_SETLK, &lock) == 0) return {};
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return fail(file_error("lock", file_, errno));
    if (left <= Millis(0)) return trouble(SQLITE_BUSY);
    TRY_VOID(patience.check());
    std::this_thread::sleep_for(kAskAgain);
  }
}

void SqliteDatabase::leave_queue() {
  if (!writers_) return;
  struct flock lock {};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  ::fcntl(writers_.get(), F_OFD_SETLK, &lock);
}

void SqliteDatabase::tidy_up() {
  if (log_pages_ < kTidyLog || !queue_for_writing({.longest = Millis(0), .still_wanted = {}})) return;
  // The log must end up empty: how much of it was carried over is forgotten with the last connection. A reader that is
  // still in it is not waited for.
  sqlite3_busy_timeout(handle_, 0);
  sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  leave_queue();
}

Result<> SqliteDatabase::begin(Access access) {
  if (access == Access::write) return begin_writing();
  if (access == Access::look_first) TRY_VOID(open_queue());  // in its turn it opens nothing any more
  TRY_VOID(run("BEGIN", {}, {}));
  looking_ = access == Access::look_first;
  return {};
}

Result<> SqliteDatabase::take_turn(const std::vector<Question>& first) {
  if (std::exchange(looking_, false)) {  // what has read cannot begin to write if somebody else wrote meanwhile
    TRY_VOID(run("COMMIT", {}, {}));
    TRY_VOID(begin_writing());
  }
  for (const auto& question : first) TRY_VOID(execute(question.sql, question.params, question.answer));
  return {};
}

Result<> SqliteDatabase::begin_writing() {
  TRY_VOID(queue_for_writing(patience_));
  if (auto begun = run("BEGIN IMMEDIATE", {}, {}); !begun) {
    leave_queue();
    return Failure(begun.error());
  }
  writing_ = true;
  return {};
}

/// The log may hold a commit whose sync failed: we do not see it, but whoever opens the store anew would. Another write
/// in its place, well synced, makes sure that it is gone.
bool SqliteDatabase::take_back() {
  const auto version = schema_version();
  return version && run_script(cat("BEGIN IMMEDIATE; PRAGMA user_version = ", *version, "; COMMIT"));
}

Result<> SqliteDatabase::commit() {
  looking_ = false;
  auto done = run("COMMIT", {}, {});
  if (const bool doubtful = !done && (sqlite3_extended_errcode(handle_) & 0xff) == SQLITE_IOERR; doubtful) {
    const std::string reason = sqlite3_errmsg(handle_);
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    done = Failure(take_back() ? not_stored(reason) : in_doubt(reason));
  }
  if (!done) rollback();
  if (done && writing_ && log_pages_ >= long_log_)
    sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (std::exchange(writing_, false)) leave_queue();
  if (!done) return Failure(done.error());
  return {};
}

void SqliteDatabase::rollback() {
  looking_ = false;
  if (!sqlite3_get_autocommit(handle_)) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  if (std::exchange(writing_, false)) leave_queue();
}

Result<std::int64_t> SqliteDatabase::schema_version() {
  std::int64_t version = 0;
  TRY_VOID(run("PRAGMA user_version", {}, [&](const Row& row) {
    version = row.integer(0);
    return Next::go_on;
  }));
  return version;
}

Result<> SqliteDatabase::set_schema_version(std::int64_t version) {
  return run_script(cat("PRAGMA user_version = ", version));
}

}  // namespace townpost
