#include "post/lists/queues.h"

#include <algorithm>
#include <array>

#include "base/advice.h"
#include "base/text.h"
#include "post/people/doubts.h"
#include "post/people/list_names.h"
#include "post/people/membership.h"
#include "post/people/registry.h"
#include "post/rules/mail_access.h"
#include "post/rules/posting.h"
#include "post/town/keep_watch.h"

namespace townpost {

namespace {

constexpr int kMostListed = 1000;

Result<> check_manager(const Caller& caller) {
  if (caller.coordinates()) return {};
  return fail(Code::forbidden, cat(caller.address.str(), " may claim from queues, not manage them"),
              "ask the mayor, or a person");
}

Result<QueueView> view_of(Ledger& ledger, const Queue& queue, Instant now) {
  TRY(watch, ledger.watch());
  TRY(counts, ledger.count_items(queue.id, queue.max_attempts, watch.leases(now)));
  return QueueView{queue, counts};
}

/// The same of a queue that is looked at by itself.
Result<QueueView> close_view_of(Ledger& ledger, const Queue& queue, Instant now) {
  TRY(view, view_of(ledger, queue, now));
  TRY(doubt, doubt_about(ledger, queue));
  view.doubt = std::move(doubt);
  TRY(withheld, ledger.count_withheld_items(queue.id));
  view.withheld = withheld;
  return std::move(view);
}

Result<> check_numbers(std::int64_t max_concurrency, std::int64_t max_attempts, Millis lease) {
  if (max_concurrency < 0 || max_concurrency > 1'000'000)
    return fail_argument("max_concurrency",
                         cat("invalid max_concurrency: ", max_concurrency, " is not between 0 and 1000000"),
                         "give the number of leases at a time; 0 = any number");
  if (max_attempts < 1 || max_attempts > 1'000'000)
    return fail_argument("max_attempts", cat("invalid max_attempts: ", max_attempts, " is not between 1 and 1000000"),
                         "a message needs at least one attempt");
  return check_lease(lease);
}

/// The prefix of its bead's id.
Result<std::string> check_new(Ledger& ledger, const Queues::NewQueue& wanted) {
  TRY_VOID(check_new_list(ledger, ListKind::queue, wanted.name));
  TRY_VOID(check_numbers(wanted.max_concurrency, wanted.max_attempts, wanted.lease));
  if (wanted.rig.empty()) return std::string();
  TRY(rigs, ledger.rigs());
  for (const auto& rig : rigs)
    if (rig.name == wanted.rig) return rig.prefix;
  return fail(Code::not_found, cat("no rig \"", for_terminal_line(shorten(to_utf8(wanted.rig), 80)), "\""),
              next("rig.list", {}, " shows them"));
}

}  // namespace

Result<Queue> existing_queue(Ledger& ledger, std::string_view name) {
  TRY(found, ledger.find_queue(list_name(ListKind::queue, name)));
  if (found) return *found;
  TRY(queues, ledger.queues());
  for (const auto& queue : queues)
    if (queue_bead(queue) == name) return queue;
  return no_such_list(ledger, ListKind::queue, name);
}

Result<std::string> doubt_about(Ledger& ledger, const Queue& queue) {
  TRY(anybody, anybody_may_claim(ledger, queue.claimers));
  if (anybody) return std::string();
  std::string out = cat("no registered agent may claim from queue ", queue.name, " now: its claimers are ",
                        for_terminal_line(queue.claimers));
  TRY(doubts, Doubts::of(ledger));
  if (const auto meant = doubts.meant(queue.claimers); !meant.empty()) out += cat("; did you mean ", meant, "?");
  return out;
}

Result<QueuedMail> queued_mail(Ledger& ledger, MessageId id, Instant now) {
  TRY(message, ledger.message(id));
  if (!message)
    return fail(Code::not_found, cat("no message ", id.str()), next("mail.claim", {}, " takes the next one"));
  TRY(item, ledger.item(id));
  if (!item)
    return fail(Code::refused, cat(id.str(), " is not a queue message"),
                next("mail.read", {{"id", id.str()}}, " shows it"));
  TRY(queue, ledger.queue(item->queue));
  TRY(watch, ledger.watch());
  if (queue) item = as_of(std::move(*item), queue->max_attempts, watch.leases(now));
  QueuedMail out{.message = *message, .item = *item, .queue = queue.value_or(Queue{})};
  if (item->holder) {
    TRY(holder, ledger.agent(*item->holder));
    if (holder) out.holder = holder->address.str();
  }
  return out;
}

Work work_of(const QueuedMail& mail) {
  Work out{.state = mail.item.state, .attempts = mail.item.attempts};
  out.deleted = mail.queue.deleted_at && mail.item.state != ItemState::completed;
  if (mail.item.state == ItemState::leased || mail.item.state == ItemState::completed) {
    out.holder = mail.holder;
    out.claimed_at = mail.item.claimed_at;
    out.lease_until = mail.item.lease_until;
  }
  if (mail.item.state != ItemState::completed) out.reason = mail.item.reason;
  return out;
}

Result<std::string> reason_for(Ledger& ledger, const QueuedMail& mail, const Caller& reader) {
  if (reader.is_person() || mail.item.reason.empty()) return mail.item.reason;
  TRY(self, own_mailbox(ledger, reader));
  TRY(may, may_claim(ledger, mail.queue.claimers, self));
  if (!may && mail.message.sender != self.id) return std::string();
  if (mail.item.reason == kLeaseRanOut) return mail.item.reason;  // nobody's words
  TRY(withheld, Withheld::from_reader(ledger, reader));
  TRY(events, ledger.events_of(mail.message.id));
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kind != EventKind::failed && event->kind != EventKind::dead) continue;
    return event->agent ? withheld.words(*event->agent, mail.item.reason) : mail.item.reason;
  }
  return mail.item.reason;
}

namespace {

Result<> note(Ledger& ledger, const Queue& queue, EventKind kind, Instant now) {
  return ledger.add_event({.at = now,
                           .kind = kind,
                           .detail = cat(queue.name, ", ", name(queue.state)),
                           .queue = queue.id,
                           .audience = Audience::everybody});
}

/// The same for somebody who looks into the queue: without a body that it may not read, or words that are withheld.
Result<QueuedMail> listed_mail(Ledger& ledger, MessageId id, const Caller& reader, Instant now) {
  TRY(mail, queued_mail(ledger, id, now));
  TRY(reason, reason_for(ledger, mail, reader));
  mail.item.reason = reason;
  TRY(self, own_mailbox(ledger, reader));
  auto opened = open_mail(ledger, id, self, reader, now);
  if (opened) {
    mail.message = std::move(opened->message);
    mail.copy = std::move(opened->own);
    return mail;
  }
  if (opened.error().code != Code::forbidden) return Failure(opened.error());
  TRY(withheld, Withheld::from_reader(ledger, reader));
  withheld.strip(mail.message);
  mail.message.body.clear();
  mail.headers_only = true;
  return mail;
}

}  // namespace

Result<std::vector<QueuedMail>> claims_of(Ledger& ledger, const Agent& self, const Caller& reader, Instant now) {
  std::vector<QueuedMail> out;
  TRY(queues, ledger.queues());
  for (const auto& queue : queues) {
    TRY(items, ledger.items(queue.id, ItemState::leased, kMostListed));
    for (const auto& item : items) {
      if (item.holder != self.id) continue;
      TRY(mail, listed_mail(ledger, item.message, reader, now));
      if (mail.item.state == ItemState::leased) out.push_back(std::move(mail));
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const QueuedMail& a, const QueuedMail& b) { return a.item.lease_until < b.item.lease_until; });
  return out;
}

Result<> check_there(const Queue& queue) {
  if (!queue.deleted_at) return {};
  return fail(Code::refused, cat("queue ", queue.name, " was deleted at ", rfc3339(*queue.deleted_at)),
              "nobody gets what was in it; what is done may still be completed");
}

Result<> check_lease(Millis lease) {
  if (lease >= std::chrono::seconds(1) && lease <= std::chrono::hours(24 * 365)) return {};
  return fail_argument("lease", "invalid lease: it is not between one second and a year", "for example 10m");
}

Result<> end_leases(Ledger& ledger, const Queue& queue, Instant now) {
  TRY(stir, ledger.stir(queue.id, now));
  if (!stir.ended) return {};  // as nearly always, and looking costs less than changing nothing
  TRY_VOID(wake_up(ledger, now));
  TRY(ended, ledger.end_leases(queue.id, queue.max_attempts, now));
  for (const auto& item : ended) {
    TRY_VOID(ledger.add_event({.at = now,
                               .kind = item.state == ItemState::dead ? EventKind::dead : EventKind::lease_ended,
                               .message = item.message,
                               .agent = item.holder,
                               .detail = item.state == ItemState::dead
                                             ? cat("the lease ran out in attempt ", item.attempts, " of ",
                                                   queue.max_attempts, "; ", called("queue.retry"), " starts it again")
                                             : cat("the lease ran out in attempt ", item.attempts, "; available again"),
                               .queue = queue.id,
                               .audience = Audience::everybody}));
  }
  if (!ended.empty()) ledger.ring_queue(queue.id);
  return {};
}

Result<QueueView> Queues::create(const NewQueue& wanted) {
  std::optional<QueueView> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(prefix, check_new(ledger, wanted));
    TRY(claimers, claimers_spelling(ledger, wanted.claimers));
    Queue queue{.id = {},
                .name = wanted.name,
                .rig = wanted.rig,
                .prefix = prefix,
                .claimers = claimers,
                .order = wanted.order,
                .max_concurrency = static_cast<int>(wanted.max_concurrency),
                .lease = wanted.lease,
                .max_attempts = static_cast<int>(wanted.max_attempts),
                .state = QueueState::active,
                .created_at = now};
    TRY(id, ledger.add_queue(queue));
    queue.id = id;
    TRY_VOID(note(ledger, queue, EventKind::queue_made, now));
    TRY(view, close_view_of(ledger, queue, now));
    out = std::move(view);
    return {};
  }));
  return std::move(*out);
}

Result<QueueView> Queues::update(std::string_view name, const Changes& wanted) {
  std::optional<QueueView> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(queue, existing_queue(ledger, name));
    const Queue before = queue;
    const auto most = wanted.max_concurrency.value_or(queue.max_concurrency);
    const auto attempts = wanted.max_attempts.value_or(queue.max_attempts);
    const auto lease = wanted.lease.value_or(queue.lease);
    TRY_VOID(check_numbers(most, attempts, lease));
    if (wanted.claimers) {
      TRY(claimers, claimers_spelling(ledger, *wanted.claimers));
      queue.claimers = claimers;
    }
    queue.max_concurrency = static_cast<int>(most);
    queue.max_attempts = static_cast<int>(attempts);
    queue.lease = lease;
    if (queue != before) {
      TRY_VOID(end_leases(ledger, before, now));  // what ran out before ends as it was begun
      TRY_VOID(ledger.update_queue(queue));
      TRY_VOID(note(ledger, queue, EventKind::queue_changed, now));
      ledger.ring_queue(queue.id);  // whoever waits may claim now
    }
    TRY(view, close_view_of(ledger, queue, now));
    out = std::move(view);
    return {};
  }));
  return std::move(*out);
}

Result<std::vector<QueueView>> Queues::list() {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<QueueView>> {
    TRY(queues, ledger.queues());
    std::vector<QueueView> out;
    for (const auto& queue : queues) {
      TRY(view, view_of(ledger, queue, town_.clock.now()));
      out.push_back(std::move(view));
    }
    return out;
  });
}

Result<QueueView> Queues::show(std::string_view name) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<QueueView> {
    TRY(queue, existing_queue(ledger, name));
    return close_view_of(ledger, queue, town_.clock.now());
  });
}

Result<std::vector<QueuedMail>> Queues::processing(std::string_view name, const Caller& reader) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<QueuedMail>> {
    TRY(queue, existing_queue(ledger, name));
    TRY(items, ledger.items(queue.id, ItemState::leased, kMostListed));
    std::vector<QueuedMail> out;
    for (const auto& item : items) {
      TRY(mail, listed_mail(ledger, item.message, reader, town_.clock.now()));
      if (mail.item.state == ItemState::leased) out.push_back(std::move(mail));
    }
    return out;
  });
}

Result<QueueView> Queues::set_state(std::string_view name, QueueState state) {
  std::optional<QueueView> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(queue, existing_queue(ledger, name));
    if (state == QueueState::paused && queue.state == QueueState::closed)
      return fail(Code::refused, cat("queue ", queue.name, " is closed"),
                  next("queue.resume", {{"name", queue.name}}, " opens it again"));
    if (queue.state != state) {
      queue.state = state;
      TRY_VOID(ledger.update_queue(queue));
      TRY_VOID(note(ledger, queue, EventKind::queue_changed, town_.clock.now()));
      ledger.ring_queue(queue.id);  // whoever waits for work learns of it
    }
    TRY(view, view_of(ledger, queue, town_.clock.now()));
    out = std::move(view);
    return {};
  }));
  return std::move(*out);
}

Result<> Queues::remove(std::string_view name, Unfinished unfinished) {
  return write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(queue, existing_queue(ledger, name));
    TRY(watch, ledger.watch());
    TRY(counts, ledger.count_items(queue.id, queue.max_attempts, watch.leases(now)));
    if (const auto left = counts.available + counts.processing; left > 0 && unfinished == Unfinished::refuse)
      return fail(Code::refused, cat("queue ", queue.name, " still has ", left, " unfinished messages"),
                  "close it until they are done, or add " + next("", {{"force", "true"}}));
    ledger.ring_queue(queue.id);
    TRY_VOID(note(ledger, queue, EventKind::queue_removed, now));
    return ledger.delete_queue(queue.id, now);
  });
}

Result<Queues::Contents> Queues::contents(std::string_view name, const std::optional<ItemState>& state, int limit,
                                          const Caller& reader) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Contents> {
    const Instant now = town_.clock.now();
    TRY(queue, existing_queue(ledger, name));
    TRY(watch, ledger.watch());
    const auto time = watch.leases(now);
    TRY(counts, ledger.count_items(queue.id, queue.max_attempts, time));
    const std::array<std::pair<ItemState, std::int64_t>, 4> all = {{{ItemState::leased, counts.processing},
                                                                    {ItemState::available, counts.available},
                                                                    {ItemState::dead, counts.failed},
                                                                    {ItemState::completed, counts.completed}}};
    Contents out;
    for (const auto& [wanted, number] : all) {
      if (state ? wanted != *state : wanted == ItemState::completed) continue;
      out.total += number;
      // A lease that ran out is none: what it held waits again, or is dead.
      std::vector<ItemState> stored = {ItemState::leased};
      if (wanted != ItemState::leased) stored.insert(stored.begin(), wanted);
      for (const auto one : stored) {
        TRY(items, ledger.items(queue.id, one, kMostListed));
        for (const auto& item : items) {
          if (static_cast<int>(out.mails.size()) == limit) break;
          if (standing(item, queue.max_attempts, time) != wanted) continue;
          TRY(mail, listed_mail(ledger, item.message, reader, now));
          out.mails.push_back(std::move(mail));
        }
      }
    }
    return out;
  });
}

Result<std::vector<QueuedMail>> Queues::dead(const std::optional<std::string>& name, const Caller& reader) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<QueuedMail>> {
    std::vector<Queue> queues;
    if (name) {
      TRY(queue, existing_queue(ledger, *name));
      queues = {queue};
    } else {
      TRY(all, ledger.queues());
      queues = std::move(all);
    }
    TRY(watch, ledger.watch());
    const Instant now = town_.clock.now();
    const auto time = watch.leases(now);
    std::vector<QueuedMail> out;
    for (const auto& queue : queues)
      for (const auto state : {ItemState::dead, ItemState::leased}) {
        TRY(items, ledger.items(queue.id, state, kMostListed));
        for (const auto& item : items) {
          if (standing(item, queue.max_attempts, time) != ItemState::dead) continue;
          TRY(mail, listed_mail(ledger, item.message, reader, now));
          out.push_back(std::move(mail));
        }
      }
    return out;
  });
}

Result<QueuedMail> Queues::retry(MessageId id, const Caller& caller) {
  std::optional<QueuedMail> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(mail, queued_mail(ledger, id, now));
    TRY_VOID(check_there(mail.queue));
    if (mail.message.from != caller.address.str()) TRY_VOID(check_manager(caller));
    TRY(self, ensure_agent(ledger, caller.address, now));
    TRY_VOID(end_leases(ledger, mail.queue, now));
    TRY(done, ledger.retry_item(id));
    if (!done)
      return fail(Code::refused, cat(id.str(), " is not dead"),
                  next("queue.dead", {{"name", mail.queue.name}}, " lists those"));
    TRY_VOID(ledger.add_event({.at = now,
                               .kind = EventKind::retried,
                               .message = id,
                               .agent = self.id,
                               .detail = "",
                               .queue = mail.queue.id,
                               .audience = Audience::everybody}));
    ledger.ring_queue(mail.queue.id);
    TRY(again, queued_mail(ledger, id, now));
    out = std::move(again);
    return {};
  }));
  return std::move(*out);
}

}  // namespace townpost
