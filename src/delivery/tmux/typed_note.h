#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace townpost {

/// What we typed into a pane and have neither submitted nor taken back. It lies beside the session's lock, so that
/// whoever comes next knows it for ours, also if the process that typed has died. Only a hint: its loss costs nothing
/// but a look by a person. Written only by the holder of the lock.
class TypedNote {
 public:
  /// `name`: as the lock is called. `pid`: of the pane; what was typed into another program is gone with it.
  TypedNote(const std::filesystem::path& folder, std::string_view name, std::int64_t pid);
  std::optional<std::string> read() const;
  void write(std::string_view text) const;
  void remove() const;

 private:
  std::filesystem::path path_;
  std::string head_;
};

}  // namespace townpost
