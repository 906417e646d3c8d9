#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace townpost {

/// What the town's server tells other programs of its user about itself, in a file of the town's folder. A value; any
/// thread may read and write it.
struct ServerNote {
  std::string url;      ///< "http://127.0.0.1:8420"
  std::string process;  ///< see process_name()
  friend bool operator==(const ServerNote&, const ServerNote&) = default;

  std::string text() const;
  /// Nothing, if it is not two lines of that kind: half written, or somebody else's.
  static std::optional<ServerNote> parse(std::string_view text);
  /// The file, for read_private_file() and write_file_lightly().
  static std::filesystem::path place(const std::filesystem::path& town);
};

}  // namespace townpost
