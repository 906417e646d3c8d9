#include "post/values/address.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "post/values/address_slips.h"

namespace townpost {

namespace {

constexpr std::size_t kLongestAddress = 200;
constexpr std::array<std::string_view, 10> kRoleWords = {"mayor",    "deacon", "witness",  "refinery", "crew",
                                                         "polecats", "dogs",   "overseer", "user",     "hq"};
NextStep forms() {
  return "addresses look like mayor/, <rig>/witness, <rig>/crew/<name>, <rig>/polecats/<name>, a session name, @crew "
         "or "
         "*/witness; " +
         next("mail.directory", {}, " lists them");
}

bool is_segment_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

bool is_person_name(std::string_view text) { return is_segment(text) && !is_role_word(text); }

Failure not_an_address(std::string_view text) {
  return fail(Code::usage, cat("\"", for_terminal_line(shorten(to_utf8(text), 80)), "\" is not an address"), forms());
}

std::vector<std::string> segments_of(std::string_view text) {
  std::vector<std::string> out;
  for (auto part : split(text, '/')) out.emplace_back(part);
  return out;
}

}  // namespace

std::string_view name(Role role) {
  switch (role) {
    case Role::human:
      return "human";
    case Role::mayor:
      return "mayor";
    case Role::deacon:
      return "deacon";
    case Role::witness:
      return "witness";
    case Role::refinery:
      return "refinery";
    case Role::polecat:
      return "polecat";
    case Role::crew:
      return "crew";
    case Role::dog:
      return "dog";
    case Role::session:
      return "session";
    case Role::system:
      return "system";
  }
  return "session";
}

bool is_role_word(std::string_view word) {
  return std::find(kRoleWords.begin(), kRoleWords.end(), word) != kRoleWords.end();
}

bool is_segment(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), is_segment_character);
}

bool is_list_name(std::string_view text) {
  auto lower_or_digit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= 64 && lower_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return lower_or_digit(c) || c == '_' || c == '-'; });
}

/// Builds the canonical Address of segments that name a mailbox by grammar alone.
struct AddressMaker {
  static std::optional<Address> make(const std::vector<std::string>& s) {
    auto address = [](std::string text, Role role, std::string rig, std::string who) {
      return Address(std::move(text), role, std::move(rig), std::move(who));
    };
    if (s.size() == 1) {
      if (s[0] == "mayor") return address("mayor/", Role::mayor, "", "");
      if (s[0] == "deacon") return address("deacon/", Role::deacon, "", "");
      if (s[0] == "overseer" || s[0] == "user") return Address::human();
      if (s[0] == "townpost") return Address::system();
      if (is_person_name(s[0])) return address(s[0], Role::session, "", s[0]);
    } else if (s.size() == 2 && is_person_name(s[0])) {
      if (s[1] == "mayor") return address("mayor/", Role::mayor, "", "");
      if (s[1] == "deacon") return address("deacon/", Role::deacon, "", "");
      if (s[1] == "witness") return address(s[0] + "/witness", Role::witness, s[0], "");
      if (s[1] == "refinery") return address(s[0] + "/refinery", Role::refinery, s[0], "");
    } else if (s.size() == 3 && is_person_name(s[2])) {
      if (s[0] == "deacon" && s[1] == "dogs") return address("deacon/dogs/" + s[2], Role::dog, "", s[2]);
      if (is_person_name(s[0]) && s[1] == "crew") return address(join(s, "/"), Role::crew, s[0], s[2]);
      if (is_person_name(s[0]) && s[1] == "polecats") return address(join(s, "/"), Role::polecat, s[0], s[2]);
    }
    return std::nullopt;
  }
};

Result<Address> Address::parse(std::string_view text) {
  TRY(destination, Destination::parse(text));
  if (destination.kind == Destination::Kind::mailbox || destination.kind == Destination::Kind::bare_name)
    if (auto address = AddressMaker::make(destination.segments)) return *address;
  if (destination.kind == Destination::Kind::rig_worker || destination.kind == Destination::Kind::role_worker)
    return fail(Code::usage, cat("\"", destination.text, "\" is a shorthand"),
                "write <rig>/crew/<name> or <rig>/polecats/<name>");
  return fail(Code::usage, cat("\"", destination.text, "\" is not the address of one mailbox"), forms());
}

namespace {

using Kind = Destination::Kind;

Result<Destination> understand(std::string_view text) {
  if (text.empty()) return fail(Code::usage, "the address is empty", forms());
  if (text.size() > kLongestAddress)
    return fail(Code::usage,
                cat("the address is ", text.size(), " characters long; at most ", kLongestAddress, " are allowed"),
                forms());
  if (text.front() == '-') return not_an_address(text);

  Destination out;
  std::string_view rest = text;
  if (auto colon = text.find(':'); colon != std::string_view::npos) {
    const auto prefix = text.substr(0, colon);
    rest = text.substr(colon + 1);
    if (prefix == "agent") {
      out.agents_only = true;
      if (rest.starts_with('-')) return not_an_address(text);
    } else if (prefix == "group" || prefix == "queue" || prefix == "channel") {
      if (!is_list_name(rest))
        return fail(Code::usage,
                    cat("\"", for_terminal_line(shorten(to_utf8(rest), 80)), "\" is not a name of a ", prefix),
                    "names are 1 to 64 of a-z 0-9 _ - and start with a letter or digit");
      out.kind = prefix == "group" ? Kind::group : prefix == "queue" ? Kind::queue : Kind::channel;
      out.text = std::string(text);
      out.segments = {std::string(rest)};
      return out;
    } else {
      return not_an_address(text);
    }
  }

  if (!rest.empty() && rest.front() == '@' && !out.agents_only) {
    out.kind = Kind::pattern;
    out.segments = segments_of(rest.substr(1));
    out.text = std::string(rest);
    const bool group_name = out.segments.size() == 1 && is_list_name(out.segments[0]);
    const bool well_formed =
        std::all_of(out.segments.begin(), out.segments.end(), [](const auto& s) { return is_segment(s); });
    if (!well_formed || (!is_registry_pattern(out.segments) && !group_name))
      return fail(
          Code::usage, cat("\"", for_terminal_line(shorten(to_utf8(text), 80)), "\" is not a pattern"),
          "patterns are @town @crew @polecats @witnesses @refineries @dogs @overseer @rig/R @crew/R @polecats/R "
          "and @groupname");
    return out;
  }

  // The slash behind a town-level name is optional: `mayor` and `mayor/` are one.
  if (rest.size() > 1 && rest.back() == '/' && std::count(rest.begin(), rest.end(), '/') == 1) rest.remove_suffix(1);
  out.segments = segments_of(rest);
  if (out.segments.size() > 3) return not_an_address(text);
  if (rest.find('*') != std::string_view::npos) {
    if (out.segments.size() < 2)
      return fail(Code::usage, "a lone * means anyone and is for claimers only",
                  "write @town, */witness or <rig>/crew/*");
    for (const auto& s : out.segments)
      if (s != "*" && !is_segment(s)) return not_an_address(text);
    out.kind = Kind::wildcard;
    out.text = std::string(rest);
    return out;
  }
  for (const auto& s : out.segments)
    if (!is_segment(s)) return not_an_address(text);

  const std::string spelling = join(out.segments, "/");
  if (out.segments.size() == 1 && is_person_name(spelling) && spelling != "townpost") {
    out.kind = Kind::bare_name;
    out.text = out.agents_only ? "agent:" + spelling : spelling;
    return out;
  }
  if (auto address = AddressMaker::make(out.segments)) {
    out.kind = Kind::mailbox;
    out.text = address->str();
    out.segments = segments_of(out.text.back() == '/' ? out.text.substr(0, out.text.size() - 1) : out.text);
    return out;
  }
  if (out.segments.size() == 2 && is_person_name(out.segments[1])) {
    const bool role_first = out.segments[0] == "crew" || out.segments[0] == "polecats";
    if (role_first || is_person_name(out.segments[0])) {
      out.kind = role_first ? Kind::role_worker : Kind::rig_worker;
      out.text = spelling;
      return out;
    }
  }
  return not_an_address(text);
}

}  // namespace

Result<Destination> Destination::parse(std::string_view text) {
  auto understood = understand(text);
  if (understood) return understood;
  const auto meant = address_meant_by(text);
  const bool is_one = meant == kAnyRig || understand(meant).has_value();
  if (is_one) {
    auto& error = understood.error();
    error.hint = cat("did you mean ", meant, "?");
    error.next.reset();
  }
  return understood;
}

bool matches_wildcard(const std::vector<std::string>& pattern, const Address& address) {
  std::string_view text = address.str();
  if (text.back() == '/') text.remove_suffix(1);
  const auto parts = split(text, '/');
  if (parts.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (pattern[i] != "*" && pattern[i] != parts[i]) return false;
  return true;
}

bool is_registry_pattern(const std::vector<std::string>& p) {
  static constexpr std::array<std::string_view, 8> kWhole = {"town",       "crew", "polecats", "witnesses",
                                                             "refineries", "dogs", "deacons",  "overseer"};
  if (p.size() == 1) return std::find(kWhole.begin(), kWhole.end(), p[0]) != kWhole.end();
  return p.size() == 2 && (p[0] == "rig" || p[0] == "crew" || p[0] == "polecats") && is_person_name(p[1]);
}

bool matches_pattern(const std::vector<std::string>& p, const Address& address) {
  if (!is_registry_pattern(p)) return false;
  const Role role = address.role();
  if (p.size() == 2) {
    if (address.rig() != p[1]) return false;
    if (p[0] == "crew") return role == Role::crew;
    if (p[0] == "polecats") return role == Role::polecat;
    return true;
  }
  if (p[0] == "crew") return role == Role::crew;
  if (p[0] == "polecats") return role == Role::polecat;
  if (p[0] == "witnesses") return role == Role::witness;
  if (p[0] == "refineries") return role == Role::refinery;
  if (p[0] == "dogs") return role == Role::dog;
  if (p[0] == "deacons") return role == Role::deacon;
  if (p[0] == "overseer") return role == Role::human;
  return role != Role::human && role != Role::system;  // @town: every agent; the human has a pattern of its own
}

}  // namespace townpost
