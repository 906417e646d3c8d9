#include "delivery/courier.h"

#include <algorithm>
#include <thread>

#include "base/advice.h"
#include "base/files.h"
#include "base/text.h"
#include "delivery/claude/claude_hook.h"
#include "delivery/claude/transcript.h"
#include "delivery/claude/waiter.h"
#include "delivery/first_screen.h"
#include "delivery/http/http_runner.h"
#include "delivery/tmux/admission.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr Millis kBusyLook = std::chrono::seconds(2);
constexpr Millis kAwayLook = std::chrono::seconds(15);
/// So long after its turn a session's waiting hook may still be starting: where one comes, nothing is typed.
constexpr Millis kWaiterStarts = std::chrono::seconds(5);
constexpr Millis kActivityGrain = std::chrono::seconds(30);
constexpr int kProofLooks = 20;
constexpr int kLooksForTheOneBefore = 80;
constexpr Millis kBetweenProofs(25);
/// A retry of one second, or the moment that passes between two interruptions by mail.
constexpr Millis kSoon = std::chrono::seconds(6);
constexpr std::string_view kLeftToHooks = "left to the hook that the trigger sets off";

std::string words_for(const SessionLook& look) {
  switch (look.state) {
    case SessionState::gone:
      return cat("its session is not there", look.detail.empty() ? "" : cat(": ", look.detail));
    case SessionState::shut:
      return cat("nothing is typed there: ", look.detail);
    case SessionState::silent:
      return cat("its session does not answer", look.detail.empty() ? "" : cat(": ", look.detail));
    case SessionState::blocked:
      return cat("it is blocked", look.detail.empty() ? "" : cat(": ", look.detail));
    case SessionState::typing:
      return "a person is typing there";
    case SessionState::starting:
      return "it is still starting";
    case SessionState::busy:
      return cat(look.detail.empty() ? "it is busy" : look.detail, "; delivered at its next idle moment");
    default:
      return look.detail;
  }
}

}  // namespace

AgentState state_of(SessionState look) {
  switch (look) {
    case SessionState::idle:
    case SessionState::typing:
      return AgentState::idle;
    case SessionState::busy:
      return AgentState::running;
    case SessionState::blocked:
      return AgentState::blocked;
    case SessionState::starting:
      return AgentState::starting;
    case SessionState::gone:
      return AgentState::exited;
    case SessionState::shut:
    case SessionState::silent:
    case SessionState::unknown:
      return AgentState::unknown;
  }
  return AgentState::unknown;
}

std::string detail_of(const SessionLook& look) {
  return look.asks.empty() ? look.detail : cat(look.detail, ": ", in_its_words(look.asks));
}

Way Courier::find_way(const Agent& agent, const std::optional<Presence>& presence,
                      const std::string& rig_prefix) const {
  auto way = way_to(
      agent, presence, [&] { return has_waiter(town_, agent.id, presence->incarnation); }, host_);
  if (way.carrier != Carrier::nobody) return way;
  if (auto found = doors_.find(agent.address, rig_prefix); !found.empty())
    return {.carrier = Carrier::courier, .session = std::move(found)};
  return way;
}

void Courier::note_look(const Agent& agent, Presence presence, const Way& way, const SessionLook& look,
                        std::string_view harness) const {
  if (is_http_session(way.session)) return;  // what a look shows there is what its runner has reported
  const Instant now = town_.clock.now();
  const PresenceFiles files(town_.folder);
  const bool draft = look.state == SessionState::typing;
  auto newest = files.read(agent.id);
  // What a session that is over left behind is needed by the next one.
  if (look.state == SessionState::gone && newest && is_over(newest->state)) return;
  // Its own hooks say what it does, or that they are silent, but they do not see what stands in the input line.
  if (way.carrier == Carrier::trigger || presence.state == AgentState::deaf) {
    if (!newest || draft == (newest->draft_since.ms != 0)) return;
    newest->draft_since = draft ? now : Instant{};
    files.write(*newest);
    return;
  }
  if (!draft) presence.draft_since = {};
  if (draft && presence.draft_since.ms == 0) presence.draft_since = now;
  const auto state = state_of(look.state);
  if (presence.state != state || presence.since.ms == 0) presence.since = now;
  if (presence.started_at.ms == 0) presence.started_at = now;
  // To the half minute: a file that changes wakes whoever watches.
  const bool long_ago = now - presence.last_activity >= kActivityGrain;
  if ((look.state == SessionState::busy && long_ago) || presence.last_activity.ms == 0) presence.last_activity = now;
  presence.agent = agent.id;
  presence.state = state;
  presence.session = way.session;
  presence.host = is_of_this_host(way.session) ? host_ : "";
  presence.detail = detail_of(look);
  if (way.session.starts_with("opencode:"))
    presence.harness = Harness::of_word("opencode");
  else if (!harness.empty() || !presence.harness.is_known())
    presence.harness = Harness::typed(harness);
  if (presence.incarnation.empty()) presence.incarnation = way.session;
  if (!newest || *newest != presence) files.write(presence);
}

Result<> Courier::lose_ephemeral(AgentId agent, std::string_view why) {
  return write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    TRY(line, ledger.pending_nudges(agent));
    for (const auto& nudge : line) {
      if (!nudge.ephemeral || nudge.state != NudgeState::queued || nudge.deliver_after > town_.clock.now()) continue;
      TRY_VOID(end_nudge(ledger, nudge, NudgeState::lost, why, town_.clock.now()));
      TRY_VOID(tell_sender(town_, ledger, posting, nudge, "lost"));
    }
    return {};
  });
}

/// Whether the session took something a moment ago that it may show any time now.
bool Courier::was_just_handed(AgentId agent, const std::string& incarnation) const {
  constexpr Millis kMoment = std::chrono::seconds(3);
  const Instant now = town_.clock.now();
  const auto line = read_value(town_.store, [&](Ledger& ledger) { return ledger.pending_nudges(agent); });
  return line && std::any_of(line->begin(), line->end(), [&](const Nudge& nudge) {
           return nudge.state == NudgeState::handed && nudge.leased_for == incarnation && nudge.handed_at &&
                  now - *nudge.handed_at < kMoment;
         });
}

/// Types a few words, so that a hook of the session takes what is due. That is a whole turn: it is noted first, and not
/// done again before a hook has spoken.
Result<Courier::Report> Courier::call_hooks(const Presence& known, const Parcel& parcel, AgentSession& session) {
  const PresenceFiles files(town_.folder);
  TRY_VOID(Nudges(town_).give_back(parcel, kLeftToHooks, Nudges::Tried::no));
  const Instant now = town_.clock.now();
  const auto note = [&](Instant at) {
    auto presence = files.read(known.agent).value_or(known);
    presence.triggered_at = at;
    files.write(presence);
  };
  note(now);
  const auto typed = session.inject({.text = std::string(kTrigger), .ids = {}});
  const bool began = typed.outcome != Injected::Outcome::not_started;
  if (!began) note({});
  return Report{.carried = began && typed.outcome != Injected::Outcome::failed,
                .note = typed.detail,
                .look_again_at = now + (began ? kAnswerTime : kBusyLook),
                .soon = began};
}

void Courier::note_that_hooks_leave(const Presence& known) const {
  const PresenceFiles files(town_.folder);
  auto newest = files.read(known.agent);
  if (!newest || newest->incarnation != known.incarnation) return;
  newest->hooks_leave = true;
  files.write(*newest);
}

/// No hook answered: that was an attempt for all that is due, and the agent is deaf. What is due is typed whole from
/// now on, after the time that follows an attempt.
Result<> Courier::give_up_on_hooks(AgentId agent, const std::string& incarnation) {
  const PresenceFiles files(town_.folder);
  auto presence = files.read(agent);
  if (!presence || presence->incarnation != incarnation || !is_unanswered(*presence, town_.clock.now())) return {};
  make_deaf(*presence, town_.clock.now());
  files.write(*presence);
  Nudges nudges(town_);
  TRY(parcel, nudges.take(agent, incarnation, Boundary::idle, Frame::plain));
  return nudges.give_back(parcel, "no hook answered what was typed", Nudges::Tried::yes);
}

Result<Courier::Report> Courier::carry(const Agent& agent, const Presence& presence, const Way& way, Door& door,
                                       Before before) {
  Nudges nudges(town_);
  auto& session = *door.session;
  const auto look = door.look.get();
  note_look(agent, presence, way, look, session.harness());
  const Instant now = town_.clock.now();
  Report report{.note = words_for(look), .busy = look.state == SessionState::busy};
  if (look.state == SessionState::shut && look.detail.ends_with(kNotKnown))
    report.note +=
        cat("; a person may say what it is: ",
            called("agent.add", {{"address", agent.address.str()}, {"session", way.session}, {"harness", "raw"}}));
  if (look.state == SessionState::gone || look.state == SessionState::shut) {
    TRY_VOID(lose_ephemeral(agent.id, report.note));
    report.look_again_at = now + kAwayLook;
    return report;
  }
  if (look.state == SessionState::silent) {  // each question to it is a long wait, for everybody behind it, too
    report.look_again_at = now + kAwayLook;
    return report;
  }
  const std::string incarnation = presence.incarnation.empty() ? way.session : presence.incarnation;
  const auto settle = [&](std::string_view how) {
    // Of what a hook brought, the screen need not show anything.
    const auto shows = [&](std::string_view id) -> std::optional<bool> {
      const auto written = transcript_shows(presence.transcript, id);
      return written.value_or(false) ? written : session.shows(id);
    };
    return nudges.settle(agent.id, incarnation, Nudges::Since::next_event, shows, how);
  };
  TRY_VOID(settle("a look at the session"));
  // What a server has taken and does not show yet comes first, or the order would be the server's.
  for (int looks = 0; looks < kLooksForTheOneBefore && was_just_handed(agent.id, incarnation); ++looks) {
    std::this_thread::sleep_for(kBetweenProofs);
    TRY_VOID(settle("the session shows it"));
  }
  const bool idle = look.state == SessionState::idle || look.state == SessionState::unknown;
  if (!idle && look.state != SessionState::busy) {
    report.look_again_at = now + kBusyLook;
    return report;
  }
  const auto boundary = !idle ? Boundary::busy : before == Before::busy ? Boundary::turn_end : Boundary::idle;
  if (way.carrier == Carrier::trigger && presence.triggered_at.ms != 0) {
    report.note = "its hooks were called and have not answered yet";
    report.look_again_at = presence.triggered_at + kAnswerTime;
    report.soon = true;
    return report;
  }
  if (way.carrier == Carrier::trigger && now >= presence.since && now - presence.since < kWaiterStarts) {
    report.note = "its waiting hook is starting";
    report.look_again_at = presence.since + kWaiterStarts;
    report.soon = true;
    return report;
  }
  const bool reads_plain = way.session.starts_with("tmux:") || is_http_session(way.session);
  TRY(parcel, nudges.take(agent.id, incarnation, boundary, reads_plain ? Frame::plain : Frame::reminder));
  if (parcel.empty()) {
    report.look_again_at = parcel.look_again_at;
    report.soon = parcel.look_again_at && *parcel.look_again_at - now <= kSoon;
    report.note = parcel.held ? parcel.held->reason : idle ? "nothing that waits may wake it now" : report.note;
    if (!idle) report.look_again_at = now + kBusyLook;
    return report;
  }
  // What hooks have left once is typed whole, and so is all that comes until they carry something: no second turn
  // begins for nothing.
  const bool was_left = std::any_of(parcel.nudges.begin(), parcel.nudges.end(),
                                    [](const Nudge& nudge) { return nudge.last_error == kLeftToHooks; });
  if (way.carrier == Carrier::trigger) {
    if (!was_left && !presence.hooks_leave) return call_hooks(presence, parcel, session);
    if (!presence.hooks_leave) note_that_hooks_leave(presence);
  }
  const auto injected =
      session.inject({.text = parcel.text, .ids = parcel.ids(), .at = idle ? Injection::At::idle : Injection::At::any});
  report.note = injected.detail;
  switch (injected.outcome) {
    case Injected::Outcome::shown:
      report.carried = true;
      TRY_VOID(nudges.delivered(parcel, injected.detail));
      return report;
    case Injected::Outcome::handed:
      report.carried = true;
      TRY_VOID(nudges.handed(parcel, injected.detail));
      break;
    case Injected::Outcome::not_started:
      report.look_again_at = now + kBusyLook;
      TRY_VOID(nudges.give_back(parcel, injected.detail, Nudges::Tried::no));
      return report;
    case Injected::Outcome::failed:
      report.look_again_at = now + kBusyLook;
      TRY_VOID(nudges.give_back(parcel, injected.detail, Nudges::Tried::yes));
      return report;
  }
  // Most servers show what they took within a few milliseconds; whoever watches finds the rest.
  for (int looks = 0; looks < kProofLooks; ++looks) {
    const auto ids = parcel.ids();
    if (ids.empty() || session.shows(ids.front()).value_or(false)) {
      TRY_VOID(settle("the session shows it"));
      break;
    }
    std::this_thread::sleep_for(kBetweenProofs);
  }
  return report;
}

Presence Courier::behind(const Way& way, const Presence& known) {
  if (way.carrier == Carrier::trigger || known.session.empty() || known.session == way.session) return known;
  // Another session than the one that was known; but what kind of agent it was still tells what may be typed at.
  if (known.harness.is(Harness::Kind::hooked)) return {.harness = Harness::typed(known.harness.program())};
  return {.harness = known.harness.is(Harness::Kind::typed) ? known.harness : Harness()};
}

void Courier::look(const Agent& agent, const Presence& known, const std::string& uri) {
  const Way way{.carrier = Carrier::courier, .session = uri};
  const Presence presence = behind(way, known);
  auto session = doors_.open(uri, agent, presence);
  if (!session) return;
  const auto seen = (*session)->look();
  note_look(agent, presence, way, seen, (*session)->harness());
}

Result<Courier::Known> Courier::know(AgentId id) {
  StoredPresence stored;
  TRY(known, read_value(town_.store, [&](Ledger& ledger) -> Result<Known> {
        Known out;
        TRY(agent, ledger.agent(id));
        TRY(presence, stored_presence(ledger, id));
        TRY(line, ledger.pending_nudges(id));
        out.agent = agent;
        stored = presence;
        out.waits = !line.empty();
        TRY(rigs, ledger.rigs());
        for (const auto& rig : rigs)
          if (agent && rig.name == agent->address.rig()) out.rig_prefix = rig.prefix;
        return out;
      }));
  known.presence = seen_presence(town_, stored);
  return known;
}

Result<Courier::Door> Courier::open(const Way& way, const Agent& agent, const Presence& presence, std::launch when) {
  if (ahead_ && ahead_->uri == way.session) {
    Door door = std::move(*ahead_);
    ahead_.reset();
    return door;
  }
  TRY(session, doors_.open(way.session, agent, presence));
  Door door{way.session, std::move(session), {}};
  door.look = std::async(when, [look_at = door.session.get()] { return look_at->look(); });
  return door;
}

void Courier::look_ahead(AgentId id) {
  auto known = know(id);
  if (!known || !known->agent) return;
  const auto way = find_way(*known->agent, known->presence, known->rig_prefix);
  if (way.session.empty()) return;
  if (auto door = open(way, *known->agent, behind(way, known->presence.value_or(Presence{})), std::launch::async))
    ahead_ = std::move(*door);
}

Result<Courier::Report> Courier::deliver(AgentId id, Before before) {
  TRY(known, know(id));
  if (!known.agent || !known.waits) return Report{};
  if (known.presence) TRY_VOID(give_up_on_hooks(id, known.presence->incarnation));
  if (known.presence)
    if (auto seen = look_at_first_screen(town_, doors_, *known.agent, *known.presence, host_)) known.presence = seen;
  const auto way = find_way(*known.agent, known.presence, known.rig_prefix);
  if (way.session.empty()) {
    const bool never = !known.presence;
    if (never || is_over(known.presence->state))
      TRY_VOID(lose_ephemeral(id, never ? "it is not running" : over_text(known.presence->state)));
    const bool blocked = known.presence && known.presence->state == AgentState::blocked;
    return Report{.note = blocked ? cat("it is blocked: ", known.presence->detail) : way.note};
  }
  const Presence presence = behind(way, known.presence.value_or(Presence{}));
  auto door = open(way, *known.agent, presence, std::launch::deferred);
  if (!door) return Report{.note = door.error().message};
  TRY(report, carry(*known.agent, presence, way, *door, before));
  // Who came meanwhile found the line taken, and left what they brought to us.
  if (report.carried && !report.look_again_at) {
    TRY(line, read_value(town_.store, [&](Ledger& ledger) { return ledger.pending_nudges(id); }));
    const bool more =
        std::any_of(line.begin(), line.end(), [](const Nudge& nudge) { return nudge.state == NudgeState::queued; });
    if (more) report.look_again_at = town_.clock.now();
    report.soon = more;
  }
  return report;
}

}  // namespace townpost
