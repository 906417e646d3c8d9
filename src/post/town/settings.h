#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "post/values/address.h"
#include "post/values/nudge.h"
#include "protocol/type_registry.h"

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
  int wake_spacing_s = 30;  ///< L4: seconds between two wakes of one recipient by agents…
  int wakes_per_hour = 20;
  int urgent_wakes_per_hour = 10;
  int town_wakes_per_hour = 60;  ///< L6: or ten for each agent, if that is more
  int mail_spacing_s = 5;        ///< L4: seconds between two interruptions of one recipient by mail, whoever writes
  friend bool operator==(const Limits&, const Limits&) = default;
};

/// `[roles.NAME]`: how agents of a role live.
struct RolePolicy {
  bool exits_on_idle = true;
  Millis idle_timeout = std::chrono::minutes(2);
  bool gupp_exempt = false;
  NudgeMode default_mode = NudgeMode::wait_idle;
  bool asked_to_exit = false;  ///< town.toml says when it exits, so it does under a person's eyes, too
  friend bool operator==(const RolePolicy&, const RolePolicy&) = default;
};

/// `[gupp]`: how long an agent with work may be silent before it is warned, somebody is told, and it is stopped.
struct Gupp {
  Millis warn = std::chrono::minutes(15);
  Millis escalate = std::chrono::minutes(60);
  Millis stop = std::chrono::minutes(120);
  friend bool operator==(const Gupp&, const Gupp&) = default;
};

/// `[http]`: what is answered over the network.
struct HttpSettings {
  std::string listen = "127.0.0.1:8420";  ///< "off": nothing
  bool trust_loopback = false;  ///< whoever calls from this machine without a token reads and sends as the human
  Address recipient = *Address::parse("mayor/");  ///< of mail that names none
  std::vector<std::string> hosts;                 ///< other names that the server is called by
  std::vector<std::string> allow_targets;         ///< private machines that may be asked: "host", "host:port"
  std::string certificate, key;                   ///< files, for TLS
  int requests_per_minute = 600;                  ///< of one token
  int connections = 1024;                         ///< at a time
  friend bool operator==(const HttpSettings&, const HttpSettings&) = default;
};

/// What town.toml says. Every member has a default, so an empty file is a working town. A value: any thread may read
/// one that nobody changes.
struct Settings {
  std::string town_name = "town";
  std::string human = "overseer";  ///< which of the human's two names is printed: overseer or user
  std::string group;               ///< whose members may use the town as well as its owner; empty: nobody's
  Address escalation = *Address::parse("mayor/");
  Millis wisp_age = std::chrono::hours(24);
  Millis log_age = std::chrono::hours(7 * 24);  ///< events that belong to no kept mail stay so long, and the newest…
  int log_entries = 1'000'000;                  ///< …so many stay anyway
  std::string store;  ///< where the town's state is: empty or "sqlite" for the file beside town.toml, or postgres://…
  Limits limits;
  std::map<std::string, int> budgets = {{"polecat", 1}, {"dog", 0}};  ///< mails a session, by role
  protocol::TypeRegistry types = protocol::TypeRegistry::built_in();  ///< message types, with those of [types.NAME]
  int nudge_depth = 50;                                               ///< so many may wait for one agent
  NudgeMode urgent_mail = NudgeMode::wait_idle;                       ///< how urgent mail wakes its recipients
  bool bd_commands = false;  ///< agents are told to read and answer mail with bd instead of gt
  std::map<std::string, RolePolicy> roles = {{"mayor", {.exits_on_idle = false, .gupp_exempt = true}},
                                             {"refinery", {.idle_timeout = std::chrono::minutes(10)}}};
  /// `[roles] chiron = "ADDRESS"`: who has a role that is no address by itself, in lower case.
  std::map<std::string, std::string, std::less<>> role_addresses;
  Gupp gupp;
  HttpSettings http;
  std::vector<std::string> warnings;  ///< settings nobody reads (probably misspelled), types that are refused

  /// Error: usage, with the line and what is wrong there. A broken definition of a message type is only a warning: the
  /// rest of the town works on.
  static Result<Settings> parse(std::string_view toml);
  RolePolicy policy(Role role) const;
  /// The types of another file (.town/types/*.toml).
  void add_types(std::string_view toml, std::string_view file);

 private:
  void put_gupp_in_order();
  void note(const std::vector<Error>& refused);
};

/// The commented town.toml that `gt init` writes; `store` is empty or a url.
std::string new_town_toml(std::string_view town_name, std::string_view store = "");

/// `text` as a quoted TOML string: quotes, backslashes and control characters escaped.
std::string toml_string(std::string_view text);

}  // namespace townpost
