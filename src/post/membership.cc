#include "post/membership.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "post/resolve.h"

namespace townpost {

namespace {

using Kind = Destination::Kind;

/// The group that a destination names, if it names one.
std::string group_named_by(const Destination& destination) {
  if (destination.kind == Kind::group) return destination.segments[0];
  if (destination.kind == Kind::pattern && !is_registry_pattern(destination.segments)) return destination.segments[0];
  return "";
}

/// Walks through groups within groups, each once, and hands every member that is no group to `visit`, until it is told
/// to stop.
class Walk {
 public:
  using Visit = std::function<Result<bool>(const Destination&)>;  ///< true: go on
  Walk(Ledger& ledger, Visit visit) : ledger_(ledger), visit_(std::move(visit)) {}

  Result<bool> member(const std::string& text) {
    TRY(destination, Destination::parse(text));
    const auto group = group_named_by(destination);
    if (group.empty()) return visit_(destination);
    if (!seen_.insert(group).second) return true;  // a group that contains itself
    TRY(found, ledger_.find_group(group));
    if (!found) return visit_(destination);
    for (const auto& inner : found->members) {
      TRY(go_on, member(inner));
      if (!go_on) return false;
    }
    return true;
  }

 private:
  Ledger& ledger_;
  Visit visit_;
  std::set<std::string> seen_;
};

bool matches(const Destination& destination, const Address& address) {
  return destination.kind == Kind::pattern ? matches_pattern(destination.segments, address)
                                           : matches_wildcard(destination.segments, address);
}

Result<std::vector<Agent>> agents_of(Ledger& ledger, const Destination& destination) {
  if (!group_named_by(destination).empty()) return std::vector<Agent>();  // a group that is not there
  std::vector<Agent> out;
  if (destination.kind == Kind::pattern || destination.kind == Kind::wildcard) {
    TRY(everyone, deliverable(ledger));
    for (const auto& agent : everyone)
      if (matches(destination, agent.address)) out.push_back(agent);
    return out;
  }
  auto one = resolve_one(ledger, destination.text);
  if (one) {
    out.push_back(*one);
  } else if (one.error().code == Code::unavailable) {
    return Failure(one.error());
  }
  return out;
}

bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(), [](char c) { return c == '*'; });
}

bool is_glob(std::string_view text) { return text.find('*') != std::string_view::npos && !text.starts_with('@'); }

}  // namespace

Result<std::string> member_spelling(Ledger& ledger, std::string_view text) {
  TRY(destination, Destination::parse(text));
  if (destination.kind == Kind::queue || destination.kind == Kind::channel)
    return fail(Code::usage, cat("a ", destination.kind == Kind::queue ? "queue" : "channel", " is no member"),
                "members are addresses, wildcards, @patterns and groups");
  if (const auto group = group_named_by(destination); !group.empty()) return "group:" + group;
  if (destination.kind == Kind::pattern || destination.kind == Kind::wildcard) return destination.text;
  if (destination.kind == Kind::bare_name && !destination.agents_only) {
    TRY(group, ledger.find_group(destination.segments[0]));
    if (group) return "group:" + group->name;
  }
  auto agent = resolve_one(ledger, destination.text);
  if (agent) return agent->address.str();
  if (agent.error().code != Code::not_found) return Failure(agent.error());
  // Somebody who is not there yet: a name that stands for nobody now may be somebody's later.
  return destination.agents_only ? destination.segments[0] : destination.text;
}

Result<std::vector<Agent>> expand_member(Ledger& ledger, const std::string& member) {
  std::vector<Agent> out;
  Walk walk(ledger, [&](const Destination& destination) -> Result<bool> {
    TRY(agents, agents_of(ledger, destination));
    for (const auto& agent : agents)
      if (std::none_of(out.begin(), out.end(), [&](const Agent& known) { return known.address == agent.address; }))
        out.push_back(agent);
    return true;
  });
  TRY_VOID(walk.member(member));
  return out;
}

Result<Expansion> expand_group(Ledger& ledger, const Group& group) {
  Expansion out;
  Walk walk(ledger, [&](const Destination& destination) -> Result<bool> {
    TRY(agents, agents_of(ledger, destination));
    if (agents.empty()) out.unmatched.push_back(destination.text);
    for (const auto& agent : agents)
      if (std::none_of(out.agents.begin(), out.agents.end(),
                       [&](const Agent& known) { return known.address == agent.address; }))
        out.agents.push_back(agent);
    return true;
  });
  TRY_VOID(walk.member("group:" + group.name));
  return out;
}

Result<bool> covers(Ledger& ledger, const std::string& member, const Agent& agent) {
  bool found = false;
  Walk walk(ledger, [&](const Destination& destination) -> Result<bool> {
    if (destination.kind == Kind::pattern || destination.kind == Kind::wildcard) {
      found = matches(destination, agent.address);
    } else if (destination.kind != Kind::group) {
      found = destination.text == agent.address.str();
      if (!found) {  // a shorthand or an earlier name
        TRY(agents, agents_of(ledger, destination));
        found = !agents.empty() && agents.front().address == agent.address;
      }
    }
    return !found;
  });
  TRY_VOID(walk.member(member));
  return found;
}

Result<std::string> claimers_spelling(Ledger& ledger, std::string_view text) {
  if (text == "*") return std::string(text);
  if (!is_glob(text)) return member_spelling(ledger, text);
  const auto segments = split(text, '/');
  const bool well_formed = text.size() <= 200 && segments.size() <= 3 &&
                           std::all_of(segments.begin(), segments.end(), [](std::string_view segment) {
                             std::string plain(segment);
                             std::replace(plain.begin(), plain.end(), '*', 'x');
                             return is_segment(plain) && !segment.starts_with('-');
                           });
  if (!well_formed)
    return fail(Code::usage, cat("\"", for_terminal_line(shorten(to_utf8(text), 80)), "\" is no pattern of claimers"),
                "write *, an address, a wildcard such as <rig>/polecats/*, an @pattern or a group");
  return std::string(text);
}

bool matches_claimers(std::string_view pattern, std::string_view text) {
  if (pattern == "*") return true;
  if (text.ends_with('/')) text.remove_suffix(1);
  if (pattern.ends_with('/')) pattern.remove_suffix(1);
  const auto wanted = split(pattern, '/');
  const auto parts = split(text, '/');
  if (wanted.size() != parts.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].empty() || !glob(wanted[i], parts[i])) return false;
  return true;
}

Result<bool> may_claim(Ledger& ledger, const std::string& claimers, const Agent& agent) {
  if (claimers == "*" || is_glob(claimers)) return matches_claimers(claimers, agent.address.str());
  return covers(ledger, claimers, agent);
}

}  // namespace townpost
