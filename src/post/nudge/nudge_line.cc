// The line of an agent: what is taken from it, carried, proven or put back.
#include <algorithm>
#include <map>
#include <set>

#include "base/advice.h"
#include "base/text.h"
#include "post/nudge/nudges.h"
#include "post/people/registry.h"
#include "post/rules/holder.h"
#include "post/rules/mail_access.h"
#include "post/town/keep_watch.h"
#include "post/town/presences.h"
#include "post/values/shell_words.h"

namespace townpost {

namespace {

constexpr Millis kLease = std::chrono::seconds(60);
constexpr Millis kFirstRetry = std::chrono::seconds(1);
constexpr Millis kLongestRetry = std::chrono::seconds(60);
constexpr int kMostAttempts = 8;
constexpr Millis kLongProof = std::chrono::seconds(60);

bool tells_of_mail(Boundary boundary) { return boundary != Boundary::tool && boundary != Boundary::busy; }

/// Rule L2 holds it only until its sender's window is clear: that is what `deliver_after` says then.
bool waits_for_its_window(const Nudge& nudge) { return nudge.held_by == "L2"; }

/// The leases of a line. Whether their holders run is looked at before the write; who took one since then does.
class Leases {
 public:
  Leases(Machine& machine, const std::vector<Nudge>& line) {
    for (const auto& nudge : line)
      if (nudge.state == NudgeState::leased && !machine.is_running(nudge.leased_by)) gone_.insert(nudge.leased_by);
  }
  /// Whether nobody else may take the nudge: its lease has not run out, and whoever holds it runs.
  bool bind(const Nudge& nudge, AwakeTime awake) const {
    return nudge.state == NudgeState::leased && nudge.lease_until && *nudge.lease_until > awake &&
           !gone_.contains(nudge.leased_by);
  }

 private:
  std::set<std::string> gone_;
};

/// Whether nothing of it may be shown because of who speaks. What tells of mail speaks for all who wrote.
Result<bool> is_withheld(Ledger& ledger, const Nudge& nudge, Instant now) {
  TRY(quarantined, is_quarantined(ledger, nudge.sender));
  if (!quarantined) return false;
  if (nudge.kind != NudgeKind::mail) return true;
  TRY(others, ledger.has_wakeful_mail(nudge.target, now));
  if (others) return false;
  TRY(target, ledger.agent(nudge.target));
  if (!target) return true;
  TRY(posts, channel_news(ledger, *target, now));
  return std::none_of(posts.channels.begin(), posts.channels.end(),
                      [](const ChannelNews& channel) { return channel.wake; });
}

struct Due {
  std::vector<Nudge> nudges;
  std::vector<Nudge> obsolete;  ///< their bead is another's now
  std::optional<Instant> next;
  bool busy = false;  ///< another carrier holds a lease
};

/// What of the line may be shown at this boundary, in order.
Result<Due> due_of(Ledger& ledger, const Leases& leases, const std::vector<Nudge>& line, const Care& care,
                   Boundary boundary, Instant now, AwakeTime awake) {
  Due due;
  auto look_again = [&](Instant at) {
    if (!due.next || at < *due.next) due.next = at;
  };
  for (const auto& nudge : line)
    if (leases.bind(nudge, awake)) {
      due.busy = true;
      look_again(now + std::max(*nudge.lease_until - awake, Millis(1000)));
      return due;
    }
  for (const auto& nudge : line) {
    if (nudge.state != NudgeState::queued) continue;
    if (!is_for_holder(nudge.bead, care)) {
      due.obsolete.push_back(nudge);
      continue;
    }
    if (nudge.expires_at && *nudge.expires_at <= awake) continue;
    if (!fits(nudge.mode, boundary)) continue;
    if (care.dnd(now) && !nudge.forced) {
      if (*care.dnd_until < kForever) look_again(*care.dnd_until);
      continue;
    }
    TRY(withheld, is_withheld(ledger, nudge, now));
    if (withheld) continue;
    if (nudge.deliver_after > now && !(is_natural(boundary) && waits_for_its_window(nudge))) {
      look_again(nudge.deliver_after);
      continue;
    }
    if (nudge.retry_at && *nudge.retry_at > awake) {  // a failing head holds back those behind it: order stands
      look_again(now + (*nudge.retry_at - awake));
      break;
    }
    due.nudges.push_back(nudge);
  }
  return due;
}

/// Whether what is due may open this boundary. People may; agents only as often as the rules allow; what is held by a
/// rule never does, but goes with others.
Result<std::optional<Ruling>> closed_by(WakeRule& wakes, const std::vector<Nudge>& due, AgentId agent,
                                        Boundary boundary) {
  std::optional<Ruling> ruling;
  for (const auto& nudge : due) {
    const bool window_is_clear = waits_for_its_window(nudge) && nudge.deliver_after <= wakes.now();
    if (!nudge.held_by.empty() && !window_is_clear && wakes.limits().enabled) {
      if (!ruling) ruling = Ruling{nudge.held_by, cat("rule ", nudge.held_by, " lets it wake nobody"), {}};
      continue;
    }
    if (is_exempt(nudge) || boundary == Boundary::tool || boundary == Boundary::busy) return std::optional<Ruling>();
    TRY(hold, wakes.hold(agent, nudge.urgent));
    if (!hold) return std::optional<Ruling>();
    ruling = hold;
  }
  return ruling;
}

bool waits_for_spacing(const Nudge& nudge) { return nudge.kind == NudgeKind::mail && !nudge.urgent; }

Ruling spacing_of_mail(Instant until, Instant now) {
  const auto seconds = (until - now).count() / 1000 + 1;
  return {"L4", cat("L4: mail interrupted it just now; the next in ", seconds, " s"), seconds};
}

/// Takes out of what is due the mail that would interrupt it twice in a moment: it is told with the next.
Result<> hold_mail_back(WakeRule& wakes, std::vector<Nudge>& due, Parcel& parcel) {
  if (std::none_of(due.begin(), due.end(), waits_for_spacing)) return {};
  TRY(until, wakes.hold_mail(parcel.agent));
  if (!until) return {};
  std::erase_if(due, waits_for_spacing);
  parcel.held = spacing_of_mail(*until, wakes.now());
  if (!parcel.look_again_at || *until < *parcel.look_again_at) parcel.look_again_at = *until;
  return {};
}

/// Tells a person, once an hour, that agents keep waking each other.
Result<> tell_of_storm(Town& town, Ledger& ledger, const Ruling& ruling, Instant now) {
  TRY(watch, ledger.watch());
  if (watch.wakes_told_at && *watch.wakes_told_at <= now && now - *watch.wakes_told_at < std::chrono::hours(1))
    return {};
  watch.wakes_told_at = now;
  TRY_VOID(ledger.set_watch(watch));
  Posting posting(town, ledger);
  TRY_VOID(posting.store({.to = Address::human(),
                          .subject = "Agents keep waking each other; wakes are held",
                          .body = cat(ruling.reason, ".\nWho: ", typed(ShellCommand::watch_agents),
                                      ". To stop everything: ", typed(ShellCommand::hold_everything), "\n"),
                          .thread = "",
                          .type = MessageType::escalation,
                          .priority = Priority::high}));
  return {};
}

/// What showing a parcel means for the rules: who was woken, what was announced, how deep the chain is.
Result<> note_parcel_shown(Ledger& ledger, const Parcel& parcel, Instant now, std::string_view how) {
  TRY(agent, ledger.agent(parcel.agent));
  if (!agent) return {};
  TRY_VOID(note_announced(ledger, *agent, parcel.mail, now, how));
  int hops = parcel.mail.hops;
  bool by_agents = true;
  bool urgent = false;
  for (const auto& nudge : parcel.nudges) {
    hops = std::max(hops, nudge.hops);
    by_agents = by_agents && !is_exempt(nudge);
    urgent = urgent || (nudge.urgent && !is_exempt(nudge));
  }
  // Between tools it is the same turn; and a session that begins anew, as after a compaction, or an agent that asks by
  // itself, is nobody's word.
  const bool same_turn = parcel.boundary == Boundary::tool || parcel.boundary == Boundary::busy ||
                         parcel.boundary == Boundary::start || parcel.boundary == Boundary::asked;
  if (same_turn) {
    note_shown(*agent, hops, now);
  } else {
    agent->shown_hops = hops;
    agent->shown_at = now;
  }
  TRY_VOID(ledger.update_shown(*agent));
  if (parcel.boundary == Boundary::idle || parcel.boundary == Boundary::turn_end)
    TRY_VOID(ledger.add_wake({.agent = agent->id, .at = now, .by_agent = by_agents, .urgent = urgent && by_agents}));
  return {};
}

/// The nudges of a parcel as they are now, if this carrier still holds them.
Result<std::vector<Nudge>> still_carried(Ledger& ledger, const Parcel& parcel) {
  std::vector<Nudge> out;
  for (const auto& taken : parcel.nudges) {
    TRY(nudge, ledger.nudge(taken.id));
    if (nudge && !is_terminal(nudge->state) && nudge->leased_by == taken.leased_by &&
        nudge->leased_for == taken.leased_for && nudge->state != NudgeState::queued)
      out.push_back(*nudge);
  }
  return out;
}

/// Whether a newer one took the place of this one while it was carried.
Result<bool> was_replaced(Ledger& ledger, const Nudge& nudge) {
  if (nudge.coalesce_key.empty()) return false;
  TRY(line, ledger.pending_nudges(nudge.target));
  return std::any_of(line.begin(), line.end(),
                     [&](const Nudge& other) { return other.id > nudge.id && may_replace(other, nudge); });
}

/// What the session never showed is news again.
Result<> forget_announced(Ledger& ledger, const Nudge& nudge) {
  for (const auto& ref : nudge.refs) {
    const auto id = MessageId::parse(ref);
    if (!id) continue;
    TRY(copy, ledger.delivery(*id, nudge.target));
    if (!copy || !copy->announced_at) continue;
    copy->announced_at.reset();
    TRY_VOID(ledger.update_delivery(*copy));
  }
  return {};
}

/// The other windows of an agent that live, and may tell by themselves what they were given.
std::set<std::string> windows_beside(const Town& town, AgentId agent, const std::string& incarnation) {
  std::set<std::string> out;
  auto sessions = other_sessions(town, agent);
  if (auto receiving = PresenceFiles(town.folder).read(agent)) sessions.push_back(std::move(*receiving));
  for (const auto& session : sessions)
    if (session.incarnation != incarnation && session.pid > 0 && is_live(session)) out.insert(session.incarnation);
  return out;
}

enum class Again { at_once, after_a_while };

Result<> put_back(Town& town, Ledger& ledger, Posting& posting, Nudge nudge, std::string_view reason,
                  Nudges::Tried tried, Again again, AwakeTime awake, Instant now) {
  const bool was_handed = nudge.state == NudgeState::handed;
  nudge.state = NudgeState::queued;
  nudge.lease_until.reset();
  nudge.leased_for.clear();
  nudge.leased_by.clear();
  nudge.handed_at.reset();
  nudge.last_error = std::string(reason);
  if (tried == Nudges::Tried::yes) {
    if (!was_handed) ++nudge.attempts;  // else it was counted then
    if (nudge.ephemeral) {
      TRY_VOID(end_nudge(ledger, nudge, NudgeState::lost, reason, now));
      return tell_sender(town, ledger, posting, nudge, "lost");
    }
    if (nudge.attempts >= kMostAttempts) {
      TRY_VOID(end_nudge(ledger, nudge, NudgeState::dead, cat(nudge.attempts, " attempts: ", reason), now));
      if (nudge.kind == NudgeKind::mail) return {};  // its mail is still there
      return tell_sender(town, ledger, posting, nudge, "dead");
    }
    Millis wait = kFirstRetry * (1 << std::min(nudge.attempts - 1, 6));
    wait = std::min(wait, kLongestRetry);
    const auto jitter =
        static_cast<std::int64_t>(town.random.bits() % static_cast<std::uint64_t>(wait.count() / 4 + 1));
    if (again == Again::after_a_while) nudge.retry_at = awake + (wait - Millis(jitter));
    ledger.ring(nudge.target);
  }
  TRY(replaced, was_replaced(ledger, nudge));
  if (replaced) return end_nudge(ledger, nudge, NudgeState::superseded, "replaced while it was carried", now);
  TRY_VOID(ledger.update_nudge(nudge));
  return note_nudge(ledger, nudge, EventKind::put_back, std::string(reason), now);
}

}  // namespace

Result<std::optional<Ruling>> wakes_held(WakeRule& wakes, AgentId agent, std::vector<Nudge> line) {
  std::erase_if(line, [&](const Nudge& nudge) {
    return nudge.state != NudgeState::queued || nudge.mode == NudgeMode::queue || nudge.deliver_after > wakes.now();
  });
  if (std::any_of(line.begin(), line.end(), waits_for_spacing)) {
    TRY(until, wakes.hold_mail(agent));
    if (until) std::erase_if(line, waits_for_spacing);
    if (until && line.empty()) return std::optional(spacing_of_mail(*until, wakes.now()));
  }
  return closed_by(wakes, line, agent, Boundary::idle);
}

Result<Nudges::Look> Nudges::look(AgentId id, Boundary boundary) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Look> {
    TRY(line, ledger.pending_nudges(id));
    if (!line.empty()) return Look{true, std::move(line)};
    TRY(agent, ledger.agent(id));
    if (!agent) return Look{};
    if (boundary == Boundary::prompt && was_shown_something(*agent, town_.clock.now())) return Look{true, {}};
    if (!tells_of_mail(boundary)) return Look{};
    const auto again = boundary == Boundary::start ? Compaction::yes : Compaction::no;
    TRY(mail, announcement_for(town_, ledger, *agent, again));
    return Look{!mail.offered.empty() || !mail.channels.empty(), {}};
  });
}

Result<bool> Nudges::anything_for(AgentId id, Boundary boundary) {
  TRY(found, look(id, boundary));
  return found.something;
}

Result<Parcel> Nudges::take(AgentId id, const std::string& incarnation, Boundary boundary, Frame frame) {
  Parcel parcel;
  TRY(before, look(id, boundary));
  if (!before.something) return parcel;
  const Leases leases(town_.machine, before.line);
  const std::string carrier = town_.machine.own_process();
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    parcel = Parcel{.agent = id, .incarnation = incarnation, .boundary = boundary};
    const Instant now = town_.clock.now();
    TRY(awake, keep_watch(ledger, now));
    TRY_VOID(end_outlived(town_, ledger, posting, awake));  // what a hold that is over held has its time again
    TRY(agent, ledger.agent(id));
    if (!agent) return {};
    TRY(watch, ledger.watch());
    TRY(care, ledger.care(id));
    if (watch.held(now) || care.held(now)) {
      parcel.held = Ruling{"hold", cat("held by ", called("hold")), {}};
      parcel.look_again_at =
          std::max(watch.held(now) ? *watch.hold_until : now, care.held(now) ? *care.hold_until : now);
      return {};
    }
    TRY(line, ledger.pending_nudges(id));
    TRY(due, due_of(ledger, leases, line, care, boundary, now, awake));
    parcel.look_again_at = due.next;
    if (due.busy) return {};
    for (const auto& nudge : due.obsolete)
      TRY_VOID(
          end_nudge(ledger, nudge, NudgeState::superseded, cat("its bead ", nudge.bead, " is another's now"), now));

    if (!is_natural(boundary)) {
      WakeRule wakes(ledger, town_.settings.limits, now);
      TRY_VOID(hold_mail_back(wakes, due.nudges, parcel));
      TRY(ruling, closed_by(wakes, due.nudges, id, boundary));
      if (ruling) {
        parcel.held = ruling;
        if (ruling->retry_after_s) {
          const Instant at = now + std::chrono::seconds(*ruling->retry_after_s);
          if (!parcel.look_again_at || at < *parcel.look_again_at) parcel.look_again_at = at;
        }
        if (ruling->rule == "L6") TRY_VOID(tell_of_storm(town_, ledger, *ruling, now));
        due.nudges.clear();
      }
    }
    const bool mail_due = std::any_of(due.nudges.begin(), due.nudges.end(),
                                      [](const Nudge& nudge) { return nudge.kind == NudgeKind::mail; });
    if (mail_due || is_natural(boundary) || (tells_of_mail(boundary) && !due.nudges.empty())) {
      TRY(mail,
          announcement_for(town_, ledger, *agent, boundary == Boundary::start ? Compaction::yes : Compaction::no));
      parcel.mail = std::move(mail);
    }
    const bool has_news = !parcel.mail.offered.empty() || !parcel.mail.channels.empty();
    std::vector<Nudge> texts;
    std::vector<Nudge> mails;
    for (auto& nudge : due.nudges) (nudge.kind == NudgeKind::mail ? mails : texts).push_back(std::move(nudge));
    if (!has_news) {
      for (const auto& nudge : mails)
        TRY_VOID(end_nudge(ledger, nudge, NudgeState::superseded,
                           "its mail was read, announced before, or is for a previous holder", now));
      mails.clear();
    }
    if (texts.empty() && !has_news) {
      if (boundary == Boundary::prompt &&
          agent->shown_hops > 0) {  // a new turn: what was shown in the last no longer counts
        agent->shown_hops = 0;
        TRY_VOID(ledger.update_shown(*agent));
      }
      return {};
    }
    std::size_t fitted = 0;
    parcel.text = nudge_block(texts, parcel.mail, frame, fitted,
                              {.of_bd = town_.settings.bd_commands, .reader = agent->address.str()});
    texts.resize(fitted);
    parcel.nudges = std::move(texts);
    parcel.nudges.insert(parcel.nudges.end(), mails.begin(), mails.end());
    for (auto& nudge : parcel.nudges) {
      nudge.state = NudgeState::leased;
      nudge.lease_until = awake + kLease;
      nudge.leased_for = incarnation;
      nudge.leased_by = carrier;
      TRY_VOID(ledger.update_nudge(nudge));
      TRY_VOID(note_nudge(ledger, nudge, EventKind::leased, cat("to be shown at ", name(boundary)), now));
    }
    return {};
  }));
  return parcel;
}

Result<std::string> Nudges::preview(AgentId id, Boundary boundary, Frame frame) {
  TRY(before, look(id, boundary));
  const Leases leases(town_.machine, before.line);
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::string> {
    const Instant now = town_.clock.now();
    TRY(agent, ledger.agent(id));
    TRY(watch, ledger.watch());
    TRY(care, ledger.care(id));
    if (!agent || watch.held(now) || care.held(now)) return std::string();
    TRY(line, ledger.pending_nudges(id));
    TRY(due, due_of(ledger, leases, line, care, boundary, now, watch.at(now)));
    TRY(mail, announcement_for(town_, ledger, *agent, boundary == Boundary::start ? Compaction::yes : Compaction::no));
    std::erase_if(due.nudges, [](const Nudge& nudge) { return nudge.kind == NudgeKind::mail; });
    if (due.nudges.empty() && mail.offered.empty() && mail.channels.empty()) return std::string();
    std::size_t fitted = 0;
    return nudge_block(due.nudges, mail, frame, fitted,
                       {.of_bd = town_.settings.bd_commands, .reader = agent->address.str()});
  });
}

Result<> Nudges::handed(const Parcel& parcel, std::string_view how) {
  return write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(nudges, still_carried(ledger, parcel));
    TRY_VOID(note_parcel_shown(ledger, parcel, now, how));
    for (auto& nudge : nudges) {
      nudge.state = NudgeState::handed;
      ++nudge.attempts;
      nudge.handed_at = now;
      nudge.lease_until.reset();
      TRY_VOID(ledger.update_nudge(nudge));
      TRY_VOID(note_nudge(ledger, nudge, EventKind::handed, std::string(how), now));
    }
    return {};
  });
}

Result<> Nudges::delivered(const Parcel& parcel, std::string_view evidence) {
  return write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(nudges, still_carried(ledger, parcel));
    const bool handed_before =
        std::any_of(nudges.begin(), nudges.end(), [](const Nudge& nudge) { return nudge.state == NudgeState::handed; });
    if (!handed_before) TRY_VOID(note_parcel_shown(ledger, parcel, now, evidence));
    for (auto& nudge : nudges) {
      if (nudge.state == NudgeState::leased) ++nudge.attempts;
      TRY_VOID(end_nudge(ledger, nudge, NudgeState::delivered, evidence, now));
    }
    return {};
  });
}

Result<Nudge> Nudges::confirm(NudgeId id, const Caller& caller) {
  std::optional<Nudge> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(nudge, ledger.nudge(id));
    TRY(self, ledger.find_agent(caller.address.str()));
    const bool own = nudge && self && nudge->target == self->id;
    if (nudge && !own)
      return fail(Code::forbidden, cat("you cannot confirm ", id.str(), ", which is another's"), "the other one does");
    if (!nudge)
      return fail(Code::not_found, cat("no nudge ", id.str()), next("nudge.list", {}, " shows those there are"));
    out = *nudge;
    if (nudge->state == NudgeState::delivered) return {};
    if (nudge->state != NudgeState::leased && nudge->state != NudgeState::handed)
      return fail(Code::refused, cat(id.str(), " is ", name(nudge->state), ", not taken"),
                  next("nudge.pending", {}, " takes what waits"));
    const Instant now = town_.clock.now();
    Parcel parcel{.agent = self->id, .incarnation = nudge->leased_for, .boundary = Boundary::idle, .nudges = {*nudge}};
    if (nudge->kind == NudgeKind::mail) {
      TRY(mail, announcement_for(town_, ledger, *self, Compaction::no));
      const auto is_in_it = [&](const MessageId& one) {
        return std::find(nudge->refs.begin(), nudge->refs.end(), one.str()) != nudge->refs.end();
      };
      std::erase_if(mail.offered, [&](const MessageId& one) { return !is_in_it(one); });
      mail.channels.clear();
      parcel.mail = std::move(mail);
    }
    constexpr std::string_view kHow = "confirmed by its runner";
    if (nudge->state == NudgeState::leased) {
      TRY_VOID(note_parcel_shown(ledger, parcel, now, kHow));
      ++nudge->attempts;
    }
    TRY_VOID(end_nudge(ledger, *nudge, NudgeState::delivered, kHow, now));
    TRY(ended, ledger.nudge(id));
    out = *ended;
    return {};
  }));
  return std::move(*out);
}

Result<> Nudges::give_back(const Parcel& parcel, std::string_view reason, Tried tried) {
  return write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(awake, keep_watch(ledger, now));
    TRY(nudges, still_carried(ledger, parcel));
    for (const auto& nudge : nudges)
      TRY_VOID(put_back(town_, ledger, posting, nudge, reason, tried, Again::after_a_while, awake, now));
    return {};
  });
}

Result<bool> Nudges::is_unsettled(AgentId agent) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<bool> {
    TRY(line, ledger.pending_nudges(agent));
    return std::any_of(line.begin(), line.end(),
                       [](const Nudge& nudge) { return nudge.state != NudgeState::queued || nudge.attempts > 0; });
  });
}

Result<> Nudges::settle(AgentId agent, const std::string& incarnation, Since since, const Shows& shows,
                        std::string_view event) {
  TRY(open, read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<Nudge>> {
        TRY(line, ledger.pending_nudges(agent));
        // One whose injection began and failed may have arrived nevertheless.
        std::erase_if(line,
                      [](const Nudge& nudge) { return nudge.state == NudgeState::queued && nudge.attempts == 0; });
        return line;
      }));
  if (open.empty()) return {};
  // Looked for before the write: a session that does not answer must not keep others from writing.
  std::map<NudgeId, std::optional<bool>> seen;
  for (const auto& nudge : open) {
    const bool mail = nudge.kind == NudgeKind::mail;  // it shows its messages, not itself
    if (!shows || (mail && nudge.refs.empty())) continue;
    seen[nudge.id] = shows(mail ? nudge.refs.front() : nudge.id.str());
  }
  const Leases leases(town_.machine, open);
  const auto beside = windows_beside(town_, agent, incarnation);
  return write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(awake, keep_watch(ledger, now));
    for (const auto& known : open) {
      TRY(nudge, ledger.nudge(known.id));
      if (!nudge || is_terminal(nudge->state)) continue;
      if (leases.bind(*nudge, awake)) continue;
      const bool same = nudge->leased_for == incarnation && since == Since::next_event;
      const bool handed = nudge->state == NudgeState::handed;
      const auto found = seen[nudge->id];
      if (found.value_or(false)) {
        TRY_VOID(end_nudge(ledger, *nudge, NudgeState::delivered, "the session shows its id", now));
        continue;
      }
      if (nudge->state == NudgeState::queued) continue;
      const bool may_tell = (same && found.has_value()) || beside.contains(nudge->leased_for);
      if (handed && may_tell && now - nudge->handed_at.value_or(now) < kLongProof)
        continue;  // a session that does not show it yet may still have it under way: not for long, though
      // A new session announces all unread mail by itself.
      if (handed && ((same && !found.has_value()) || (!same && nudge->kind == NudgeKind::mail))) {
        TRY_VOID(end_nudge(ledger, *nudge, NudgeState::delivered, cat("the session's next event: ", event), now));
        continue;
      }
      if (handed && nudge->kind == NudgeKind::mail) TRY_VOID(forget_announced(ledger, *nudge));
      const std::string_view why = !handed ? "its carrier is gone"
                                   : same  ? "the session took it and does not show it"
                                           : "the session ended before it was seen there";
      // A new session is shown first what the old one did not get.
      const auto again = since == Since::new_session ? Again::at_once : Again::after_a_while;
      TRY_VOID(put_back(town_, ledger, posting, *nudge, why, Tried::yes, again, awake, now));
    }
    return {};
  });
}

}  // namespace townpost
