#include "post/rules/posting.h"

#include "base/text.h"
#include "post/nudge/nudges.h"
#include "post/people/registry.h"
#include "post/rules/duties.h"
#include "post/rules/holder.h"
#include "post/rules/mail_wake.h"
#include "post/rules/retention.h"
#include "post/rules/withheld.h"

namespace townpost {

namespace {

std::optional<Instant> end_of(const std::optional<Ruling>& hold, Instant now) {
  if (!hold || !hold->retry_after_s) return std::nullopt;
  return now + std::chrono::seconds(*hold->retry_after_s);
}

struct Binding {
  std::string bead;
  bool is_held = true;  ///< by the recipient, or no bead is named
};

/// The beads that copies are bound to: the sender's, else the thread if the recipient works on that now.
class Bindings {
 public:
  static Result<Bindings> of(Ledger& ledger, const std::vector<Addressee>& addressees, const std::string& thread) {
    Bindings out;
    out.thread_ = thread;
    std::vector<AgentId> asked;
    for (const auto& addressee : addressees)
      if (!addressee.bead.empty() || !thread.empty()) asked.push_back(addressee.agent.id);
    TRY(cares, ledger.cares_of(asked));  // nobody is asked about for most mail
    for (auto& care : cares) out.cares_.emplace(care.agent, std::move(care));
    return out;
  }
  Binding operator[](const Addressee& addressee) const {
    if (addressee.bead.empty() && thread_.empty()) return {};
    const auto found = cares_.find(addressee.agent.id);
    const Care care = found == cares_.end() ? Care{.agent = addressee.agent.id} : found->second;
    if (!addressee.bead.empty()) return {addressee.bead, is_for_holder(addressee.bead, care)};
    return care.holds.is(thread_) ? Binding{thread_, true} : Binding();
  }

 private:
  std::string thread_;
  std::map<AgentId, Care> cares_;
};

/// Whether anybody may be woken for this copy, as far as rules of the sender decide that.
bool may_wake(const Addressee& addressee) {
  const bool held_for_good = addressee.hold && !addressee.hold->retry_after_s;
  return !held_for_good && addressee.wake == Waking::yes && !addressee.agent.removed_at;
}

}  // namespace

Result<> Posting::enqueue(const Message& message, const Queue& queue) {
  ledger_.ring_queue(queue.id);
  TRY(withheld, is_quarantined(ledger_, message.sender));
  return ledger_.add_item({.message = message.id,
                           .queue = queue.id,
                           .rank = queue.order == QueueOrder::priority ? static_cast<int>(message.priority) : 0,
                           .withheld = withheld});
}

Result<> Posting::publish(const Message& message, const Lists& lists) {
  Channel channel = *lists.channel;
  TRY_VOID(ledger_.add_post(channel.id, message, lists.hold ? lists.hold->rule : ""));
  TRY_VOID(prune(ledger_, channel, message.created_at, Slack::none));
  TRY_VOID(note_prune_by_age(ledger_, channel));
  ledger_.ring(BellKey::channels());
  return {};
}

Result<Message> Posting::store(Message draft, const std::vector<Addressee>& addressees, bool pinned,
                               const Lists& lists) {
  TRY(seq, ledger_.next_seq());
  draft.id = MessageId::make(seq, town_.random);
  const std::string named_thread = draft.thread;
  if (draft.thread.empty()) draft.thread = cat(kMadeThread, random_hex(town_.random, kMadeThreadDigits));
  TRY_VOID(ledger_.add_message(draft));
  TRY(bindings, Bindings::of(ledger_, addressees, named_thread));
  MailWakes wakes(town_, ledger_, draft);
  std::vector<Agent> may_be_woken;
  for (const auto& addressee : addressees)
    if (may_wake(addressee) && bindings[addressee].is_held) may_be_woken.push_back(addressee.agent);
  const bool wakes_followers = lists.channel && !lists.hold;
  if (wakes_followers) may_be_woken.insert(may_be_woken.end(), lists.followers.begin(), lists.followers.end());
  TRY_VOID(wakes.look_at(may_be_woken));
  std::vector<std::string> routed;
  raised_.clear();
  for (const auto& addressee : addressees) {
    const auto binding = bindings[addressee];
    const Delivery copy{.message = draft.id,
                        .mailbox = addressee.agent.id,
                        .place = static_cast<int>(&addressee - addressees.data()),
                        .copy = addressee.copy,
                        .priority = draft.priority,
                        .pinned = pinned,
                        .held_by = addressee.hold ? addressee.hold->rule : "",
                        .held_until = end_of(addressee.hold, draft.created_at),
                        .bead = binding.bead};
    TRY_VOID(ledger_.add_delivery(copy));
    const std::string hold = addressee.hold ? cat(" (held by ", addressee.hold->reason, ")") : "";
    const std::string holder = copy.bead.empty() ? "" : cat(" (holder of bead ", copy.bead, ")");
    routed.push_back(cat(addressee.agent.address.str(), holder, hold));
    if (may_wake(addressee) && binding.is_held) {
      TRY(entry, wakes.raise(addressee.agent, copy.held_until, addressee.caused_by));
      if (entry) raised_[addressee.agent.id] = *entry;
    }
    ledger_.ring(addressee.agent.id);
  }
  if (lists.queue) {
    TRY_VOID(enqueue(draft, *lists.queue));
    routed.push_back("queue:" + lists.queue->name);
  }
  if (lists.channel) {
    TRY_VOID(publish(draft, lists));
    const std::string hold = lists.hold ? cat(" (held by ", lists.hold->reason, ")") : "";
    routed.push_back(cat("channel:", lists.channel->name, hold));
  }
  if (wakes_followers)
    for (const auto& follower : lists.followers) {
      TRY(entry, wakes.raise(follower, std::nullopt, ""));
      if (entry) raised_[follower.id] = *entry;
      ledger_.ring(follower.id);
    }
  Event stored{
      .at = draft.created_at, .kind = EventKind::stored, .message = draft.id, .detail = "for " + join(routed, ", ")};
  if (lists.queue) stored.queue = lists.queue->id;
  if (lists.channel) stored.channel = lists.channel->id;
  if (lists.queue || lists.channel) stored.audience = Audience::everybody;
  TRY_VOID(ledger_.add_event(stored));
  if (draft.wisp)
    TRY_VOID(ledger_.add_duty(
        {.due_at = draft.created_at + town_.settings.wisp_age, .kind = DutyKind::drop_wisp, .message = draft.id}));
  if (draft.reply_to) TRY_VOID(ledger_.settle_reply(*draft.reply_to, draft.sender));
  if (draft.reply_by) {
    for (const auto& addressee : addressees)
      if (!addressee.copy) TRY_VOID(ledger_.owe_reply(draft, addressee.agent.id));
    const Millis half = (*draft.reply_by - draft.created_at) / 2;
    TRY_VOID(
        ledger_.add_duty({.due_at = draft.created_at + half, .kind = DutyKind::remind_of_reply, .message = draft.id}));
    TRY_VOID(ledger_.add_duty({.due_at = *draft.reply_by, .kind = DutyKind::reply_overdue, .message = draft.id}));
  }
  return draft;
}

Result<Agent> Posting::mailbox_for(const Address& address, Instant now) {
  TRY(found, ledger_.find_agent(address.str()));
  if (found) return *found;
  auto made = ensure_agent(ledger_, address, now);
  // A name that nobody can have any more: what concerns nobody concerns the human.
  if (!made && made.error().code != Code::unavailable) return ensure_agent(ledger_, Address::human(), now);
  return made;
}

Result<Message> Posting::store(const Notice& notice) {
  const Instant now = town_.clock.now();
  TRY(system, mailbox_for(Address::system(), now));
  TRY(recipient, mailbox_for(notice.to, now));
  Message draft;
  draft.created_at = now;
  draft.sender = system.id;
  draft.from = system.address.str();
  draft.to = {recipient.address.str()};
  draft.subject = first_bytes(notice.subject, kSubjectBytes);
  draft.body = notice.body;
  draft.thread = notice.thread;
  draft.type = notice.type;
  draft.priority = notice.priority;
  draft.quotes = notice.quotes;
  return store(
      std::move(draft),
      {{.agent = recipient, .copy = false, .hold = {}, .wake = notice.wake, .bead = "", .caused_by = notice.caused_by}},
      false);
}

Result<> write_with_duties(Town& town, const std::function<Result<>(Ledger&, Posting&)>& work) {
  return town.store.write([&](Ledger& ledger) -> Result<> {
    Posting posting(town, ledger);
    TRY_VOID(work(ledger, posting));
    TRY_VOID(carry_out_duties(town, ledger, posting));
    TRY(watch, ledger.watch());
    TRY_VOID(end_outlived(town, ledger, posting, watch.at(town.clock.now())));
    if (ledger.added_somebody()) ledger.ring(BellKey::registry());
    return {};
  });
}

}  // namespace townpost
