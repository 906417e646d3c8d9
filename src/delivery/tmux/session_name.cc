#include "delivery/tmux/session_name.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

/// What every session of this owner ends in, whatever stands before it. Empty: it has no session.
std::string bare_name(const Address& address) {
  switch (address.role()) {
    case Role::mayor:
      return "mayor";
    case Role::deacon:
      return "deacon";
    case Role::dog:
      return cat("dog-", address.name());
    case Role::witness:
      return "witness";
    case Role::refinery:
      return "refinery";
    case Role::crew:
      return cat("crew-", address.name());
    case Role::polecat:
    case Role::session:
      return address.name();
    case Role::human:
    case Role::system:
      return "";
  }
  return "";
}

/// tmux itself writes `_` where a session's name may not hold a character.
std::string as_tmux_spells_it(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

std::optional<std::string> only_one_ending_in(const std::string& ending, const std::vector<std::string>& live) {
  std::optional<std::string> found;
  for (const auto& name : live) {
    if (!std::string_view(name).ends_with(ending)) continue;
    if (found) return std::nullopt;
    found = name;
  }
  return found;
}

}  // namespace

std::optional<std::string> session_name(const Address& address, std::string_view rig_prefix) {
  const auto name = bare_name(address);
  if (name.empty()) return std::nullopt;
  if (address.role() == Role::session) return as_tmux_spells_it(name);
  if (address.rig().empty()) return as_tmux_spells_it(cat("hq-", name));
  if (rig_prefix.empty()) return std::nullopt;
  return as_tmux_spells_it(cat(rig_prefix, "-", name));
}

std::optional<std::string> live_session(const Address& address, std::string_view rig_prefix,
                                        const std::vector<std::string>& live) {
  const auto name = bare_name(address);
  if (name.empty()) return std::nullopt;
  auto exact = session_name(address, rig_prefix);
  if (exact && std::find(live.begin(), live.end(), *exact) != live.end()) return exact;
  // With the rig's prefix known, `-alpha` alone could be another rig's alpha.
  const bool in_rig = exact && !address.rig().empty();
  return only_one_ending_in(cat("-", in_rig ? *exact : as_tmux_spells_it(name)), live);
}

}  // namespace townpost
