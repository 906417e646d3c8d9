#pragma once
#include <filesystem>
#include <string>

#include "post/town/settings.h"

namespace townpost {

/// What town.toml says, and the files of types/ beside it. Error: unavailable without a town.toml, usage if it is
/// broken.
Result<Settings> read_settings(const std::filesystem::path& town_folder);

/// What these files looked like at a moment: another look tells whether they may say something else since.
class SettingsStamp {
 public:
  static SettingsStamp of(const std::filesystem::path& town_folder);
  /// Whether what was read after this stamp was made is what the files say now.
  bool holds_for(const SettingsStamp& now) const { return !too_fresh_ && files_ == now.files_; }
  /// Whether it is still the same folder, and not another one of its name.
  bool is_of_same_folder(const SettingsStamp& other) const { return folder_ == other.folder_; }

 private:
  std::string folder_;
  std::string files_;
  bool too_fresh_ = false;  ///< a file may change once more and look the same, because the clock of files is coarse
};

}  // namespace townpost
