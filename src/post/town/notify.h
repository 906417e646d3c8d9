#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/toml.h"

namespace townpost {

/// `[notify]` of town.toml: how a person who does not look is told that somebody needs them. A value; only whoever
/// tells reads it, so it is none of the settings that every
/// call has. Any thread may read the file's text.
struct Notify {
  std::vector<std::string> command;          ///< program and arguments, without a shell; empty: none
  bool bell = true;                          ///< of the terminal that watches
  Millis spacing = std::chrono::minutes(1);  ///< about one agent no sooner again
  friend bool operator==(const Notify&, const Notify&) = default;
};

/// Sets `notify.WORD`. Error: usage, with what is wrong.
Result<> set_notify(std::string_view word, const TomlFile::Value& value, Notify& notify);

/// What the file says; the defaults, where it says something else than it may.
Notify notify_of(std::string_view toml);

}  // namespace townpost
