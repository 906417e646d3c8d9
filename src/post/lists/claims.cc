#include "post/lists/claims.h"

#include <algorithm>

#include "base/text.h"
#include "post/people/membership.h"
#include "post/people/registry.h"
#include "post/rules/limits.h"
#include "post/town/keep_watch.h"

namespace townpost {

namespace {

Result<bool> was_claimed_before(Ledger& ledger, MessageId message, AgentId by) {
  TRY(events, ledger.events_of(message));
  return std::any_of(events.begin(), events.end(),
                     [&](const Event& event) { return event.kind == EventKind::claimed && event.agent == by; });
}

/// One message of this queue, leased to `self` now.
Result<std::optional<QueuedMail>> take(Ledger& ledger, const Queue& queue, const Agent& self, Instant now) {
  std::optional<QueuedMail> none;
  if (queue.max_concurrency > 0) {  // counting and claiming must be one step
    TRY_VOID(ledger.lock_queue(queue.id));
    TRY(leased, ledger.count_leased(queue.id, now));
    if (leased >= queue.max_concurrency) return none;
  }
  TRY(item, ledger.claim_next(queue.id, self.id, now, now + queue.lease));
  if (!item) return none;
  TRY(message, ledger.message(item->message));
  if (!message)
    return fail(Code::unavailable, cat(item->message.str(), " has lost its text"),
                next("store.check", {}, " tells more"));
  TRY_VOID(ledger.add_event({.at = now,
                             .kind = EventKind::claimed,
                             .message = item->message,
                             .agent = self.id,
                             .detail = cat("attempt ", item->attempts, " of ", queue.max_attempts, ", lease until ",
                                           rfc3339(item->lease_until)),
                             .queue = queue.id,
                             .audience = Audience::everybody}));
  if (message->hops > 0 || self.shown_hops > 0) {  // what an agent is shown counts for its next message (rule L1)
    TRY(shown, was_claimed_before(ledger, item->message, self.id));
    Agent reader = self;
    note_shown(reader, *message, shown ? Showing::again : Showing::first_time, now);
    TRY_VOID(ledger.update_shown(reader));
  }
  return std::optional(QueuedMail{*message, *item, queue, self.address.str()});
}

Failure not_the_holder(const QueuedMail& mail) {
  const std::string id = mail.message.id.str();
  switch (mail.item.state) {
    case ItemState::completed:
      return fail(Code::refused, cat(id, " was completed by ", mail.holder),
                  next("mail.explain", {{"id", id}}, " tells its history"));
    case ItemState::dead:
      return fail(Code::refused,
                  cat(id, " is dead after ", mail.item.attempts, " attempts",
                      mail.item.reason.empty() ? "" : cat(": ", in_quotes(mail.item.reason, 200))),
                  next("queue.retry", {{"id", id}}, " begins anew"));
    default:
      break;
  }
  if (mail.holder.empty())
    return fail(Code::refused, cat(id, " is not claimed"),
                next("mail.claim", {{"queue", mail.queue.name}}, " takes the next one"));
  return fail(Code::refused, cat(id, " was claimed by ", mail.holder), "only whoever claimed it last may do that");
}

}  // namespace

Result<> Claims::as_agent(const Caller& caller, const std::function<Result<>(Ledger&, const Agent&)>& work) {
  bool known = false;
  bool slept = false;
  auto as_known = [&](Ledger& ledger) -> Result<> {
    TRY(watch, ledger.watch());
    slept = watch.slept(town_.clock.now());
    if (slept) return {};
    TRY(self, ledger.find_agent(caller.address.str()));
    known = self && !self->removed_at;
    return known ? work(ledger, *self) : Result<>();
  };
  TRY_VOID(town_.store.write_beside_others(as_known));
  if (slept) {  // what was claimed before is its holder's still; that cannot be noted beside others, either
    TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
      TRY_VOID(keep_watch(ledger, town_.clock.now()));
      return {};
    }));
    TRY_VOID(town_.store.write_beside_others(as_known));
  }
  if (known) return {};
  // Whoever comes for the first time is registered, which cannot be done beside others.
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(ensure_agent(ledger, caller.address, town_.clock.now()));
    ledger.ring(BellKey::registry());
    return {};
  }));
  return town_.store.write_beside_others(as_known);
}

Result<Claims::Look> Claims::look(const std::optional<std::string>& queue, const Caller& caller, Paused paused) {
  Look out;
  TRY_VOID(as_agent(caller, [&](Ledger& ledger, const Agent& self) -> Result<> {
    const Instant now = town_.clock.now();
    out = Look{.again_at = now + kLookAgain};
    std::vector<Queue> candidates;
    if (queue) {
      TRY(named, existing_queue(ledger, *queue));
      TRY(allowed, may_claim(ledger, named.claimers, self));
      if (!allowed)
        return fail(Code::forbidden, cat(self.address.str(), " may not claim from queue ", named.name),
                    cat("its claimers are ", named.claimers));
      if (named.state == QueueState::paused && paused == Paused::refuse)
        return fail(Code::refused, cat("queue ", named.name, " is paused"),
                    next("queue.resume", {{"name", named.name}}));
      // One queue has a bell of its own; whoever works for several waits at the bell that rings for all of them.
      out.bell = BellKey(named.id);
      candidates = {named};
    } else {
      TRY(all, ledger.queues());
      for (const auto& one : all) {
        TRY(allowed, may_claim(ledger, one.claimers, self));
        if (allowed) candidates.push_back(one);
      }
    }
    struct Head {
      MessageId oldest;
      const Queue* queue;
    };
    std::vector<Head> heads;
    for (const auto& one : candidates) {
      if (one.state == QueueState::paused) continue;
      TRY_VOID(end_leases(ledger, one, now));
      if (queue) {
        heads.push_back({{}, &one});
        continue;
      }
      TRY(oldest, ledger.oldest_available(one.id));
      if (oldest) heads.push_back({*oldest, &one});
    }
    std::sort(heads.begin(), heads.end(), [](const Head& a, const Head& b) { return a.oldest < b.oldest; });
    for (const auto& head : heads) {
      TRY(mail, take(ledger, *head.queue, self, now));
      if (!mail) continue;
      out.mail = std::move(mail);
      return {};
    }
    for (const auto& one : candidates) {
      if (one.state == QueueState::paused) continue;  // what ends there is not handed out
      TRY(end, ledger.next_lease_end(one.id));
      if (end) out.again_at = std::clamp(*end, now + Millis(1), out.again_at);
    }
    return {};
  }));
  return out;
}

Result<std::optional<QueuedMail>> Claims::claim(const std::optional<std::string>& queue, const Caller& caller) {
  TRY(found, look(queue, caller, Paused::refuse));
  return std::move(found.mail);
}

Result<QueuedItem> Claims::change_claim(MessageId id, const Caller& caller, const Change& change,
                                        const Follow& follow) {
  std::optional<QueuedItem> out;
  TRY_VOID(as_agent(caller, [&](Ledger& ledger, const Agent& self) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(item, change(ledger, self, now));
    if (!item) {
      TRY(mail, queued_mail(ledger, id));
      TRY(reason, reason_for(ledger, mail, caller));
      mail.item.reason = reason;
      return not_the_holder(mail);
    }
    TRY(queue, ledger.queue(item->queue));
    out = QueuedItem{*item, queue.value_or(Queue{})};
    return follow(ledger, out->queue, *item, self, now);
  }));
  return std::move(*out);
}

Result<QueuedItem> Claims::complete(MessageId id, const Caller& caller) {
  bool again = false;
  return change_claim(
      id, caller,
      [&](Ledger& ledger, const Agent& self, Instant now) -> Result<std::optional<QueueItem>> {
        TRY(done, ledger.complete_item(id, self.id, now));
        again = !done;
        if (done) return done;
        TRY(item, ledger.item(id));  // saying it twice is no error
        if (item && item->state == ItemState::completed && item->holder == self.id) return item;
        return done;
      },
      [&](Ledger& ledger, const Queue& queue, const QueueItem& item, const Agent& self, Instant now) -> Result<> {
        if (again) return {};
        if (queue.max_concurrency > 0) ledger.ring_queue(queue.id);  // there is room for another
        return ledger.add_event({.at = now,
                                 .kind = EventKind::completed,
                                 .message = id,
                                 .agent = self.id,
                                 .detail = cat("in attempt ", item.attempts),
                                 .queue = queue.id,
                                 .audience = Audience::everybody});
      });
}

Result<QueuedItem> Claims::fail_attempt(MessageId id, const std::string& reason, const Caller& caller) {
  constexpr std::size_t kLongestReason = 500;
  if (!is_utf8(reason) || reason.size() > kLongestReason || reason.find('\0') != std::string::npos)
    return fail(Code::usage, cat("the reason must be text of at most ", kLongestReason, " bytes"),
                "put the rest into a reply");
  return change_claim(
      id, caller,
      [&](Ledger& ledger, const Agent& self, Instant now) -> Result<std::optional<QueueItem>> {
        TRY(mail, queued_mail(ledger, id));
        TRY_VOID(end_leases(ledger, mail.queue, now));
        return ledger.fail_item(id, self.id, mail.queue.max_attempts, reason.empty() ? "failed" : reason, now);
      },
      [&](Ledger& ledger, const Queue& queue, const QueueItem& item, const Agent& self, Instant now) -> Result<> {
        ledger.ring_queue(queue.id);
        return ledger.add_event({.at = now,
                                 .kind = item.state == ItemState::dead ? EventKind::dead : EventKind::failed,
                                 .message = id,
                                 .agent = self.id,
                                 .detail = cat("attempt ", item.attempts, " of ", queue.max_attempts,
                                               reason.empty() ? "" : cat(": ", in_quotes(reason, 500))),
                                 .queue = queue.id,
                                 .audience = Audience::everybody});
      });
}

Result<QueuedItem> Claims::release(MessageId id, const Caller& caller) {
  return change_claim(
      id, caller,
      [&](Ledger& ledger, const Agent& self, Instant now) -> Result<std::optional<QueueItem>> {
        TRY(mail, queued_mail(ledger, id));
        TRY_VOID(end_leases(ledger, mail.queue, now));
        return ledger.release_item(id, self.id);
      },
      [&](Ledger& ledger, const Queue& queue, const QueueItem&, const Agent& self, Instant now) -> Result<> {
        ledger.ring_queue(queue.id);
        return ledger.add_event({.at = now,
                                 .kind = EventKind::released,
                                 .message = id,
                                 .agent = self.id,
                                 .detail = "the attempt does not count",
                                 .queue = queue.id,
                                 .audience = Audience::everybody});
      });
}

Result<QueuedItem> Claims::extend(MessageId id, const std::optional<Millis>& lease, const Caller& caller) {
  if (lease) TRY_VOID(check_lease(*lease));
  return change_claim(
      id, caller,
      [&](Ledger& ledger, const Agent& self, Instant now) -> Result<std::optional<QueueItem>> {
        TRY(mail, queued_mail(ledger, id));
        const auto& queue = mail.queue;
        TRY_VOID(end_leases(ledger, queue, now));
        const bool lease_ran_out = mail.item.state != ItemState::leased || mail.item.lease_until <= now;
        if (lease_ran_out && mail.item.holder == self.id && queue.max_concurrency > 0) {  // its place may be taken
          TRY_VOID(ledger.lock_queue(queue.id));
          TRY(leased, ledger.count_leased(queue.id, now));
          if (leased >= queue.max_concurrency)
            return fail(Code::refused,
                        cat("the lease of ", id.str(), " ran out and ", leased, " others work on ", queue.name),
                        "finish it with " + next("mail.complete", {{"id", id.str()}}, ", or claim again later"));
        }
        return ledger.extend_lease(id, self.id, now + lease.value_or(queue.lease));
      },
      [&](Ledger& ledger, const Queue& queue, const QueueItem& item, const Agent& self, Instant now) {
        return ledger.add_event({.at = now,
                                 .kind = EventKind::extended,
                                 .message = id,
                                 .agent = self.id,
                                 .detail = cat("lease until ", rfc3339(item.lease_until)),
                                 .queue = queue.id,
                                 .audience = Audience::everybody});
      });
}

}  // namespace townpost
