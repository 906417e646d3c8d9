#pragma once
#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace townpost {

/// What a mailbox's owner is in the town.
enum class Role { human, mayor, deacon, witness, refinery, polecat, crew, dog, session, system };

/// "polecat", "witness", …: the word used in settings, the store and JSON.
std::string_view name(Role role);

/// Words that are parts of addresses and therefore no names of rigs or agents.
bool is_role_word(std::string_view word);

/// One part of an address: [A-Za-z0-9_.-]{1,64}, and not "." or "..".
bool is_segment(std::string_view text);

/// A name of a group, queue or channel: [a-z0-9][a-z0-9_-]{0,63}.
bool is_list_name(std::string_view text);

/// Where mail goes: one canonical spelling per mailbox. parse() is the only way in, so whoever holds an Address holds a
/// valid one. Shorthands such as `rig/max` are no Address before the registry has said who is meant (see Destination).
class Address {
 public:
  static Result<Address> parse(std::string_view text);
  static Address human() { return {"overseer", Role::human, "", ""}; }
  /// The town's own voice: reminders, bounces, escalations by rule. It reads no mail.
  static Address system() { return {"townpost", Role::system, "", "townpost"}; }

  const std::string& str() const { return text_; }
  Role role() const { return role_; }
  const std::string& rig() const { return rig_; }    ///< empty for town-level mailboxes
  const std::string& name() const { return name_; }  ///< of a worker, dog or session; else empty

  friend bool operator==(const Address& a, const Address& b) { return a.text_ == b.text_; }
  friend auto operator<=>(const Address& a, const Address& b) { return a.text_ <=> b.text_; }

 private:
  Address(std::string text, Role role, std::string rig, std::string name)
      : text_(std::move(text)), role_(role), rig_(std::move(rig)), name_(std::move(name)) {}
  friend struct AddressMaker;

  std::string text_;
  Role role_;
  std::string rig_;
  std::string name_;
};

/// What may be written where a recipient is expected, understood as far as grammar alone can tell. The one grammar and
/// the one normaliser: parse(d.text).text == d.text.
struct Destination {
  enum class Kind {
    mailbox,      ///< canonical: `mayor/`, `rig/crew/max`, `coder`
    rig_worker,   ///< `rig/max`: the polecat or crew member of that name
    role_worker,  ///< `crew/max`: in exactly one rig
    bare_name,    ///< `max`: agent, worker, session, group, queue or channel
    pattern,      ///< `@crew`, `@rig/beads`, `@groupname`
    wildcard,     ///< `*/witness`
    group,        ///< `group:n`
    queue,        ///< `queue:n`
    channel,      ///< `channel:n`
  };
  Kind kind = Kind::bare_name;
  std::string text;                   ///< canonical spelling
  std::vector<std::string> segments;  ///< of the part behind a prefix or `@`
  bool agents_only = false;           ///< `agent:n`: never a group, queue or channel

  static Result<Destination> parse(std::string_view text);
};

/// Whether `address` (canonical) is matched segment by segment; `*` stands for exactly one segment.
bool matches_wildcard(const std::vector<std::string>& pattern, const Address& address);

/// Whether the `@pattern` with these segments covers `address`; false for a pattern that names a group.
bool matches_pattern(const std::vector<std::string>& pattern, const Address& address);

/// Whether these segments are one of the patterns over the registry (`@crew`, `@rig/R`), not a group's name.
bool is_registry_pattern(const std::vector<std::string>& pattern);

}  // namespace townpost
