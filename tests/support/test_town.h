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
  /// The same with --json; fails the test unless it exits 0 and prints JSON.
  Json json(const Words& words, const Variables& variables = {}) const;
  /// Sends and returns the new message's id; fails the test if it was not sent.
  std::string send(const std::string& from, const std::string& to, const std::string& subject, const Words& more = {}) const;
  /// Registers agents by address.
  void agents(const Words& addresses) const;

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path store() const { return folder() / ".town" / "town.db"; }

 private:
  TemporaryFolder folder_;
};

/// A clean environment (PATH, HOME, LANG) plus `variables`, as ProcessCall wants it.
std::vector<std::string> clean_environment(const std::filesystem::path& home, const TestTown::Variables& variables = {});

}  // namespace townpost
