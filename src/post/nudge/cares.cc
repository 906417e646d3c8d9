#include "post/nudge/cares.h"

#include <algorithm>

#include "base/text.h"
#include "post/nudge/nudges.h"
#include "post/people/registry.h"
#include "post/people/resolve.h"
#include "post/rules/duties.h"
#include "post/rules/holder.h"
#include "post/rules/limits.h"
#include "post/rules/mail_access.h"
#include "post/town/keep_watch.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr Millis kHour = std::chrono::hours(1);
constexpr int kMostCounted = 10'000;
constexpr Millis kUndoneTold = std::chrono::hours(7 * 24);
constexpr int kMostUndone = 10;

Result<> check_length(const std::optional<Millis>& length) {
  if (!length || *length > Millis(0)) return {};
  return fail_argument("for", "invalid for: it must be longer than zero", "for example 1h; leave it out for no end");
}

Instant end_after(Instant now, std::optional<Millis> length) { return length ? now + *length : kForever; }

/// That somebody decided something about an agent, or about all of them.
Result<> note(Ledger& ledger, EventKind kind, std::optional<AgentId> agent, const Caller& caller, Instant now) {
  return ledger.add_event({.at = now,
                           .kind = kind,
                           .agent = agent,
                           .detail = "by " + caller.address.str(),
                           .audience = Audience::everybody});
}

/// Who needs a person comes first, then who works, then the rest.
int rank(const Cares::AgentStatus& status) {
  if (!status.presence) return 9;
  switch (status.presence->state) {
    case AgentState::blocked:
      return 0;
    case AgentState::stalled:
    case AgentState::deaf:
      return 1;
    case AgentState::dead:
      return 2;
    case AgentState::exited:
      return 5;
    default:
      return 3;
  }
}

}  // namespace

Result<Care> Cares::change(const std::optional<std::string>& whom, const Caller& caller, std::optional<EventKind> told,
                           const std::function<Result<>(Ledger&, Care&, Instant)>& how) {
  std::optional<Care> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(self, ensure_agent(ledger, caller.address, now));
    Agent agent = self;
    if (whom) {
      TRY(named, resolve_one(ledger, *whom));
      agent = named;
      if (agent.id.key == 0) {
        TRY(made, ensure_agent(ledger, agent.address, now));
        agent = made;
      }
    }
    TRY(care, ledger.care(agent.id));
    const Care before = care;
    TRY_VOID(how(ledger, care, now));
    out = care;
    if (care == before) return {};  // said once more: nobody needs to hear of it
    TRY_VOID(ledger.set_care(care));
    if (told) TRY_VOID(note(ledger, *told, agent.id, caller, now));
    ledger.ring(agent.id);
    return {};
  }));
  return *out;
}

Result<Care> Cares::disturb_not(const std::optional<std::string>& whom, std::optional<Millis> length,
                                const Caller& caller) {
  TRY_VOID(check_length(length));
  return change(whom, caller, EventKind::muted, [&](Ledger&, Care& care, Instant now) -> Result<> {
    care.dnd_until = end_after(now, length);
    return {};
  });
}

Result<Care> Cares::disturb_again(const std::optional<std::string>& whom, const Caller& caller) {
  return change(whom, caller, EventKind::unmuted, [](Ledger&, Care& care, Instant) -> Result<> {
    care.dnd_until.reset();
    return {};
  });
}

Result<Care> Cares::care_of(const std::optional<std::string>& whom, const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Care> {
    TRY(agent, whom ? resolve_one(ledger, *whom) : own_mailbox(ledger, caller));
    return ledger.care(agent.id);
  });
}

Result<> Cares::hold(const std::optional<std::string>& whom, std::optional<Millis> length, const Caller& caller) {
  TRY_VOID(check_length(length));
  TRY_VOID(Nudges(town_).tend());  // an earlier hold that is over is noted first
  auto put = [&](auto& what, Instant now) {
    if (!what.held(now)) what.held_since = now;
    what.hold_until = end_after(now, length);
  };
  if (whom) {
    TRY_VOID(change(whom, caller, EventKind::hold, [&](Ledger&, Care& care, Instant now) -> Result<> {
      put(care, now);
      return {};
    }));
    return {};
  }
  return write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(watch, ledger.watch());
    const Instant now = town_.clock.now();
    const auto before = watch.hold_until;
    put(watch, now);
    if (watch.hold_until == before) return {};
    TRY_VOID(note(ledger, EventKind::hold, std::nullopt, caller, now));
    return ledger.set_watch(watch);
  });
}

Result<> Cares::release(const std::optional<std::string>& whom, const Caller& caller) {
  auto end_now = [](auto& what, Instant now) {
    if (what.hold_until && *what.hold_until > now) what.hold_until = now;
  };
  if (whom)
    TRY_VOID(change(whom, caller, EventKind::hold_ended, [&](Ledger&, Care& care, Instant now) -> Result<> {
      end_now(care, now);
      return {};
    }));
  else
    TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
      TRY(watch, ledger.watch());
      const Instant now = town_.clock.now();
      if (!watch.held(now)) return {};
      end_now(watch, now);
      TRY_VOID(note(ledger, EventKind::hold_ended, std::nullopt, caller, now));
      return ledger.set_watch(watch);
    }));
  TRY_VOID(Nudges(town_).tend());  // moves the deadlines of those that were held
  return {};
}

Result<Care> Cares::quarantine(std::string_view whom, const Caller& caller) {
  return change(
      std::string(whom), caller, EventKind::quarantined, [](Ledger& ledger, Care& care, Instant now) -> Result<> {
        TRY(agent, ledger.agent(care.agent));
        if (agent && (agent->address.role() == Role::human || agent->address.role() == Role::system))
          return fail(Code::refused, cat(agent->address.str(), " is not an agent"), "only agents can be quarantined");
        if (!care.quarantined_at) care.quarantined_at = now;
        return {};
      });
}

Result<Care> Cares::lift_quarantine(std::string_view whom, const Caller& caller) {
  return change(std::string(whom), caller, EventKind::quarantine_lifted,
                [](Ledger& ledger, Care& care, Instant) -> Result<> {
                  care.quarantined_at.reset();
                  TRY(everybody, ledger.agents());  // whoever has something of it may have looked already
                  for (const auto& one : everybody) ledger.ring(one.id);
                  TRY(queues, ledger.queues());  // its work is handed out again
                  for (const auto& queue : queues) ledger.ring_queue(queue.id);
                  return {};
                });
}

Result<Care> Cares::set_hook(std::string_view whom, const std::string& bead, const Caller& caller) {
  TRY_VOID(check_bead(bead));
  return change(std::string(whom), caller, std::nullopt, [&](Ledger& ledger, Care& care, Instant now) -> Result<> {
    care.holds = HeldBead::told(bead);
    care.warned = 0;
    care.warned_at.reset();
    // Whoever was idle until now is silent with this work only from now on.
    TRY(awake, keep_watch(ledger, now));
    TRY(presence, ledger.presence(care.agent));
    if (!presence) return {};
    presence->active_at = awake;
    return ledger.set_presence(*presence);
  });
}

Result<Cares::Status> Cares::status() { return status(std::nullopt); }

Result<Cares::Status> Cares::status(const std::optional<std::set<AgentId>>& only) {
  std::vector<StoredPresence> presences;  // one for each agent
  TRY(status, read_value(town_.store, [&](Ledger& ledger) -> Result<Status> {
        Status out;
        presences.clear();
        const Instant now = town_.clock.now();
        TRY(watch, ledger.watch());
        out.watch = watch;
        TRY(undone, left_undone(ledger, {now - kUndoneTold, now}, kMostUndone));
        for (const auto& event : undone) out.undone.push_back(cat(rfc3339(event.at), " ", event.detail));
        TRY(agents, ledger.agents());
        TRY(held_sent, ledger.count_held_sent(now));
        WakeRule wake_rule(ledger, town_.settings.limits, now);
        for (const auto& agent : agents) {
          if (agent.address.role() == Role::human || agent.address.role() == Role::system) continue;
          if (only && !only->contains(agent.id)) continue;
          TRY(care, ledger.care(agent.id));
          TRY(presence, ledger.presence(agent.id));
          presences.push_back({agent.id, presence, care.quarantined_at.has_value()});
          AgentStatus one{.agent = agent, .care = care};
          TRY(line, ledger.pending_nudges(agent.id));
          one.pending = static_cast<std::int64_t>(line.size());
          TRY(ruling, wakes_held(wake_rule, agent.id, line));
          one.held = std::count_if(line.begin(), line.end(),
                                   [&](const Nudge& nudge) { return ruling || !nudge.held_by.empty(); });
          TRY(held_mail, ledger.count_held(agent.id, now));
          one.held += held_mail;
          if (const auto own = held_sent.find(agent.id); own != held_sent.end()) one.held_sent = own->second;
          TRY(hops, ledger.most_hops_sent(agent.id, {now - kHour, now}, kMostCounted));
          one.hops = was_shown_something(agent, now) ? std::max(hops, agent.shown_hops) : hops;
          TRY(unread, ledger.count(agent.id, Shelf::unread));
          one.unread = unread;
          TRY(mails, ledger.send_times(agent.id, std::nullopt, {now - kHour, now}, kMostCounted));
          TRY(nudges, ledger.nudge_times(agent.id, std::nullopt, {now - kHour, now}, kMostCounted));
          one.sent_in_an_hour = static_cast<std::int64_t>(mails.size() + nudges.size());
          TRY(wakes, ledger.count_wakes(agent.id, {now - kHour, now}));
          one.wakes_in_an_hour = wakes;
          out.agents.push_back(std::move(one));
        }
        return out;
      }));
  for (std::size_t i = 0; i < presences.size(); ++i) {
    auto& one = status.agents[i];
    one.presence = seen_presence(town_, presences[i]);
    one.others = sessions_beside(town_, presences[i], one.presence);
  }
  TRY(sessions, Registry(town_).sessions());
  status.sessions = std::move(sessions);
  sort(status.agents);
  return status;
}

void Cares::sort(std::vector<AgentStatus>& agents) {
  std::stable_sort(agents.begin(), agents.end(),
                   [](const AgentStatus& a, const AgentStatus& b) { return rank(a) < rank(b); });
}

Result<std::vector<Presence>> Cares::sessions(AgentId agent) {
  TRY(stored, read_value(town_.store, [&](Ledger& ledger) { return stored_presence(ledger, agent); }));
  const auto receiving = seen_presence(town_, stored);
  auto out = sessions_beside(town_, stored, receiving);
  if (receiving && !is_over(receiving->state)) out.insert(out.begin(), *receiving);
  return out;
}

}  // namespace townpost
