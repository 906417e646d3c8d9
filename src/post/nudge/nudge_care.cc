// What follows nudges by itself: their end by age, and the entry that mail has in the line.
#include <algorithm>

#include "base/text.h"
#include "post/nudge/nudges.h"
#include "post/rules/duties.h"
#include "post/rules/mail_access.h"
#include "post/town/keep_watch.h"
#include "post/values/shell_words.h"

namespace townpost {

namespace {

constexpr int kShare = 20;
constexpr int kMostLookedAt = 1000;  // those that may not end yet must not hide the others
constexpr Millis kLookAgainAfter = std::chrono::seconds(60);
constexpr Millis kPutOff = std::chrono::minutes(10);

/// From when to when somebody is held; nobody, if it ends before it begins.
struct Hold {
  Instant from;
  Instant to;
  Millis length_since(Instant at) const { return std::max(to - std::max(from, at), Millis(0)); }
};

Hold hold_of(const std::optional<Instant>& since, const std::optional<Instant>& until) {
  return until ? Hold{since.value_or(*until), *until} : Hold{};
}

/// Everything in the agent's line has as much more time as it was held; what it shares with `another` hold is moved
/// when that one ends.
Result<> move_deadlines(Ledger& ledger, AgentId agent, const Hold& hold, const Hold& another) {
  const Hold shared{std::max(hold.from, another.from), std::min(hold.to, another.to)};
  TRY(line, ledger.pending_nudges(agent));
  for (auto& nudge : line) {
    const Millis held = hold.length_since(nudge.created_at) - shared.length_since(nudge.created_at);
    if (held <= Millis(0)) continue;
    if (nudge.expires_at) nudge.expires_at = *nudge.expires_at + held;
    if (nudge.escalate_at) nudge.escalate_at = *nudge.escalate_at + held;
    TRY_VOID(ledger.update_nudge(nudge));
  }
  return {};
}

/// A hold that is over moves the deadlines of those it held by its length.
Result<> end_holds(Ledger& ledger, Instant now) {
  TRY(watch, ledger.watch());
  const bool town_ended = watch.hold_until && *watch.hold_until <= now;
  TRY(cares, ledger.cares());
  for (auto& care : cares) {
    if (!care.hold_until || *care.hold_until > now) continue;
    TRY_VOID(move_deadlines(ledger, care.agent, hold_of(care.held_since, care.hold_until),
                            hold_of(watch.held_since, watch.hold_until)));
    care.hold_until.reset();
    care.held_since.reset();
    TRY_VOID(ledger.set_care(care));
    ledger.ring(care.agent);
  }
  if (!town_ended) return {};
  TRY(agents, ledger.agents_with_nudges());
  for (const auto agent : agents) {
    TRY(care, ledger.care(agent));
    TRY_VOID(move_deadlines(ledger, agent, hold_of(watch.held_since, watch.hold_until),
                            hold_of(care.held_since, care.hold_until)));
    ledger.ring(agent);
  }
  watch.hold_until.reset();
  watch.held_since.reset();
  return ledger.set_watch(watch);
}

/// Whom to tell of what did not reach `target`. It is no use to tell the target itself.
Address escalation_for(const Town& town, const std::optional<Agent>& target) {
  return target && target->address == town.settings.escalation ? Address::human() : town.settings.escalation;
}

Result<> expire(Town& town, Ledger& ledger, Posting& posting, const Nudge& nudge, Instant now) {
  TRY_VOID(end_nudge(ledger, nudge, NudgeState::expired, "it was not delivered in time", now));
  return tell_sender(town, ledger, posting, nudge, "expired");
}

Result<> escalate(Town& town, Ledger& ledger, Posting& posting, Nudge nudge, Instant now) {
  TRY(quarantined, is_quarantined(ledger, nudge.sender));
  if (quarantined) {  // nobody is told its words now
    nudge.escalate_at = *nudge.escalate_at + kPutOff;
    return ledger.update_nudge(nudge);
  }
  nudge.escalate_at.reset();
  TRY_VOID(ledger.update_nudge(nudge));
  TRY(target, ledger.agent(nudge.target));
  const std::string whom = target ? target->address.str() : "somebody who is gone";
  const Address above = escalation_for(town, target);
  TRY_VOID(note_nudge(ledger, nudge, EventKind::escalated, cat("to ", above.str()), now));
  TRY_VOID(posting.store({.to = above,
                          .subject = cat("Urgent nudge for ", whom, " still waits"),
                          .body = cat(nudge.from, " wrote ", in_quotes(nudge.text, 200),
                                      ".\nWhy it waits: ", typed(ShellCommand::explain_nudge, nudge.id.str()), "\n"),
                          .thread = nudge.thread,
                          .type = MessageType::escalation,
                          .priority = Priority::high,
                          .caused_by = nudge.from,
                          .quotes = nudge.sender}));
  return {};
}

/// Ends `nudge` by `how`, or leaves it for later with a note: one that cannot be ended does not stop the others.
Result<> end_or_leave(Ledger& ledger, Nudge nudge, AwakeTime awake, Instant now, const std::function<Result<>()>& how) {
  TRY(trouble, ledger.attempt(how));
  if (!trouble) return {};
  if (nudge.expires_at && *nudge.expires_at <= awake) nudge.expires_at = awake + kPutOff;
  if (nudge.escalate_at && *nudge.escalate_at <= awake) nudge.escalate_at = awake + kPutOff;
  TRY_VOID(ledger.update_nudge(nudge));
  return note_undone(ledger, std::nullopt, cat("the end of ", nudge.id.str(), " was put off: ", trouble->message), now);
}

/// Why it ended its history tells: its target's session may have said that, and that is not for everybody at all times.
Result<> post_bounce(Town& town, Ledger& ledger, Posting& posting, const Nudge& nudge, std::string_view state) {
  TRY(target, ledger.agent(nudge.target));
  const std::string whom = target ? target->address.str() : "somebody who is gone";
  const bool by_town = nudge.source == NudgeSource::system;
  const auto sender = Address::parse(nudge.from);
  const Address above = escalation_for(town, target);
  const Posting::Notice notice{
      .to = by_town || !sender ? above : *sender,
      .subject = cat("Nudge ", state, ": ", by_town ? "the town" : "you", " wrote ", in_quotes(nudge.text, 80)),
      .body = cat(by_town ? "The town's" : "Your", " nudge ", nudge.id.str(), " for ", whom, " ended as ", state,
                  ".\nWhy: ", typed(ShellCommand::explain_nudge, nudge.id.str()), "\n"),
      .thread = nudge.thread,
      .wake = Waking::no};
  TRY_VOID(posting.store(notice));
  if (!nudge.urgent || notice.to == above) return {};
  TRY(quarantined, is_quarantined(ledger, nudge.sender));
  if (quarantined) return {};  // its words are for nobody else
  auto escalation = notice;
  escalation.to = above;
  escalation.subject = cat("Urgent nudge ", state, ": ", nudge.from, " wrote ", in_quotes(nudge.text, 80));
  escalation.body = cat("The urgent nudge ", nudge.id.str(), " from ", nudge.from, " for ", whom, " ended as ", state,
                        ".\nWhat stands in the way there: ", typed(ShellCommand::explain_agent, whom), "\n");
  escalation.quotes = nudge.sender;
  escalation.type = MessageType::escalation;
  TRY_VOID(posting.store(escalation));
  return {};
}

/// Ends a share of those whose time is over, and tells of those that wait too long.
Result<> end_share(Town& town, Ledger& ledger, Posting& posting, AwakeTime awake) {
  const Instant now = town.clock.now();
  TRY_VOID(end_holds(ledger, now));
  TRY(outlived, ledger.outlived_nudges(awake, kMostLookedAt));
  TRY(overdue, ledger.overdue_nudges(awake, kMostLookedAt));
  TRY(watch, ledger.watch());
  if (watch.held(now)) return {};  // time stands still
  int done = 0;
  auto may_end = [&](const Nudge& nudge) -> Result<bool> {
    if (done >= kShare) return false;
    // What a carrier has in hand, or a session was given, is decided by whoever looks there first.
    if (nudge.state == NudgeState::handed) return false;
    if (nudge.state == NudgeState::leased && nudge.lease_until && *nudge.lease_until > awake) return false;
    TRY(care, ledger.care(nudge.target));
    return !care.held(now);
  };
  for (const auto& nudge : outlived) {
    TRY(may, may_end(nudge));
    if (!may) continue;
    TRY_VOID(end_or_leave(ledger, nudge, awake, now, [&] { return expire(town, ledger, posting, nudge, now); }));
    ++done;
  }
  for (const auto& nudge : overdue) {
    TRY(still, ledger.nudge(nudge.id));
    if (!still || is_terminal(still->state)) continue;
    TRY(may, may_end(nudge));
    if (!may) continue;
    TRY_VOID(end_or_leave(ledger, *still, awake, now, [&] { return escalate(town, ledger, posting, *still, now); }));
    ++done;
  }
  return {};
}

}  // namespace

Result<> tell_sender(Town& town, Ledger& ledger, Posting& posting, const Nudge& nudge, std::string_view state) {
  if (nudge.ephemeral) return {};  // its sender asked for something that leaves nothing behind
  TRY(trouble, ledger.attempt([&] { return post_bounce(town, ledger, posting, nudge, state); }));
  if (!trouble) return {};
  return note_undone(ledger, std::nullopt, cat("word of ", nudge.id.str(), " was not sent: ", trouble->message),
                     town.clock.now());
}

Result<> end_outlived(Town& town, Ledger& ledger, Posting& posting, AwakeTime awake) {
  TRY(deadline, ledger.next_nudge_deadline());
  if (!deadline || *deadline > awake) return {};
  // It is not the caller's doing: trouble with it must not stop the write.
  TRY(trouble, ledger.attempt([&] { return end_share(town, ledger, posting, awake); }));
  if (!trouble) return {};
  return note_undone(ledger, std::nullopt, cat("nudges were not ended: ", trouble->message), town.clock.now());
}

Result<std::optional<Instant>> Nudges::tend() {
  std::optional<Instant> next;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    next.reset();
    const Instant now = town_.clock.now();
    TRY(awake, keep_watch(ledger, now));
    TRY_VOID(end_holds(ledger, now));
    TRY_VOID(end_outlived(town_, ledger, posting, awake));
    TRY_VOID(ledger.erase_ended_nudges(now - kNudgeMemory, kShare));
    TRY_VOID(ledger.forget_wakes(now - std::chrono::hours(24)));
    TRY(deadline, ledger.next_nudge_deadline());
    // What is outlived and still there is in somebody's hands, or held: it is looked at again after a while.
    if (deadline) next = now + (*deadline > awake ? *deadline - awake : kLookAgainAfter);
    auto sooner = [&](const std::optional<Instant>& at) {
      if (at && *at > now && (!next || *at < *next)) next = at;
    };
    TRY(watch, ledger.watch());
    sooner(watch.hold_until);
    TRY(cares, ledger.cares());
    for (const auto& care : cares) sooner(care.hold_until);
    return {};
  }));
  return next;
}

}  // namespace townpost
