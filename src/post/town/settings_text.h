#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace townpost {

// town.toml as a person keeps it: one setting is changed, and every other byte stays. Any thread may call these.

/// A setting as the file of a new town shows it.
struct ShownSetting {
  std::string key;       ///< "limits.sender_per_hour"
  std::string standard;  ///< the default, as TOML
  std::string what;
};
/// Every setting that the file of a new town shows, in its order.
const std::vector<ShownSetting>& shown_settings();

/// A setting as a file holds it.
struct WrittenSetting {
  std::string value;  ///< as TOML
  int line = 0;
};
std::optional<WrittenSetting> written_setting(std::string_view toml, std::string_view key);

/// `text` as a TOML value: true, 5 and "quoted" as they are, everything else as a string.
std::string toml_value(std::string_view text);

/// The file with this setting in it; `value` is TOML. Error: usage, if the file holds the key in a way that only a
/// person can change.
Result<std::string> with_setting(std::string_view toml, std::string_view key, std::string_view value);
/// The file without it, so that the default holds.
Result<std::string> without_setting(std::string_view toml, std::string_view key);

}  // namespace townpost
