#pragma once
#include <filesystem>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/files.h"
#include "store/db/database.h"

struct sqlite3;
struct sqlite3_stmt;

namespace townpost {

/// The embedded store: one file in WAL mode, every commit fsynced. Writers of several processes queue on a lock file
/// beside it before they begin, because SQLite's own waiting is unfair.
class SqliteDatabase final : public Database {
 public:
  enum class Mode { existing, create };
  static Result<std::unique_ptr<SqliteDatabase>> open(const std::filesystem::path& file, Mode mode);
  /// Waits at most this long for other writers, then answers unavailable. Without it a write waits its turn.
  void hurry(Millis longest);
  ~SqliteDatabase() override;
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  Dialect dialect() const override { return Dialect::sqlite; }
  std::string identity() override;
  void settle_in(int memory) override;
  void set_patience(const Patience& patience) override;
  Result<> begin(Access access) override;
  Result<> take_turn(const std::vector<Question>& first) override;
  void notify(std::string_view) override {}
  Result<> commit() override;
  void rollback() override;
  bool may_repeat() const override { return false; }
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override;
  std::optional<std::int64_t> rows_changed() const override;
  Result<> run_script(const std::string& sql) override;
  Result<> give_back_space() override;
  Result<std::int64_t> schema_version() override;
  Result<> set_schema_version(std::int64_t version) override;

 private:
  SqliteDatabase(sqlite3* handle, std::filesystem::path file);
  /// A statement, and where its $1, $2 … stand in it; 0: nowhere.
  struct Prepared {
    sqlite3_stmt* statement = nullptr;
    std::vector<int> places;
  };
  Result<Prepared*> prepared(Sql sql);
  Result<> open_queue();
  /// Error: unavailable, if the turn does not come in time.
  Result<> queue_for_writing(const Patience& patience);
  Result<> begin_writing();
  void leave_queue();
  void tidy_up();
  Failure trouble(int code) const;
  bool take_back();
  Error not_stored(const std::string& reason) const;
  Error in_doubt(const std::string& reason) const;

  sqlite3* handle_;
  std::filesystem::path file_;
  FileDescriptor writers_;  ///< the lock file; opened by the first write
  std::optional<Millis> usual_wait_;
  Patience patience_;
  bool writing_ = false;
  bool looking_ = false;  ///< in a transaction that has not had its turn yet
  int long_log_;          ///< pages: then the writer itself carries the log over, so that it never grows without bound
  int log_pages_ = 0;     ///< how long the write-ahead log was after our last commit
  std::unordered_map<const char*, Prepared> statements_;
};

}  // namespace townpost
