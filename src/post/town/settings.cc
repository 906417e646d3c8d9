#include "post/town/settings.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "base/toml.h"
#include "post/town/notify.h"

namespace townpost {

namespace {

using Entry = TomlFile::Entry;
using Setter = std::function<Result<>(const Entry&, Settings&)>;

Failure wrong(const Entry& entry, std::string_view what) {
  return fail(Code::usage, cat("line ", entry.line, ": ", what));
}

Setter number(int& (*member)(Settings&)) {
  return [member](const Entry& entry, Settings& settings) -> Result<> {
    const auto* value = std::get_if<std::int64_t>(&entry.value);
    if (!value || *value < 0 || *value > 1'000'000)
      return wrong(entry, "must be a whole number from 0 (off) to 1000000");
    member(settings) = static_cast<int>(*value);
    return {};
  };
}

Result<> set_human(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<std::string>(&entry.value);
  if (!value || (*value != "overseer" && *value != "user"))
    return wrong(entry, "human must be \"overseer\" or \"user\"");
  settings.human = *value;
  return {};
}

Result<> set_name(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<std::string>(&entry.value);
  if (!value || value->empty()) return wrong(entry, "name must be a text");
  settings.town_name = *value;
  return {};
}

Result<> set_group(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<std::string>(&entry.value);
  if (!value) return wrong(entry, "group must be the name of a group of users");
  settings.group = *value;
  return {};
}

Result<> set_escalation(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<std::string>(&entry.value);
  auto address = Address::parse(value ? *value : "");
  if (!address) return wrong(entry, cat("escalation: ", address.error().message));
  settings.escalation = *address;
  return {};
}

Result<> set_wisp_age(const Entry& entry, Settings& settings) {
  auto age = parse_duration(TomlFile::words(entry.value));
  if (!age) return wrong(entry, cat("wisp_age: ", age.error().message));
  settings.wisp_age = *age;
  return {};
}

Result<> set_store(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<std::string>(&entry.value);
  if (!value) return wrong(entry, "url must be a text: \"sqlite\" or \"postgres://HOST/DATABASE\"");
  settings.store = *value;
  return {};
}

Result<> set_enabled(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<bool>(&entry.value);
  if (!value) return wrong(entry, "enabled must be true or false");
  settings.limits.enabled = *value;
  return {};
}

Setter duration(Millis& (*member)(Settings&)) {
  return [member](const Entry& entry, Settings& settings) -> Result<> {
    auto length = parse_duration(TomlFile::words(entry.value));
    if (!length) return wrong(entry, length.error().message);
    member(settings) = *length;
    return {};
  };
}

Result<> set_urgent_mail(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<std::string>(&entry.value);
  auto mode = parse_nudge_mode(value ? *value : "");
  if (!mode || *mode == NudgeMode::queue)
    return wrong(entry, "urgent_mail must be \"wait-idle\", \"soon\" or \"immediate\"");
  settings.urgent_mail = *mode;
  return {};
}

Result<> set_mail_commands(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<std::string>(&entry.value);
  if (!value || (*value != "gt" && *value != "bd")) return wrong(entry, "mail_commands must be \"gt\" or \"bd\"");
  settings.bd_commands = *value == "bd";
  return {};
}

/// It is checked with the others, and read by whoever tells people (post/town/notify.h).
Setter of_notify(std::string_view word) {
  return [word](const Entry& entry, Settings&) -> Result<> {
    Notify none;
    const auto set = set_notify(word, entry.value, none);
    return set ? Result<>() : wrong(entry, set.error().message);
  };
}

Setter text(std::string& (*member)(Settings&)) {
  return [member](const Entry& entry, Settings& settings) -> Result<> {
    const auto* value = std::get_if<std::string>(&entry.value);
    if (!value) return wrong(entry, "this must be a text in quotes");
    member(settings) = *value;
    return {};
  };
}

Result<> set_http_recipient(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<std::string>(&entry.value);
  auto address = Address::parse(value ? *value : "");
  if (!address) return wrong(entry, cat("recipient: ", address.error().message));
  settings.http.recipient = *address;
  return {};
}

Result<> set_trust_loopback(const Entry& entry, Settings& settings) {
  const auto* value = std::get_if<bool>(&entry.value);
  if (!value) return wrong(entry, "trust_loopback must be true or false");
  settings.http.trust_loopback = *value;
  return {};
}

Result<> set_names(const Entry& entry, std::string_view what, std::vector<std::string>& names) {
  const auto* value = std::get_if<std::string>(&entry.value);
  if (!value) return wrong(entry, cat(what, " must be names separated by spaces, in quotes"));
  names.clear();
  for (const auto name : split(*value, ' '))
    if (!name.empty()) names.push_back(lower_ascii(name));
  return {};
}

Result<> set_hosts(const Entry& entry, Settings& settings) { return set_names(entry, "hosts", settings.http.hosts); }
Result<> set_targets(const Entry& entry, Settings& settings) {
  return set_names(entry, "allow_targets", settings.http.allow_targets);
}

/// `[roles] NAME = "ADDRESS"`, of roles that are no address by themselves; false for the others.
Result<bool> set_role_address(std::string_view role, const Entry& entry, Settings& settings) {
  static constexpr std::array<std::string_view, 13> kAddresses = {"mayor", "deacon", "witness",   "refinery", "polecat",
                                                                  "crew",  "dog",    "human",     "overseer", "user",
                                                                  "self",  "any",    "escalation"};
  if (std::find(kAddresses.begin(), kAddresses.end(), role) != kAddresses.end()) return false;
  const auto* text = std::get_if<std::string>(&entry.value);
  auto destination = Destination::parse(text ? *text : "");
  if (!destination) return wrong(entry, cat(for_terminal_line(role), ": ", destination.error().message));
  settings.role_addresses[lower_ascii(role)] = destination->text;
  return true;
}

/// `roles.NAME.WORD` and `roles.NAME`; false if there is no such setting.
Result<bool> set_role(std::string_view key, const Entry& entry, Settings& settings) {
  const auto parts = split(key, '.');
  if (parts.size() == 2 && parts[0] == "roles") return set_role_address(parts[1], entry, settings);
  if (parts.size() != 3 || parts[0] != "roles") return false;
  static constexpr std::array kRoles = {Role::mayor,   Role::deacon, Role::witness, Role::refinery,
                                        Role::polecat, Role::crew,   Role::dog,     Role::session};
  if (std::none_of(kRoles.begin(), kRoles.end(), [&](Role role) { return name(role) == parts[1]; })) return false;
  auto& policy = settings.roles[std::string(parts[1])];
  const auto* yes = std::get_if<bool>(&entry.value);
  const auto* text = std::get_if<std::string>(&entry.value);
  if (parts[2] == "exits_on_idle" || parts[2] == "gupp_exempt") {
    if (!yes) return wrong(entry, cat(parts[2], " must be true or false"));
    (parts[2] == "gupp_exempt" ? policy.gupp_exempt : policy.exits_on_idle) = *yes;
    if (parts[2] == "exits_on_idle") policy.asked_to_exit = *yes;
    return true;
  }
  if (parts[2] == "idle_timeout") {
    auto length = parse_duration(TomlFile::words(entry.value));
    if (!length) return wrong(entry, cat("idle_timeout: ", length.error().message));
    policy.idle_timeout = *length;
    policy.asked_to_exit = true;
    return true;
  }
  if (parts[2] == "default_mode") {
    auto mode = parse_nudge_mode(text ? *text : "");
    if (!mode) return wrong(entry, "default_mode must be \"wait-idle\", \"soon\", \"immediate\" or \"queue\"");
    policy.default_mode = *mode;
    return true;
  }
  return false;
}

const std::map<std::string, Setter, std::less<>>& setters() {
  static const std::map<std::string, Setter, std::less<>> kSetters = {
      {"town.name", set_name},
      {"town.human", set_human},
      {"town.group", set_group},
      {"town.escalation", set_escalation},
      {"mail.wisp_age", set_wisp_age},
      {"log.age", duration([](Settings& s) -> Millis& { return s.log_age; })},
      {"log.entries", number([](Settings& s) -> int& { return s.log_entries; })},
      {"store.url", set_store},
      {"limits.enabled", set_enabled},
      {"limits.hops_held", number([](Settings& s) -> int& { return s.limits.hops_held; })},
      {"limits.hops_refused", number([](Settings& s) -> int& { return s.limits.hops_refused; })},
      {"limits.pair_per_minute", number([](Settings& s) -> int& { return s.limits.pair_per_minute; })},
      {"limits.pair_per_hour", number([](Settings& s) -> int& { return s.limits.pair_per_hour; })},
      {"limits.self_per_minute", number([](Settings& s) -> int& { return s.limits.self_per_minute; })},
      {"limits.sender_per_hour", number([](Settings& s) -> int& { return s.limits.sender_per_hour; })},
      {"limits.sender_per_day", number([](Settings& s) -> int& { return s.limits.sender_per_day; })},
      {"limits.duplicate_minutes", number([](Settings& s) -> int& { return s.limits.duplicate_minutes; })},
      {"limits.wake_spacing_s", number([](Settings& s) -> int& { return s.limits.wake_spacing_s; })},
      {"limits.wakes_per_hour", number([](Settings& s) -> int& { return s.limits.wakes_per_hour; })},
      {"limits.urgent_wakes_per_hour", number([](Settings& s) -> int& { return s.limits.urgent_wakes_per_hour; })},
      {"limits.town_wakes_per_hour", number([](Settings& s) -> int& { return s.limits.town_wakes_per_hour; })},
      {"limits.mail_spacing_s", number([](Settings& s) -> int& { return s.limits.mail_spacing_s; })},
      {"nudges.depth", number([](Settings& s) -> int& { return s.nudge_depth; })},
      {"nudges.urgent_mail", set_urgent_mail},
      {"nudges.mail_commands", set_mail_commands},
      {"notify.command", of_notify("command")},
      {"notify.bell", of_notify("bell")},
      {"notify.spacing", of_notify("spacing")},
      {"gupp.warn", duration([](Settings& s) -> Millis& { return s.gupp.warn; })},
      {"gupp.escalate", duration([](Settings& s) -> Millis& { return s.gupp.escalate; })},
      {"gupp.stop", duration([](Settings& s) -> Millis& { return s.gupp.stop; })},
      {"http.listen", text([](Settings& s) -> std::string& { return s.http.listen; })},
      {"http.recipient", set_http_recipient},
      {"http.trust_loopback", set_trust_loopback},
      {"http.hosts", set_hosts},
      {"http.allow_targets", set_targets},
      {"http.certificate", text([](Settings& s) -> std::string& { return s.http.certificate; })},
      {"http.key", text([](Settings& s) -> std::string& { return s.http.key; })},
      {"http.requests_per_minute", number([](Settings& s) -> int& { return s.http.requests_per_minute; })},
      {"http.connections", number([](Settings& s) -> int& { return s.http.connections; })},
      {"budgets.polecat", number([](Settings& s) -> int& { return s.budgets["polecat"]; })},
      {"budgets.dog", number([](Settings& s) -> int& { return s.budgets["dog"]; })},
      {"budgets.crew", number([](Settings& s) -> int& { return s.budgets["crew"]; })},
      {"budgets.session", number([](Settings& s) -> int& { return s.budgets["session"]; })},
      {"budgets.witness", number([](Settings& s) -> int& { return s.budgets["witness"]; })},
      {"budgets.refinery", number([](Settings& s) -> int& { return s.budgets["refinery"]; })},
      {"budgets.deacon", number([](Settings& s) -> int& { return s.budgets["deacon"]; })},
      {"budgets.mayor", number([](Settings& s) -> int& { return s.budgets["mayor"]; })},
  };
  return kSetters;
}

Error no_kind(std::string_view key, int line) {
  return {Code::usage,
          cat("line ", line, ": ", for_terminal_line(key), " has a value of a kind that no setting has"),
          "",
          {}};
}

/// Whether a key belongs to the definition of a message type.
bool is_type(std::string_view key) { return key == "types" || key.starts_with("types."); }

}  // namespace

void Settings::note(const std::vector<Error>& refused) {
  for (const auto& error : refused)
    warnings.push_back(cat(error.message, error.hint.empty() ? "" : cat("; ", error.hint)));
}

void Settings::add_types(std::string_view toml, std::string_view file) { note(types.add(toml, file)); }

Result<Settings> Settings::parse(std::string_view toml) {
  Settings settings;
  auto file = TomlFile::parse(toml, TomlFile::Others::listed);
  auto in_file = [](Error error) {
    error.message = cat("town.toml, ", error.message);
    error.hint = "correct .town/town.toml";
    return fail(std::move(error));
  };
  if (!file) return in_file(file.error());
  for (const auto& [key, line] : file->others())
    if (!is_type(key)) return in_file(no_kind(key, line));
  const auto& tables = file->tables();
  if (std::any_of(tables.begin(), tables.end(), [](const auto& table) { return is_type(table.first); }))
    settings.note(settings.types.add(toml, "town.toml", protocol::Beside::settings));
  for (const auto& [key, entry] : file->entries()) {
    if (is_type(key)) continue;
    if (std::holds_alternative<TomlFile::Words>(entry.value)) return in_file(no_kind(key, entry.line));
    const auto setter = setters().find(key);
    if (setter == setters().end()) {
      auto of_role = set_role(key, entry, settings);
      if (!of_role) return in_file(of_role.error());
      if (*of_role) continue;
      settings.warnings.push_back(cat("town.toml, line ", entry.line, ": nothing reads ", for_terminal_line(key)));
      continue;
    }
    if (auto done = setter->second(entry, settings); !done) return in_file(done.error());
  }
  settings.put_gupp_in_order();
  return settings;
}

RolePolicy Settings::policy(Role role) const {
  const auto found = roles.find(std::string(name(role)));
  return found == roles.end() ? RolePolicy() : found->second;
}

/// A ladder climbs: a step below the one before it is lifted to it, and a person is told.
void Settings::put_gupp_in_order() {
  auto lift = [&](Millis& step, Millis least, std::string_view word, std::string_view before) {
    if (step >= least) return;
    warnings.push_back(
        cat("town.toml: gupp.", word, " is less than ", before, "; ", least.count() / 1000, " s are taken"));
    step = least;
  };
  lift(gupp.warn, std::chrono::minutes(1), "warn", "a minute");
  lift(gupp.escalate, gupp.warn, "escalate", "gupp.warn");
  lift(gupp.stop, gupp.escalate, "stop", "gupp.escalate");
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr std::string_view kHex = "0123456789abcdef";
      out += cat("\\u00", kHex[byte >> 4], kHex[byte & 15]);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string new_town_toml(std::string_view town_name, std::string_view store) {
  const std::string quoted = toml_string(town_name);
  const std::string store_line =
      store.empty() ? "# url = \"sqlite\"            # sqlite (town.db), sqlite:FILE or postgres://HOST/DATABASE"
                    : "url = " + toml_string(store);
  return cat(
      R"toml(# Settings of this town. Every line is optional; lines with a # in front show the default.

[town]
name = )toml",
      quoted,
      R"toml(               # the town's name
# human = "overseer"        # how the human's address is printed: "overseer" or "user"
# group = ""                # a Unix group whose members may also use this town; each runs gt trust once
# escalation = "mayor/"     # gets a mail when a rule needs someone to look

)toml"
      "[store]                     # the file town.db next to this one, or a PostgreSQL that several machines share\n",
      store_line, R"toml(
# url = "postgres://db.example/town"   # passwords: ~/.pgpass or PGPASSWORD, never here

[mail]
# wisp_age = "24h"          # transient mail (--wisp) is dropped once it is read and older than this

[log]                       # the event log; a message's events stay as long as the message
# age = "7d"                # events of mail stay as long as the mail, others for this long
# entries = 1000000         # at least this many of the newest events stay

[notify]                    # how you are told that an agent needs you, while gt up runs
# command = ""              # a program and its arguments, no shell; GT_NOTIFY_TEXT says what it is about
# bell = true               # ring the bell of the terminal that gt up or gt top has
# spacing = "1m"            # about one agent no sooner again

[limits]                    # 0 turns a rule off
# enabled = true            # false turns all rules off, for load tests
# hops_held = 8             # L1: a longer chain of answers wakes nobody
# hops_refused = 16         # L1: a longer chain of answers is refused
# pair_per_minute = 10      # L2: messages of one sender to one recipient, in a minute
# pair_per_hour = 30        # L2: messages of one sender to one recipient, in an hour
# self_per_minute = 3       # L2: messages to itself, in a minute
# sender_per_hour = 120     # L3: messages of one sender, in an hour (mayor and deacon: five times that)
# sender_per_day = 600      # L3: messages of one sender, in a day
# duplicate_minutes = 10    # L5: the same mail within this time, or while unread, is stored once
# wake_spacing_s = 30       # L4: agents wake one recipient at most once in this many seconds
# wakes_per_hour = 20       # L4: agents wake one recipient at most this often in an hour
# urgent_wakes_per_hour = 10  # L4: urgent wakes of one recipient by agents, in an hour
# mail_spacing_s = 5        # L4: mail interrupts one recipient at most once in this many seconds, from anyone
# town_wakes_per_hour = 60  # L6: wakes by all agents together, in an hour (or ten for each agent, if that is more)

[nudges]
# depth = 50                # nudges that may wait for one agent; the next one is refused
# urgent_mail = "wait-idle" # how urgent mail wakes: "wait-idle", "soon" (between two tools) or "immediate"
# mail_commands = "gt"      # the commands named to agents: "gt", or "bd" (bd show, bd create)

# [roles]                   # recipients of typed mail by role: chiron = "ADDRESS" (default: the agent of that name)

# [roles.polecat]           # also crew, dog, session, witness, refinery, deacon, mayor
# exits_on_idle = true      # a supervised agent stops when idle for long (the mayor never does)
# idle_timeout = "2m"       # a supervised agent stops after this (refinery: 10m; at a terminal only if set)
# gupp_exempt = false       # true: no warnings for silence
# default_mode = "wait-idle"  # how nudges without a mode reach it

[gupp]
# warn = "15m"              # an agent with work and silent for this long gets a nudge
# escalate = "60m"          # silent for this long: the escalation target gets a mail
# stop = "120m"             # silent for this long: it is stopped, if gt agent run supervises it

[http]                      # what gt up and gt serve answer over the network
# listen = "127.0.0.1:8420" # where; "off": nowhere
# recipient = "mayor/"      # who gets mail that names nobody
# trust_loopback = false    # true: any program of this machine reads and sends as you, without a token
# hosts = ""                # other names that this server is called by, separated by spaces
# allow_targets = ""        # private machines that agents may run on (HOST or HOST:PORT), separated by spaces
# certificate = ""          # TLS: a file of certificates (PEM)
# key = ""                  # TLS: its private key (PEM)
# requests_per_minute = 600 # of one token
# connections = 1024        # at a time; gt up --replace applies a change

[budgets]                   # for every role; gt mail budget shows them; nothing is blocked
# polecat = 1               # messages a polecat should send in a session
# dog = 0                   # messages a dog should send in a session

# Message types of your own: [types.NAME] here, or in .town/types/*.toml; docs/protocol.md shows how.
)toml");
}

}  // namespace townpost
