#include "post/nudge/nudges.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/advice.h"
#include "base/text.h"
#include "post/nudge/readable.h"
#include "post/people/membership.h"
#include "post/people/registry.h"
#include "post/people/resolve.h"
#include "post/rules/mail_access.h"
#include "post/rules/refusal.h"
#include "post/town/keep_watch.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr Millis kUrgentPatience = std::chrono::minutes(10);

Millis default_life(NudgeMode mode) {
  switch (mode) {
    case NudgeMode::wait_idle:
    case NudgeMode::soon:
      return std::chrono::hours(24);
    case NudgeMode::queue:
      return std::chrono::minutes(30);
    case NudgeMode::immediate:
      return std::chrono::minutes(10);
  }
  return std::chrono::hours(24);
}

Result<> check(const NudgeDraft& draft) {
  if (draft.to.empty())
    return fail_argument("target", "a target is missing", next("nudge", {{"target", "ADDR"}, {"body", "MESSAGE"}}));
  if (trim(draft.text).empty())
    return fail_argument("body", "message required", next("nudge", {{"target", "ADDR"}, {"body", "what to say"}}));
  if (draft.text.size() > kNudgeBytes)
    return fail_argument("body",
                         cat("the message has ", draft.text.size(), " bytes; at most ", kNudgeBytes, " are allowed"),
                         "send the rest by mail");
  if (draft.text.find('\0') != std::string::npos)
    return fail_argument("body", "the message contains a NUL byte", "send text, not binary data");
  if (!is_utf8(draft.text))
    return fail_argument("body", "the message is not valid UTF-8", "convert it first, for example with iconv");
  if (draft.ttl && *draft.ttl <= Millis(0))
    return fail_argument("ttl", "invalid ttl: it must be longer than zero", "for example 30m");
  return {};
}

/// Everybody a nudge goes to, each once. A channel stands for its subscribers.
Result<std::vector<Agent>> targets_of(Ledger& ledger, const NudgeDraft& draft, const SeenSessions& seen,
                                      const Agent& sender, Instant now) {
  std::vector<Agent> out;
  std::set<AgentId> known;
  auto add = [&](const Agent& agent) {
    if (known.insert(agent.id).second) out.push_back(agent);
  };
  for (const auto& name : draft.to) {
    TRY(resolved, resolve(ledger, name, seen, now, Unknown::refuse));
    if (resolved.queue)
      return fail(Code::usage, cat(resolved.spelling, " is a queue; nobody in particular listens there"),
                  "nudge a worker, a group or a channel");
    for (const auto& member : resolved.members)
      if (!resolved.is_list || member.id != sender.id) add(member);
    if (!resolved.channel) continue;
    TRY(subscriptions, ledger.subscriptions(resolved.channel->id));
    for (const auto& subscription : subscriptions) {
      TRY(agents, expand_member(ledger, subscription.member));
      for (const auto& agent : agents)
        if (agent.id != sender.id && agent.id.key != 0) add(agent);
    }
  }
  std::erase_if(out, [](const Agent& agent) { return agent.address.role() == Role::system; });
  if (out.empty())
    return fail(Code::not_found, cat(join(draft.to, ", "), " matches nobody, or only yourself"), "name somebody else");
  if (out.size() > kMostRecipients)
    return fail_argument("target", cat(out.size(), " targets; at most ", kMostRecipients, " are allowed"),
                         "post to a channel instead");
  return out;
}

/// Whether the caller's own session began so recently that what it says is still news.
Result<bool> is_fresh(Town& town, const Caller& caller, Millis age) {
  StoredPresence stored;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    TRY(self, ledger.find_agent(caller.address.str()));
    if (!self) return {};
    TRY(found, stored_presence(ledger, self->id));
    stored = std::move(found);
    return {};
  }));
  const auto own = newest_presence(town, stored.agent, stored.presence);
  return !own || own->started_at.ms == 0 || town.clock.now() - own->started_at <= age;
}

/// Puts the nudge into the target's line; the receipt says where it is.
Result<NudgeReceipt> enqueue(Town& town, Ledger& ledger, const Agent& target, Nudge nudge, Instant now) {
  TRY(line, ledger.pending_nudges(target.id));
  const Nudge* replaced = nullptr;
  int waiting = 0;  // of this sender: nobody fills another's line for others
  for (const auto& other : line) {
    if (other.kind == NudgeKind::mail) continue;
    if (other.sender == nudge.sender) ++waiting;
    if (other.state != NudgeState::queued) continue;
    if (may_replace(nudge, other)) replaced = &other;
    if (nudge.coalesce_key.empty() && other.coalesce_key.empty() && other.sender == nudge.sender &&
        other.text == nudge.text && other.urgent == nudge.urgent && other.mode == nudge.mode &&
        town.settings.limits.enabled && nudge.source != NudgeSource::user)
      return NudgeReceipt{target, other, true, "the same nudge waits already (rule L5)"};
  }
  if (!replaced && !is_exempt(nudge) && town.settings.nudge_depth > 0 && waiting >= town.settings.nudge_depth)
    return fail(
        Code::refused,
        cat(waiting, " nudges of ", nudge.from, " wait for ", target.address.str(), " already; one more is refused"),
        next("nudge.list", {{"agent", target.address.str()}}, " shows them; drop one, or wait"));
  TRY(seq, ledger.next_nudge_seq());
  nudge.id = NudgeId::make(seq, town.random);
  nudge.target = target.id;
  nudge.place = replaced ? replaced->place : nudge.id.key;
  if (replaced)
    TRY_VOID(end_nudge(ledger, *replaced, NudgeState::superseded, cat("replaced by ", nudge.id.str()), now));
  TRY_VOID(ledger.add_nudge(nudge));
  TRY_VOID(note_nudge(ledger, nudge, EventKind::queued,
                      cat("by ", nudge.from, nudge.held_by.empty() ? "" : cat(", held by ", nudge.held_by)), now));
  ledger.ring(target.id);
  return NudgeReceipt{target, nudge, false, nudge.held_by.empty() ? "" : cat("held by rule ", nudge.held_by)};
}

}  // namespace

std::string_view name(Boundary boundary) {
  static constexpr std::array<std::string_view, 7> kNames = {"start", "prompt",          "tool", "turn end", "idle",
                                                             "busy",  "its own question"};
  return kNames[static_cast<std::size_t>(boundary)];
}

bool fits(NudgeMode mode, Boundary boundary) {
  switch (boundary) {
    case Boundary::start:
    case Boundary::prompt:
    case Boundary::turn_end:
    case Boundary::asked:
      return true;
    case Boundary::tool:
      return mode == NudgeMode::immediate || mode == NudgeMode::soon;
    case Boundary::idle:
      return mode != NudgeMode::queue;
    case Boundary::busy:
      return mode == NudgeMode::immediate;
  }
  return false;
}

std::vector<std::string> Parcel::ids() const {
  std::vector<std::string> out;
  for (const auto& nudge : nudges) out.push_back(nudge.id.str());
  return out;
}

Result<std::vector<NudgeReceipt>> Nudges::send(const NudgeDraft& draft, const Caller& caller) {
  TRY_VOID(check(draft));
  if (draft.if_fresh) {
    TRY(fresh, is_fresh(town_, caller, *draft.if_fresh));
    if (!fresh) return std::vector<NudgeReceipt>();
  }
  TRY(seen, look_for_sessions(town_, draft.to, caller, "target"));
  std::vector<NudgeReceipt> receipts;
  std::optional<Ruling> refusal;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    receipts.clear();
    const Instant now = town_.clock.now();
    TRY(awake, keep_watch(ledger, now));
    TRY(sender, ensure_agent(ledger, caller.address, now));
    TRY_VOID(check_thread(ledger, draft.thread, sender, caller));
    const int hops = hops_of(sender, std::nullopt, now);
    refusal = hops_refusal(town_.settings.limits, hops);
    if (!refusal) {
      TRY(too_many, sender_refusal(ledger, town_.settings.limits, sender, now));
      refusal = too_many;
    }
    if (refusal) return note_refusal(town_, ledger, posting, {sender, draft.to, draft.thread}, *refusal);
    TRY(care, ledger.care(sender.id));
    TRY(targets, targets_of(ledger, draft, seen, sender, now));
    PairRule pairs(ledger, town_.settings.limits, sender, now);
    for (const auto& target : targets) {
      const auto mode = draft.mode.value_or(town_.settings.policy(target.address.role()).default_mode);
      Nudge nudge{.sender = sender.id,
                  .from = sender.address.str(),
                  .grade = caller.grade,
                  .source = source_of(sender.address),
                  .kind = kind_of(draft.text),
                  .mode = mode,
                  .urgent = draft.urgent,
                  .ephemeral = draft.ephemeral,
                  .forced = draft.forced,
                  .text = draft.text,
                  .coalesce_key = draft.coalesce_key,
                  .thread = draft.thread,
                  .refs = draft.refs,
                  .bead = draft.bead,
                  .hops = hops,
                  .created_at = now,
                  .deliver_after = now + draft.delay,
                  .expires_at = awake + draft.delay + draft.ttl.value_or(default_life(mode))};
      if (draft.urgent) nudge.escalate_at = awake + draft.delay + kUrgentPatience;
      TRY(pair, pairs.hold(target.id));
      if (auto hold = hops_hold(town_.settings.limits, hops)) nudge.held_by = hold->rule;
      if (nudge.held_by.empty() && pair) {  // it may wake once the window is clear
        nudge.held_by = pair->rule;
        nudge.deliver_after =
            std::max(nudge.deliver_after, now + std::chrono::seconds(pair->retry_after_s.value_or(0)));
      }
      if (sender.held_since && town_.settings.limits.enabled) nudge.held_by = "L3";
      TRY(receipt, enqueue(town_, ledger, target, std::move(nudge), now));
      if (care.quarantined_at) receipt.note = cat(sender.address.str(), " is quarantined");
      receipts.push_back(std::move(receipt));
    }
    return {};
  }));
  if (refusal) return refused_by(*refusal);
  return receipts;
}

namespace {

/// Ended so long ago that it is gone, though nobody has cleared it away yet.
bool is_forgotten(const Nudge& nudge, Instant now) { return nudge.ended_at && *nudge.ended_at < now - kNudgeMemory; }

/// Whether it is the caller's business: who sent it, who gets it, and people.
Result<bool> concerns(Ledger& ledger, const Nudge& nudge, const Caller& caller) {
  if (caller.is_person()) return true;
  TRY(self, ledger.find_agent(caller.address.str()));
  return self && (self->id == nudge.sender || self->id == nudge.target);
}

/// Takes out what is not for this reader: the words of others' nudges, and of those in quarantine.
Result<> strip(Ledger& ledger, Nudge& nudge, const Withheld& withheld, const Caller& reader) {
  withheld.strip(nudge);
  TRY(own, concerns(ledger, nudge, reader));
  if (!own) nudge.text.clear();
  return {};
}

/// The nudge, if the caller may decide over it or read it.
Result<Nudge> own_nudge(Ledger& ledger, NudgeId id, const Caller& caller, Instant now) {
  TRY(found, ledger.nudge(id));
  if (!found || is_forgotten(*found, now))
    return fail(Code::not_found, cat("no nudge ", id.str()),
                "ended nudges are forgotten after 7 days; " + next("nudge.list", {}, " shows the others"));
  TRY(own, concerns(ledger, *found, caller));
  if (!own)
    return fail(Code::forbidden, cat(id.str(), " is neither from you nor for you"), "ask its sender, or a person");
  return *found;
}

}  // namespace

Result<std::vector<Nudge>> Nudges::list(const NudgeQuery& query, const Caller& reader) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<Nudge>> {
    TRY(found, ledger.nudges(query));
    std::erase_if(found, [&](const Nudge& nudge) { return is_forgotten(nudge, town_.clock.now()); });
    TRY(withheld, Withheld::from_reader(ledger, reader));
    for (auto& nudge : found) TRY_VOID(strip(ledger, nudge, withheld, reader));
    return found;
  });
}

Result<std::int64_t> Nudges::count(NudgeQuery query) {
  constexpr int kMostCounted = 10'000;
  query.limit = kMostCounted;
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::int64_t> {
    TRY(found, ledger.nudges(query));
    std::erase_if(found, [&](const Nudge& nudge) { return is_forgotten(nudge, town_.clock.now()); });
    return static_cast<std::int64_t>(found.size());
  });
}

Result<std::optional<Nudge>> readable_nudge(Ledger& ledger, NudgeId id, const Caller& reader, const Withheld& withheld,
                                            Instant now) {
  TRY(found, ledger.nudge(id));
  if (!found || is_forgotten(*found, now)) return std::optional<Nudge>();
  TRY(own, concerns(ledger, *found, reader));
  if (!own) return std::optional<Nudge>();
  withheld.strip(*found);
  return found;
}

Result<Nudge> Nudges::show(NudgeId id, const Caller& reader) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Nudge> {
    TRY(nudge, own_nudge(ledger, id, reader, town_.clock.now()));
    TRY(withheld, Withheld::from_reader(ledger, reader));
    TRY_VOID(strip(ledger, nudge, withheld, reader));
    return nudge;
  });
}

Result<Nudge> Nudges::drop(NudgeId id, const std::string& reason, const Caller& caller) {
  if (trim(reason).empty())
    return fail_argument("reason", "the reason is missing", "add " + next("", {{"reason", "why it is dropped"}}));
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(nudge, own_nudge(ledger, id, caller, town_.clock.now()));
    if (is_terminal(nudge.state))
      return fail(Code::refused, cat(id.str(), " is ", name(nudge.state), " already"), "there is nothing to drop");
    return end_nudge(ledger, nudge, NudgeState::dropped, cat("by ", caller.address.str(), ": ", in_quotes(reason, 500)),
                     town_.clock.now());
  }));
  return show(id, caller);
}

Result<Nudge> Nudges::retry(NudgeId id, const Caller& caller) {
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(awake, keep_watch(ledger, now));
    TRY(nudge, own_nudge(ledger, id, caller, town_.clock.now()));
    if (is_terminal(nudge.state) && nudge.state != NudgeState::dead)
      return fail(Code::refused, cat(id.str(), " is ", name(nudge.state)), "send it again: " + next("nudge"));
    if (nudge.state == NudgeState::dead) {
      nudge.state = NudgeState::queued;
      nudge.attempts = 0;
      nudge.ended_at.reset();
      nudge.expires_at = awake + default_life(nudge.mode);
    }
    nudge.retry_at.reset();
    // A rule's window is not made shorter by whom it holds.
    if (caller.is_person()) nudge.held_by.clear();
    if (nudge.held_by.empty()) nudge.deliver_after = std::min(nudge.deliver_after, now);
    TRY_VOID(ledger.update_nudge(nudge));
    ledger.ring(nudge.target);
    return note_nudge(ledger, nudge, EventKind::retried, "by " + caller.address.str(), now);
  }));
  return show(id, caller);
}

}  // namespace townpost
