#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"

namespace townpost {

/// The built program, as a user runs it: in a clean environment, in a folder of its own.
class TestTown {
 public:
  enum class Start { with_town, empty_folder };
  explicit TestTown(Start start = Start::with_town);

  using Words = std::vector<std::string>;
  using Variables = std::map<std::string, std::string>;

  /// Runs `gt WORDS…` in the town's folder.
  ProcessOutput gt(const Words& words, const Variables& variables = {}, const std::string& input = "") const;
  /// The same in another folder, made if missing; a relative one is inside the town's.
  ProcessOutput gt_in(const std::filesystem::path& where, const Words& words, const Variables& variables = {}) const;
  /// The same with --json; fails the test unless it exits 0 and prints JSON.
  Json json(const Words& words, const Variables& variables = {}) const;
  /// Runs a shell script in the town's folder; $GT is the program.
  ProcessOutput shell(const std::string& script, const Variables& variables = {}) const;

  /// Sends and returns the new message's id; fails the test if it was not sent. Without a text in `more` it has none.
  std::string send(const std::string& from, const std::string& to, const std::string& subject,
                   const Words& more = {}) const;
  /// Registers agents by address.
  void agents(const Words& addresses) const;
  /// Registers rigs by name.
  void rigs(const Words& names) const;
  /// Replaces town.toml.
  void settings(const std::string& toml) const;

  /// Runs SQL on the store with the sqlite3 program; its output. Fails the test if it is refused.
  std::string sql(const std::string& statements) const;
  /// Everything that is stored, as SQL: equal dumps mean that nothing was changed.
  std::string dump() const;

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path store() const { return folder() / ".town" / "town.db"; }

 private:
  TemporaryFolder folder_;
};

/// Where the build put them.
const char* gt_program();
const char* townpostd_program();

/// What to run as `gt`. It is static, so a library is preloaded into townpostd, which is the same program.
std::string program_for(const TestTown::Variables& variables);

/// A clean environment (PATH, HOME, LANG) plus `variables`, as ProcessCall wants it.
std::vector<std::string> clean_environment(const std::filesystem::path& home,
                                           const TestTown::Variables& variables = {});

/// Looks into JSON: the text, number or flag of a key; empty, -1 or false if it is not there.
std::string text_at(const Json& object, std::string_view key);
std::int64_t number_at(const Json& object, std::string_view key);
bool flag_at(const Json& object, std::string_view key);
/// The texts of an array of texts, or of one key of every object in an array.
std::vector<std::string> texts_in(const Json& array);
std::vector<std::string> texts_in(const Json& array, std::string_view key);
/// The value of a key; null if it is not there.
Json value_at(const Json& object, std::string_view key);
/// The items of an array; none if it is not one.
std::vector<Json> items_of(const Json& array);
/// The keys of an object, in order.
std::vector<std::string> keys_of(const Json& object);

}  // namespace townpost
