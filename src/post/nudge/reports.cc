#include "post/nudge/reports.h"

#include <array>

#include "base/text.h"
#include "post/nudge/nudges.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr std::array<std::string_view, 5> kNames = {"started", "busy", "idle", "exited", "heartbeat"};
static_assert(kNames.size() == static_cast<std::size_t>(last_value(Reported{})) + 1);
constexpr std::string_view kWord = "http";
constexpr std::size_t kDetail = 200;

bool is_reported(const Presence& presence) {
  return presence.harness.word() == kWord || (presence.harness == Harness() && presence.pid == 0);
}

AgentState state_after(Reported what, AgentState before) {
  switch (what) {
    case Reported::started:
    case Reported::busy:
      return AgentState::running;
    case Reported::idle:
      return AgentState::idle;
    case Reported::exited:
      return AgentState::exited;
    case Reported::heartbeat:
      break;
  }
  return is_over(before) ? AgentState::running : before;
}

}  // namespace

std::vector<std::string_view> reported_names() { return {kNames.begin(), kNames.end()}; }

std::optional<Reported> find_reported(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == text) return static_cast<Reported>(i);
  return std::nullopt;
}

Harness reported_harness() { return Harness::of_word(kWord); }

Result<Presence> report(Town& town, const Agent& agent, Reported what, std::string_view detail) {
  TRY(stored, read_value(town.store, [&](Ledger& ledger) { return stored_presence(ledger, agent.id); }));
  const auto known = seen_presence(town, stored);
  if (known && is_live(*known) && !is_over(known->state) && !is_reported(*known))
    return fail(Code::refused, cat(agent.address.str(), " has a session that the town sees itself"),
                "its own hooks or terminal say how it is");
  const Instant now = town.clock.now();
  const bool begins = what == Reported::started || !known || is_over(known->state) || known->incarnation.empty();
  Presence next = begins ? Presence{.agent = agent.id} : *known;
  if (begins) {
    next.incarnation = cat("http.", now.ms);
    next.started_at = now;
  }
  const auto state = state_after(what, begins ? AgentState::running : next.state);
  if (begins || next.state != state) next.since = now;
  next.state = state;
  next.harness = reported_harness();
  next.session = agent.session;
  next.last_activity = now;
  if (what != Reported::heartbeat) next.detail = in_its_words(shorten(to_utf8(detail), kDetail));
  PresenceFiles(town.folder).write(next);
  if (what != Reported::heartbeat)
    TRY_VOID(Nudges(town).settle(agent.id, next.incarnation,
                                 begins ? Nudges::Since::new_session : Nudges::Since::next_event, {},
                                 cat("reported ", kNames[static_cast<std::size_t>(what)])));
  return next;
}

}  // namespace townpost
