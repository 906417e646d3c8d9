#include "post/people/doubts.h"

#include <algorithm>

#include "base/text.h"
#include "post/people/resolve.h"

namespace townpost {

namespace {

using Kind = Destination::Kind;

constexpr const char* kPatterns[] = {"town", "crew", "polecats", "witnesses", "refineries", "dogs", "deacons"};

bool is_of_group(const Destination& destination) {
  return destination.kind == Kind::group || (destination.kind == Kind::pattern && destination.segments.size() == 1);
}

}  // namespace

Result<Doubts> Doubts::of(Ledger& ledger) {
  Doubts out;
  TRY(everyone, deliverable(ledger));
  for (const auto& agent : everyone) {
    const auto& address = agent.address;
    out.addresses_.push_back(address.str());
    if (!address.name().empty()) out.names_.emplace(address.name(), address.str());
  }
  TRY(groups, ledger.group_names());
  for (const auto& group : groups) out.names_.emplace(group, "group:" + group);
  for (const auto* pattern : kPatterns) out.names_.emplace(pattern, cat("@", pattern));
  TRY(rigs, ledger.rigs());
  for (const auto& rig : rigs) out.rigs_.push_back(rig.name);
  return out;
}

std::vector<std::string> Doubts::near_names(std::string_view name) const {
  std::vector<std::string> known;
  for (auto one = names_.begin(); one != names_.end(); one = names_.upper_bound(one->first))
    known.push_back(one->first);
  std::vector<std::string> out;
  for (const auto& word : nearest(name, known)) {
    const auto [first, last] = names_.equal_range(word);
    for (auto one = first; one != last; ++one) out.push_back(one->second);
  }
  return out;
}

std::vector<std::string> Doubts::near(std::string_view member) const {
  const auto destination = Destination::parse(member);
  if (!destination || destination->kind == Kind::wildcard) {  // a glob of claimers is no address
    const auto slash = std::min(member.find('/'), member.size());
    std::vector<std::string> out;
    for (const auto& rig : nearest(member.substr(0, slash), rigs_))
      if (rig != member.substr(0, slash)) out.push_back(cat(rig, member.substr(slash)));
    return out;
  }
  const auto& segments = destination->segments;
  if (is_of_group(*destination)) {
    auto out = near_names(segments[0]);
    std::erase_if(out, [](const auto& one) { return !one.starts_with("group:") && !one.starts_with('@'); });
    return out;
  }
  if (destination->kind == Kind::bare_name) return near_names(segments[0]);
  if (destination->kind != Kind::pattern) return nearest(destination->text, addresses_);
  std::vector<std::string> out;  // @rig/R, @crew/R
  for (const auto& rig : nearest(segments.back(), rigs_))
    if (rig != segments.back()) out.push_back(cat("@", segments.front(), "/", rig));
  return out;
}

std::string Doubts::meant(std::string_view member) const {
  constexpr std::size_t kMostNamed = 5;
  auto meant = near(member);
  std::erase(meant, std::string(member));  // that one is there, only nobody is in it
  if (meant.size() > kMostNamed) meant.resize(kMostNamed);
  return join(meant, ", ");
}

std::string Doubts::about(std::string_view member) const {
  const auto meant = this->meant(member);
  return cat("\"", for_terminal_line(shorten(to_utf8(member), 80)), "\" matches nobody now",
             meant.empty() ? "" : cat("; did you mean ", meant, "?"));
}

}  // namespace townpost
