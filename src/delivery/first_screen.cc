#include "delivery/first_screen.h"

#include "base/private_files.h"
#include "base/text.h"
#include "delivery/courier.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr Millis kBetweenLooks = std::chrono::seconds(5);
/// A list that is not there by then does not come before the first turn.
constexpr Millis kListsCome = std::chrono::seconds(20);

/// Whether nobody looked just now, in this process or another. Whoever asks looks.
bool is_time_to_look(const Town& town, AgentId agent) {
  const auto file = town.folder / "run" / "first" / cat(agent.key);
  const Instant now = town.clock.now();
  if (const auto text = read_private_file(file, 32)) {
    const Millis since = now - Instant{std::atoll(text->c_str())};
    if (since >= Millis(0) && since < kBetweenLooks) return false;
  }
  if (!make_private_folders(file.parent_path())) return true;
  (void)write_file_lightly(file, cat(now.ms));
  return true;
}

/// Where its screen is; empty where there is none to be seen.
std::string pane_of(const Agent& agent, const Presence& presence) {
  if (presence.harness.is(Harness::Kind::hooked)) return presence.session;
  return presence.harness.is(Harness::Kind::terminal) ? agent.session : std::string();
}

/// What is noted of a session that has told of its start and of nothing else.
AgentState state_at_start(const Presence& presence) {
  return presence.harness.is(Harness::Kind::terminal) ? AgentState::starting : AgentState::idle;
}

}  // namespace

bool may_show_first_list(const Agent& agent, const Presence& presence) {
  return presence.started_at.ms != 0 && presence.since == presence.started_at &&
         (presence.state == state_at_start(presence) || presence.state == AgentState::blocked) &&
         pane_of(agent, presence).starts_with("tmux:");
}

std::optional<Presence> look_at_first_screen(Town& town, SessionDoors& doors, const Agent& agent,
                                             const Presence& presence, const std::string& host) {
  const bool is_here = presence.host.empty() || presence.host == host;
  if (!is_here || !may_show_first_list(agent, presence) || !is_time_to_look(town, agent.id)) return std::nullopt;
  auto session = doors.open(pane_of(agent, presence), agent, presence);
  if (!session) return std::nullopt;
  const auto look = (*session)->glance();
  const PresenceFiles files(town.folder);
  auto newest = files.read(agent.id);
  if (!newest || newest->incarnation != presence.incarnation || !may_show_first_list(agent, *newest))
    return std::nullopt;
  Presence after = *newest;
  if (look.state == SessionState::blocked) {
    after.state = AgentState::blocked;
    after.detail = detail_of(look);
  } else if (look.state == SessionState::idle || look.state == SessionState::typing) {
    after.state = state_at_start(after);
    after.detail.clear();
    // From a moment after its start: that is enough to tell that nobody need look again.
    if (town.clock.now() - after.started_at >= kListsCome) after.since = after.started_at + Millis(1);
  }
  if (after == *newest) return std::nullopt;
  files.write(after);
  return after;
}

std::optional<Presence> seen_at_a_list(SessionDoors& doors, const Agent& agent, const Presence& presence,
                                       const std::string& uri) {
  const bool was_seen = presence.harness.is(Harness::Kind::typed) && presence.state == AgentState::blocked;
  const bool may_be = was_seen || presence.state == AgentState::unknown || is_over(presence.state);
  if (!may_be || !uri.starts_with("tmux:")) return std::nullopt;
  auto session = doors.open(uri, agent, presence);
  if (!session) return std::nullopt;
  const auto look = (*session)->glance();
  if (look.state != SessionState::blocked && !was_seen) return std::nullopt;
  Presence after = presence;
  after.agent = agent.id;
  after.state = state_of(look.state);
  after.session = uri;
  after.detail = detail_of(look);
  return after;
}

}  // namespace townpost
