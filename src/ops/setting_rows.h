#pragma once
#include <string>
#include <vector>

namespace townpost {

/// A setting of town.toml, for documents.
struct SettingRow {
  std::string key;
  std::string standard;  ///< the default, as TOML
  std::string what;
};
std::vector<SettingRow> setting_rows();

}  // namespace townpost
