#include "post/people/membership.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "post/people/resolve.h"

namespace townpost {

namespace {

using Kind = Destination::Kind;

/// The group that a destination names, if it names one.
std::string group_named_by(const Destination& destination) {
  if (destination.kind == Kind::group) return destination.segments[0];
  if (destination.kind == Kind::pattern && !is_registry_pattern(destination.segments)) return destination.segments[0];
  return "";
}

/// Walks through groups within groups, each once and as many as may be, and hands every member that is no group to
/// `visit`, until it is told to stop. What is stored may be nested as deep as anybody liked, so nothing here recurses.
class Walk {
 public:
  using Visit = std::function<Result<bool>(const Destination&)>;  ///< true: go on
  Walk(Ledger& ledger, Visit visit) : ledger_(ledger), visit_(std::move(visit)) {}

  Result<> from(const std::string& member) {
    std::vector<std::string> left = {member};  // the next one last
    while (!left.empty()) {
      const std::string text = std::move(left.back());
      left.pop_back();
      if (members_++ > kMostNestedMembers) {
        cut_ = true;
        return {};
      }
      const auto destination = Destination::parse(text);
      if (!destination) continue;  // damaged: it stands for nobody
      const auto name = group_named_by(*destination);
      if (groups_.contains(name)) continue;  // a group that contains itself
      if (passed_ && passed_->contains(name)) continue;
      if (!name.empty() && groups_.size() >= kMostNestedGroups) {
        cut_ = true;
        continue;
      }
      std::optional<Group> group;
      if (!name.empty()) {
        groups_.insert(name);
        TRY(found, ledger_.find_group(name));
        group = std::move(found);
      }
      if (group) {
        left.insert(left.end(), group->members.rbegin(), group->members.rend());
        continue;
      }
      TRY(go_on, visit_(*destination));
      if (!go_on) return {};
    }
    return {};
  }
  /// Groups that need not be looked into.
  void pass_over(const std::set<std::string>& groups) { passed_ = &groups; }
  /// Every group that was come by.
  const std::set<std::string>& groups() const { return groups_; }
  /// Whether there was more than is looked into.
  bool was_cut() const { return cut_; }

 private:
  Ledger& ledger_;
  Visit visit_;
  std::set<std::string> groups_;
  std::size_t members_ = 0;
  const std::set<std::string>* passed_ = nullptr;
  bool cut_ = false;
};

bool matches(const Destination& destination, const Address& address) {
  return destination.kind == Kind::pattern ? matches_pattern(destination.segments, address)
                                           : matches_wildcard(destination.segments, address);
}

/// Collects whom members stand for, each mailbox once.
class Crowd {
 public:
  explicit Crowd(Ledger& ledger) : ledger_(ledger) {}

  /// How many this one stands for, known before or not.
  Result<std::size_t> add(const Destination& destination) {
    if (!group_named_by(destination).empty()) return std::size_t{0};  // a group that is not there
    if (destination.kind != Kind::pattern && destination.kind != Kind::wildcard) {
      auto one = resolve_one(ledger_, destination, destination.text);
      if (!one && one.error().code == Code::unavailable) return Failure(one.error());
      if (one) add(*one);
      return one ? std::size_t{1} : std::size_t{0};
    }
    const auto [known, fresh] = patterns_.try_emplace(destination.text, 0);
    if (!fresh) return known->second;
    if (!everyone_) {
      TRY(all, deliverable(ledger_));
      everyone_ = std::move(all);
    }
    for (const auto& agent : *everyone_) {
      if (!matches(destination, agent.address)) continue;
      add(agent);
      ++known->second;
    }
    return known->second;
  }
  std::vector<Agent> take() { return std::move(agents_); }

 private:
  void add(const Agent& agent) {
    if (addresses_.insert(agent.address).second) agents_.push_back(agent);
  }
  Ledger& ledger_;
  std::optional<std::vector<Agent>> everyone_;
  std::map<std::string, std::size_t> patterns_;
  std::set<Address> addresses_;
  std::vector<Agent> agents_;
};

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
    return fail(Code::usage, cat("a ", destination.kind == Kind::queue ? "queue" : "channel", " cannot be a member"),
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
  // Somebody who is not there yet: a name that stands for nobody now may be somebody's later, or a group's if no
  // agent's was asked for.
  return destination.text;
}

Failure too_many_groups(std::string_view group) {
  return fail(Code::refused,
              cat("group ", group, " contains more than ", kMostNestedGroups, " groups, or ", kMostNestedMembers,
                  " members in them"),
              next("group.show", {{"name", std::string(group)}}, " lists its members; take some out"));
}

Result<std::vector<Agent>> expand_member(Ledger& ledger, const std::string& member) {
  Crowd crowd(ledger);
  Walk walk(ledger, [&](const Destination& destination) -> Result<bool> {
    TRY_VOID(crowd.add(destination));
    return true;
  });
  TRY_VOID(walk.from(member));
  return crowd.take();
}

Result<Expansion> expand_group(Ledger& ledger, const Group& group) {
  Expansion out;
  Crowd crowd(ledger);
  Walk walk(ledger, [&](const Destination& destination) -> Result<bool> {
    TRY(number, crowd.add(destination));
    if (number == 0) out.unmatched.push_back(destination.text);
    return true;
  });
  TRY_VOID(walk.from("group:" + group.name));
  out.agents = crowd.take();
  out.too_large = walk.was_cut();
  return out;
}

/// Whether a shorthand or an earlier name may be meant: most members are somebody else's whole address, and need not be
/// looked up.
Result<bool> Coverage::may_be_it(const Destination& destination) {
  if (!last_words_) {
    TRY(names, ledger_.aliases(agent_.id));
    names.push_back(agent_.address.str());
    last_words_.emplace();
    for (const auto& name : names) {
      std::string_view text = name;
      if (text.ends_with('/')) text.remove_suffix(1);
      last_words_->emplace(split(text, '/').back());
    }
  }
  return last_words_->contains(destination.segments.back());
}

Result<bool> Coverage::is_it(const Destination& destination) {
  if (destination.kind == Kind::pattern || destination.kind == Kind::wildcard)
    return matches(destination, agent_.address);
  if (destination.kind == Kind::group) return false;
  if (destination.text == agent_.address.str()) return true;
  TRY(may_be, may_be_it(destination));
  if (!may_be) return false;
  auto one = resolve_one(ledger_, destination.text);
  if (!one && one.error().code == Code::unavailable) return Failure(one.error());
  return one && one->address == agent_.address;
}

Result<bool> Coverage::covers(const std::string& member) {
  bool found = false;
  Walk walk(ledger_, [&](const Destination& destination) -> Result<bool> {
    TRY(it, is_it(destination));
    found = it;
    return !found;
  });
  walk.pass_over(without_);
  TRY_VOID(walk.from(member));
  if (!found) without_.insert(walk.groups().begin(), walk.groups().end());
  return found;
}

Result<bool> covers(Ledger& ledger, const std::string& member, const Agent& agent) {
  return Coverage(ledger, agent).covers(member);
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
    return fail(Code::usage,
                cat("\"", for_terminal_line(shorten(to_utf8(text), 80)), "\" is not a pattern of claimers"),
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

Result<bool> anybody_may_claim(Ledger& ledger, const std::string& claimers) {
  if (claimers == "*") return true;
  std::vector<Agent> candidates;
  if (is_glob(claimers)) {
    TRY(everyone, deliverable(ledger));
    candidates = std::move(everyone);
    std::erase_if(candidates, [&](const Agent& agent) { return !matches_claimers(claimers, agent.address.str()); });
  } else {
    TRY(members, expand_member(ledger, claimers));
    candidates = std::move(members);
  }
  TRY(quarantined, ledger.quarantined_agents());
  return std::any_of(candidates.begin(), candidates.end(), [&](const Agent& agent) {
    return agent.address.role() != Role::system &&
           std::none_of(quarantined.begin(), quarantined.end(), [&](const Agent& one) { return one.id == agent.id; });
  });
}

}  // namespace townpost
