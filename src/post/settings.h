#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "post/address.h"
#include "protocol/registry.h"

namespace townpost {

/// `[limits]` of town.toml; a number of 0 turns its rule off.
struct Limits {
  bool enabled = true;
  int hops_held = 8;
  int hops_refused = 16;
  int pair_per_minute = 10;
  int pair_per_hour = 30;
  int self_per_minute = 3;
  int sender_per_hour = 120;
  int sender_per_day = 600;
  int duplicate_minutes = 10;
  friend bool operator==(const Limits&, const Limits&) = default;
};

/// What town.toml says. Every member has a default, so an empty file is a working town.
struct Settings {
  std::string town_name = "town";
  std::string human = "overseer";  ///< which of the human's two names is printed: overseer or user
  Address escalation = *Address::parse("mayor/");
  Millis wisp_age = std::chrono::hours(24);
  std::string store;  ///< where the town's state is: empty or "sqlite" for the file beside town.toml, or postgres://…
  Limits limits;
  std::map<std::string, int> budgets = {{"polecat", 1}, {"dog", 0}};  ///< mails a session, by role
  protocol::Registry types = protocol::Registry::built_in();          ///< message types, with those of [types.NAME]
  std::vector<std::string> warnings;  ///< settings nobody reads (probably misspelled), types that are refused

  /// Error: usage, with the line and what is wrong there. A broken definition of a message type is only a warning: the
  /// rest of the town works on.
  static Result<Settings> parse(std::string_view toml);
  /// The types of another file (.town/types/*.toml).
  void add_types(std::string_view toml, std::string_view file);

 private:
  void note(const std::vector<Error>& refused);
};

/// The commented town.toml that `gt init` writes; `store` is empty or a url.
std::string new_town_toml(std::string_view town_name, std::string_view store = "");

}  // namespace townpost
