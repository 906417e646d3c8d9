#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "store/db/sqlite.h"

namespace townpost {

/// A body that shows whether it is whole: its own name, filling of about `bytes`, and a digest of both.
std::string sealed_body(std::string_view name, std::size_t bytes);
/// The name in a body that is whole, else "torn".
std::string seal_of(std::string_view body);

/// The id of a receipt that was printed to its end, else nothing.
std::string receipt_id(std::string_view out);

/// Looks into a town's store from outside the program, as a judge of what is really there.
class StoreEvidence {
 public:
  explicit StoreEvidence(const std::filesystem::path& town_db);

  std::int64_t count(Sql sql) const;

  /// Fails the test unless SQLite finds the file sound and everything in it belongs to something: no message without
  /// its deliveries, its event and its duties, and none of those without their message; no state without its event.
  void expect_sound() const;

  struct Stored {
    std::string subject;
    std::string body;
    std::int64_t deliveries = 0;
    std::int64_t stored_events = 0;
    std::int64_t duties = 0;
  };
  /// Every message by its id.
  std::map<std::string, Stored> messages() const;

 private:
  void expect_none(const char* what, Sql sql) const;
  std::unique_ptr<SqliteDatabase> database_;
};

}  // namespace townpost
