#pragma once
#include "base/files.h"
#include "base/random.h"
#include "post/town/town.h"
#include "store/db/sqlite.h"
#include "store/file_bell.h"
#include "store/migrations.h"
#include "store/sql_store.h"

namespace townpost::fuzz {

/// A town with a real store in a folder of its own, made once per run.
class TinyTown {
 public:
  TinyTown()
      : folder_(*TemporaryFolder::make("townpost-fuzz")),
        bell_(folder_.path()),
        store_(new_database(folder_.path()), &bell_) {}

  Town& town() { return town_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Runs `work` and forgets what it wrote.
  void try_out(const Transaction& work) {
    const auto done = store_.write([&](Ledger& ledger) -> Result<> {
      const auto worked = work(ledger);
      CHECK(worked.has_value());
      return fail(Code::refused, "only tried out");
    });
    CHECK(!done && done.error().code == Code::refused);
  }

 private:
  static std::unique_ptr<SqliteDatabase> new_database(const std::filesystem::path& folder) {
    auto database = SqliteDatabase::open(folder / "town.db", SqliteDatabase::Mode::create);
    CHECK(database.has_value() && migrate(**database).has_value());
    return std::move(*database);
  }

  TemporaryFolder folder_;
  FileBell bell_;
  SqlStore store_;
  Machine sessions_;
  ManualClock clock_;
  SeededRandom random_{1};
  Town town_{folder_.path(), Settings{}, store_, bell_, sessions_, clock_, random_};
};

}  // namespace townpost::fuzz
