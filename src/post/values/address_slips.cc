#include "post/values/address_slips.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace townpost {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Words that other tools have, and the ones of ours.
constexpr std::array<Pair, 24> kWords = {{{"all", "@town"},
                                          {"everyone", "@town"},
                                          {"everybody", "@town"},
                                          {"team", "@town"},
                                          {"here", "@town"},
                                          {"agents", "@town"},
                                          {"*", "@town"},
                                          {"human", "overseer"},
                                          {"person", "overseer"},
                                          {"operator", "overseer"},
                                          {"boss", "overseer"},
                                          {"admin", "overseer"},
                                          {"owner", "overseer"},
                                          {"bigboss", "overseer"},
                                          {"polecat", "@polecats"},
                                          {"crews", "@crew"},
                                          {"crewmates", "@crew"},
                                          {"witness", "@witnesses"},
                                          {"refinery", "@refineries"},
                                          {"refinerys", "@refineries"},
                                          {"dog", "@dogs"},
                                          {"rig", kAnyRig},
                                          {"rigs", kAnyRig},
                                          {"mayors", "mayor/"}}};

/// "list:backend" of another town's tools, and ours.
constexpr std::array<Pair, 6> kKinds = {{{"list", "group"},
                                         {"mailing-list", "group"},
                                         {"announce", "channel"},
                                         {"topic", "channel"},
                                         {"chan", "channel"},
                                         {"worker", "agent"}}};

template <std::size_t N>
std::string_view find(const std::array<Pair, N>& pairs, std::string_view word) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return pair.first == word; });
  return found == pairs.end() ? std::string_view() : found->second;
}

/// Gaps as the one sign that names have between their parts.
std::string closed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool gap = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!gap)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  return out;
}

std::string guess(std::string_view typed) {
  const std::string text = closed(trim(typed));
  const std::string lower = lower_ascii(text);
  const auto word = std::string_view(lower).substr(lower.starts_with('@') ? 1 : 0);
  if (const auto known = find(kWords, word); !known.empty()) return std::string(known);
  if (lower.starts_with('#')) return "channel:" + lower.substr(1);
  if (const auto colon = lower.find(':'); colon != std::string::npos) {
    const auto kind = find(kKinds, lower.substr(0, colon));
    const auto name = text.substr(colon + 1);
    return kind.empty() ? cat(text.substr(0, colon), "/", name) : cat(kind, ":", lower_ascii(name));
  }
  if (const auto at = text.find('@'); at != std::string::npos && at > 0)
    return cat(text.substr(at + 1), "/", text.substr(0, at));
  for (const auto& [one, several] :
       {Pair{"/polecat/", "/polecats/"}, Pair{"/crews/", "/crew/"}, Pair{"/dog/", "/dogs/"}})
    if (const auto at = lower.find(one); at != std::string::npos)
      return cat(text.substr(0, at), several, text.substr(at + one.size()));
  if (text.size() > 1 && text.ends_with('/')) return cat("@rig/", text.substr(0, text.size() - 1));
  if (text != typed && !text.empty()) return text == trim(typed) ? text : lower;
  return "";
}

}  // namespace

std::string address_meant_by(std::string_view typed) {
  if (typed.size() > 200 || !is_utf8(typed)) return "";
  auto meant = guess(typed);
  return meant == typed ? "" : meant;
}

}  // namespace townpost
