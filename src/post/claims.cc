#include "post/claims.h"

#include <algorithm>

#include "base/text.h"
#include "post/limits.h"
#include "post/membership.h"
#include "post/registry.h"

namespace townpost {

namespace {

constexpr Millis kRelook = std::chrono::seconds(15);

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
  if (!message) return fail(Code::unavailable, cat(item->message.str(), " has lost its text"), "gt store check tells");
  TRY_VOID(ledger.add_event({.at = now,
                             .kind = "claimed",
                             .message = item->message,
                             .agent = self.id,
                             .detail = cat("attempt ", item->attempts, " of ", queue.max_attempts, ", lease until ",
                                           rfc3339(item->lease_until))}));
  if (message->hops > 0 || self.shown_hops > 0) {  // what an agent is shown counts for its next message (rule L1)
    Agent reader = self;
    note_shown(reader, *message, now);
    TRY_VOID(ledger.update_shown(reader));
  }
  return std::optional(QueuedMail{*message, *item, queue, self.address.str()});
}

Failure not_the_holder(const QueuedMail& mail) {
  const std::string id = mail.message.id.str();
  switch (mail.item.state) {
    case ItemState::completed:
      return fail(Code::refused, cat(id, " was completed by ", mail.holder), "gt mail explain tells its history");
    case ItemState::dead:
      return fail(Code::refused, cat(id, " is dead after ", mail.item.attempts, " attempts: ", mail.item.reason),
                  cat("gt queue retry ", id, " begins anew"));
    default:
      break;
  }
  if (mail.holder.empty())
    return fail(Code::refused, cat(id, " is not claimed"),
                cat("gt mail claim ", mail.queue.name, " takes the next one"));
  return fail(Code::refused, cat(id, " was claimed by ", mail.holder), "only whoever claimed it last may do that");
}

}  // namespace

Result<Agent> Claims::claimant(const Caller& caller) {
  std::optional<Agent> known;
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    TRY(found, ledger.find_agent(caller.address.str()));
    known = found && !found->removed_at ? found : std::nullopt;
    return {};
  }));
  if (known) return *known;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(made, ensure_agent(ledger, caller.address, town_.clock.now()));
    known = made;
    return {};
  }));
  return *known;
}

Result<Claims::Look> Claims::look(const std::optional<std::string>& queue, const Agent& self, Paused paused) {
  Look out;
  TRY_VOID(town_.store.write_beside_others([&](Ledger& ledger) -> Result<> {
    out = Look();
    const Instant now = town_.clock.now();
    std::vector<Queue> candidates;
    if (queue) {
      TRY(named, existing_queue(ledger, *queue));
      TRY(allowed, may_claim(ledger, named.claimers, self));
      if (!allowed)
        return fail(Code::forbidden, cat(self.address.str(), " may not claim from queue ", named.name),
                    cat("its claimers are ", named.claimers));
      if (named.state == QueueState::paused && paused == Paused::refuse)
        return fail(Code::refused, cat("queue ", named.name, " is paused"), cat("gt queue resume ", named.name));
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
      out.queues.push_back(one.id);
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
      TRY(end, ledger.next_lease_end(one.id));
      if (end && (!out.next_lease_end || *end < *out.next_lease_end)) out.next_lease_end = end;
    }
    return {};
  }));
  return out;
}

Result<std::optional<QueuedMail>> Claims::claim(const std::optional<std::string>& queue, const Caller& caller) {
  TRY(self, claimant(caller));
  TRY(found, look(queue, self, Paused::refuse));
  return std::move(found.mail);
}

Result<std::optional<QueuedMail>> Claims::wait_and_claim(const std::optional<std::string>& queue, Millis longest,
                                                         const Caller& caller) {
  TRY(self, claimant(caller));
  const Instant end = town_.clock.now() + longest;
  // One queue has a bell of its own; whoever works for several waits at the bell that rings for all of them.
  BellKey bell = BellKey::queues();
  if (queue) {
    TRY(named, read_value(town_.store, [&](Ledger& ledger) { return existing_queue(ledger, *queue); }));
    bell = BellKey(named.id);
  }
  while (true) {
    const auto stamp = town_.bell.stamp(bell);  // before the look, so that a ring in between is not missed
    TRY(found, look(queue, self, Paused::wait));
    if (found.mail) return std::move(found.mail);
    const Instant now = town_.clock.now();
    if (now >= end) return std::optional<QueuedMail>();
    Millis pause = std::min(end - now, kRelook);
    if (found.next_lease_end) pause = std::clamp(*found.next_lease_end - now, Millis(1), pause);
    town_.bell.wait(bell, stamp, pause);
  }
}

/// Runs `change` (which answers whether it was done) as the caller; if it was not, says why.
template <class Change>
Result<QueuedMail> Claims::end_claim(MessageId id, const Caller& caller, Change change) {
  TRY(self, claimant(caller));
  std::optional<QueuedMail> out;
  TRY_VOID(town_.store.write_beside_others([&](Ledger& ledger) -> Result<> {
    TRY(mail, queued_mail(ledger, id));
    TRY(done, change(ledger, mail, self, town_.clock.now()));
    if (!done) {
      TRY(now, queued_mail(ledger, id));
      return not_the_holder(now);
    }
    TRY(after, queued_mail(ledger, id));
    out = std::move(after);
    return {};
  }));
  return std::move(*out);
}

Result<QueuedMail> Claims::complete(MessageId id, const Caller& caller) {
  return end_claim(id, caller,
                   [&](Ledger& ledger, const QueuedMail& mail, const Agent& self, Instant now) -> Result<bool> {
                     if (mail.item.state == ItemState::completed && mail.item.holder == self.id) return true;
                     TRY(done, ledger.complete_item(id, self.id, now));
                     if (!done) return false;
                     if (mail.queue.max_concurrency > 0)
                       ring_queue(ledger, mail.queue.id);  // there is room for another
                     TRY_VOID(ledger.add_event({.at = now,
                                                .kind = "completed",
                                                .message = id,
                                                .agent = self.id,
                                                .detail = cat("in attempt ", mail.item.attempts)}));
                     return true;
                   });
}

Result<QueuedMail> Claims::fail_attempt(MessageId id, const std::string& reason, const Caller& caller) {
  return end_claim(
      id, caller, [&](Ledger& ledger, const QueuedMail& mail, const Agent& self, Instant now) -> Result<bool> {
        TRY(done, ledger.fail_item(id, self.id, mail.queue.max_attempts, reason.empty() ? "failed" : reason, now));
        if (!done) return false;
        ring_queue(ledger, mail.queue.id);
        const bool dead = mail.item.attempts >= mail.queue.max_attempts;
        TRY_VOID(ledger.add_event({.at = now,
                                   .kind = dead ? "dead" : "failed",
                                   .message = id,
                                   .agent = self.id,
                                   .detail = cat("attempt ", mail.item.attempts, " of ", mail.queue.max_attempts,
                                                 reason.empty() ? "" : cat(": ", reason))}));
        return true;
      });
}

Result<QueuedMail> Claims::release(MessageId id, const Caller& caller) {
  return end_claim(
      id, caller, [&](Ledger& ledger, const QueuedMail& mail, const Agent& self, Instant now) -> Result<bool> {
        TRY(done, ledger.release_item(id, self.id));
        if (!done) return false;
        ring_queue(ledger, mail.queue.id);
        TRY_VOID(ledger.add_event(
            {.at = now, .kind = "released", .message = id, .agent = self.id, .detail = "the attempt does not count"}));
        return true;
      });
}

Result<QueuedMail> Claims::extend(MessageId id, const std::optional<Millis>& lease, const Caller& caller) {
  return end_claim(
      id, caller, [&](Ledger& ledger, const QueuedMail& mail, const Agent& self, Instant now) -> Result<bool> {
        const auto& queue = mail.queue;
        const bool lease_ran_out = mail.item.state != ItemState::leased || mail.item.lease_until <= now;
        if (lease_ran_out && queue.max_concurrency > 0) {  // its place may be taken
          TRY_VOID(ledger.lock_queue(queue.id));
          TRY(leased, ledger.count_leased(queue.id, now));
          if (leased >= queue.max_concurrency)
            return fail(Code::refused,
                        cat("the lease of ", id.str(), " ran out and ", leased, " others work on ", queue.name),
                        cat("finish it with gt mail complete ", id.str(), ", or claim again later"));
        }
        const Instant until = now + lease.value_or(queue.lease);
        TRY(done, ledger.extend_lease(id, self.id, until));
        if (!done) return false;
        TRY_VOID(ledger.add_event({.at = now,
                                   .kind = "extended",
                                   .message = id,
                                   .agent = self.id,
                                   .detail = cat("lease until ", rfc3339(until))}));
        return true;
      });
}

}  // namespace townpost
