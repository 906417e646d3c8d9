#include "post/lists/claims.h"

#include <algorithm>

#include "base/text.h"
#include "post/people/list_names.h"
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

/// What an agent is shown counts for its next message (rule L1).
Result<> note_claimed(Ledger& ledger, const Message& message, const Agent& self, Instant now) {
  TRY(shown, was_claimed_before(ledger, message.id, self.id));
  TRY(reader, ledger.agent(self.id));
  if (!reader) return {};
  note_shown(*reader, message, shown ? Showing::again : Showing::first_time, now);
  return ledger.update_shown(*reader);
}

/// One message of this queue, leased to `self` now.
Result<std::optional<QueuedMail>> take(Ledger& ledger, const Queue& queue, const Agent& self, const Caller& caller,
                                       Instant now) {
  std::optional<QueuedMail> none;
  if (queue.max_concurrency > 0) {
    TRY(leased, ledger.count_leased(queue.id, now));
    if (leased >= queue.max_concurrency) return none;
  }
  TRY(claimed, ledger.claim_next(queue.id, self.id, now, now + queue.lease));
  if (!claimed) return none;
  const auto& [item, message] = *claimed;
  if (!message)
    return fail(Code::unavailable, cat(item.message.str(), " has lost its text"),
                next("store.check", {}, " tells more"));
  if (message->hops > 0 || self.shown_hops > 0) TRY_VOID(note_claimed(ledger, *message, self, now));
  TRY_VOID(ledger.add_event({.at = now,
                             .kind = EventKind::claimed,
                             .message = item.message,
                             .agent = self.id,
                             .detail = cat("attempt ", item.attempts, " of ", queue.max_attempts, ", lease until ",
                                           rfc3339(item.lease_until)),
                             .queue = queue.id,
                             .audience = Audience::everybody}));
  QueuedMail out{*message, item, queue, self.address.str()};
  if (message->to.size() + message->cc.size() > 1) {
    TRY(copy, ledger.delivery(message->id, self.id));
    out.copy = std::move(copy);
  }
  TRY(reason, reason_for(ledger, out, caller));
  out.item.reason = reason;
  return std::optional(std::move(out));
}

/// A person may do everything.
Result<bool> may_claim_from(Ledger& ledger, const Queue& queue, const Agent& self, const Caller& caller) {
  if (caller.is_person()) return true;
  return may_claim(ledger, queue.claimers, self);
}

/// The queue of that name, with what is to do in it.
Result<QueueOffer> named_offer(Ledger& ledger, std::string_view name, Instant now) {
  TRY(found, ledger.find_offer(list_name(ListKind::queue, name), now));
  if (found) return std::move(*found);
  TRY(queue, existing_queue(ledger, name));  // by another name, or it says what is wrong with this one
  TRY(stir, ledger.stir(queue.id, now));
  return QueueOffer{std::move(queue), stir};
}

/// The queue that is named, or all from which `self` may claim.
Result<std::vector<QueueOffer>> offers_for(Ledger& ledger, const std::optional<std::string>& name, const Agent& self,
                                           const Caller& caller, Instant now) {
  std::vector<QueueOffer> out;
  if (!name) {
    TRY(all, ledger.queues());
    for (auto& one : all) {
      TRY(allowed, may_claim_from(ledger, one, self, caller));
      if (!allowed) continue;
      TRY(stir, ledger.stir(one.id, now));
      out.push_back({std::move(one), stir});
    }
    return out;
  }
  TRY(named, named_offer(ledger, *name, now));
  TRY(allowed, may_claim_from(ledger, named.queue, self, caller));
  if (!allowed)
    return fail(Code::forbidden, cat(self.address.str(), " may not claim from queue ", named.queue.name),
                cat("its claimers are ", named.queue.claimers));
  out.push_back(std::move(named));
  return out;
}

/// Those of them in which there is something to do.
Result<std::vector<QueueOffer>> stirring(Ledger& ledger, const std::vector<QueueOffer>& offers, Instant now) {
  std::vector<QueueOffer> out;
  for (const auto& offer : offers) {
    const auto& [queue, stir] = offer;
    if (queue.state == QueueState::paused) continue;  // what ends there is not handed out
    bool has_room = true;
    if (stir.available && !stir.ended && queue.max_concurrency > 0) {
      TRY(leased, ledger.count_leased(queue.id, now));
      has_room = leased < queue.max_concurrency;
    }
    if (stir.ended || (stir.available && has_room)) out.push_back(offer);
  }
  return out;
}

/// The oldest message of all these queues.
Result<std::optional<QueuedMail>> take_oldest(Ledger& ledger, const std::vector<QueueOffer>& offers, const Agent& self,
                                              const Caller& caller, Instant now) {
  struct Head {
    MessageId oldest;
    const Queue* queue;
  };
  std::vector<Head> heads;
  for (const auto& offer : offers) {
    if (offers.size() == 1) {
      heads.push_back({{}, &offer.queue});
      continue;
    }
    TRY(oldest, ledger.oldest_available(offer.queue.id));
    if (oldest) heads.push_back({*oldest, &offer.queue});
  }
  std::sort(heads.begin(), heads.end(), [](const Head& a, const Head& b) { return a.oldest < b.oldest; });
  for (const auto& head : heads) {
    TRY(mail, take(ledger, *head.queue, self, caller, now));
    if (mail) return mail;
  }
  return std::optional<QueuedMail>();
}

/// One message of these queues, the oldest of all. With our turn.
Result<std::optional<QueuedMail>> take_one(Ledger& ledger, const std::vector<QueueOffer>& offers, const Agent& self,
                                           const Caller& caller, Instant now) {
  for (const auto& offer : offers)
    if (offer.stir.ended) TRY_VOID(end_leases(ledger, offer.queue, now));
  TRY(mail, take_oldest(ledger, offers, self, caller, now));
  if (mail) return mail;
  // Others were faster. What ran out while we waited for our turn is looked for only now: nearly always there is none.
  for (const auto& offer : offers)
    if (!offer.stir.ended) TRY_VOID(end_leases(ledger, offer.queue, now));
  return take_oldest(ledger, offers, self, caller, now);
}

/// A lease that ran out may not be renewed where others have taken its place.
Result<> check_room(Ledger& ledger, MessageId id, const Queue& queue, const Agent& self, Instant now) {
  TRY(item, ledger.item(id));
  const bool ran_out = item && (item->state != ItemState::leased || item->lease_until <= now);
  if (!ran_out || item->holder != self.id) return {};
  TRY(leased, ledger.count_leased(queue.id, now));
  if (leased < queue.max_concurrency) return {};
  return fail(Code::refused, cat("the lease of ", id.str(), " ran out and ", leased, " others work on ", queue.name),
              "finish it with " + next("mail.complete", {{"id", id.str()}}, ", or claim again later"));
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
                  next("queue.retry", {{"id", id}}, " starts it again"));
    default:
      break;
  }
  if (mail.holder.empty())
    return fail(Code::refused, cat(id, " is not claimed"),
                next("mail.claim", {{"queue", mail.queue.name}}, " takes the next one"));
  return fail(Code::refused, cat(id, " was claimed by ", mail.holder), "only its last claimer may do that");
}

}  // namespace

Result<> Claims::as_agent(const Caller& caller, const Foresee& foresee,
                          const std::function<Result<>(Ledger&, const Agent&)>& work) {
  return town_.store.look_then_write([&](Ledger& ledger) -> Result<> {
    foresee(ledger);
    TRY(watch, ledger.watch());
    TRY(self, ledger.find_agent(caller.address.str()));
    const bool is_known = self && !self->removed_at;
    if (is_known && !watch.slept(town_.clock.now())) return work(ledger, *self);
    // What was claimed before a night is its holder's still, and whoever comes for the first time is registered.
    TRY_VOID(ledger.take_turn());
    TRY_VOID(wake_up(ledger, town_.clock.now()));
    TRY(registered, ensure_agent(ledger, caller.address, town_.clock.now()));
    if (!is_known) ledger.ring(BellKey::registry());
    return work(ledger, registered);
  });
}

Result<Claims::Look> Claims::look(const std::optional<std::string>& queue, const Caller& caller, Paused paused) {
  Look out;
  Instant looked_at;
  const Foresee foresee = [&](Ledger& ledger) {
    looked_at = town_.clock.now();
    if (queue) ledger.foresee_claim(caller.address.str(), list_name(ListKind::queue, *queue), looked_at);
  };
  TRY_VOID(as_agent(caller, foresee, [&](Ledger& ledger, const Agent& self) -> Result<> {
    out = Look{};
    TRY(offers, offers_for(ledger, queue, self, caller, looked_at));
    if (queue) {
      const auto& named = offers.front().queue;
      if (named.state == QueueState::paused && paused == Paused::refuse)
        return fail(Code::refused, cat("queue ", named.name, " is paused"),
                    next("queue.resume", {{"name", named.name}}));
      // One queue has a bell of its own; whoever works for several waits at the bell that rings for all of them.
      out.bell = BellKey(named.id);
    }
    TRY(live, stirring(ledger, offers, looked_at));
    if (!live.empty()) {
      TRY_VOID(ledger.take_turn());
      TRY(mail, take_one(ledger, live, self, caller, town_.clock.now()));  // a lease begins once nobody is waited for
      out.mail = std::move(mail);
      if (out.mail) return {};
    }
    for (const auto& [one, stir] : offers) {
      if (one.state == QueueState::paused) continue;
      TRY(end, ledger.next_lease_end(one.id));
      if (end) out.again_at = std::clamp(*end, looked_at + Millis(1), out.again_at);
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
  const Foresee foresee = [&](Ledger& ledger) { ledger.foresee_end(caller.address.str(), id); };
  TRY_VOID(as_agent(caller, foresee, [&](Ledger& ledger, const Agent& self) -> Result<> {
    TRY(queue, ledger.queue_of(id));
    if (!queue) {  // says what is wrong with it
      TRY_VOID(queued_mail(ledger, id, town_.clock.now()));
      return fail(Code::unavailable, cat(id.str(), " has lost its queue"), next("store.check", {}, " tells more"));
    }
    TRY(item, change(ledger, *queue, self));
    const Instant now = town_.clock.now();
    if (!item) {
      TRY(mail, queued_mail(ledger, id, now));
      TRY(reason, reason_for(ledger, mail, caller));
      mail.item.reason = reason;
      return not_the_holder(mail);
    }
    out = QueuedItem{*item, *queue};
    return follow(ledger, *queue, *item, self, now);
  }));
  return std::move(*out);
}

Result<Instant> Claims::take_turn_at(Ledger& ledger, const Queue& queue) {
  TRY_VOID(ledger.take_turn());
  const Instant now = town_.clock.now();
  TRY_VOID(check_there(queue));
  TRY_VOID(end_leases(ledger, queue, now));
  return now;
}

Result<QueuedItem> Claims::complete(MessageId id, const Caller& caller) {
  bool again = false;
  return change_claim(
      id, caller,
      [&](Ledger& ledger, const Queue&, const Agent& self) -> Result<std::optional<QueueItem>> {
        TRY(done, ledger.complete_item(id, self.id, town_.clock.now()));
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
      [&](Ledger& ledger, const Queue& queue, const Agent& self) -> Result<std::optional<QueueItem>> {
        TRY(now, take_turn_at(ledger, queue));
        return ledger.fail_item(id, self.id, queue.max_attempts, reason.empty() ? "failed" : reason, now);
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
      [&](Ledger& ledger, const Queue& queue, const Agent& self) -> Result<std::optional<QueueItem>> {
        TRY_VOID(take_turn_at(ledger, queue));
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
      [&](Ledger& ledger, const Queue& queue, const Agent& self) -> Result<std::optional<QueueItem>> {
        TRY(now, take_turn_at(ledger, queue));
        if (queue.max_concurrency > 0) TRY_VOID(check_room(ledger, id, queue, self, now));
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
