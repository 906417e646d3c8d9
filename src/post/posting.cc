#include "post/posting.h"

#include "base/text.h"
#include "post/duties.h"
#include "post/hint.h"
#include "post/registry.h"

namespace townpost {

namespace {

std::optional<Instant> end_of(const std::optional<Ruling>& hold, Instant now) {
  if (!hold || !hold->retry_after_s) return std::nullopt;
  return now + std::chrono::seconds(*hold->retry_after_s);
}

}  // namespace

Result<Message> Posting::store(Message draft, const std::vector<Addressee>& addressees, bool pinned) {
  TRY(seq, ledger_.next_seq());
  draft.id = MessageId::make(seq, town_.random);
  if (draft.thread.empty()) draft.thread = "thread-" + random_hex(town_.random, 12);
  TRY_VOID(ledger_.add_message(draft));
  std::string routed;
  for (const auto& addressee : addressees) {
    TRY_VOID(ledger_.add_delivery({.message = draft.id,
                                   .mailbox = addressee.agent.id,
                                   .place = static_cast<int>(&addressee - addressees.data()),
                                   .copy = addressee.copy,
                                   .priority = draft.priority,
                                   .pinned = pinned,
                                   .held_by = addressee.hold ? addressee.hold->rule : "",
                                   .held_until = end_of(addressee.hold, draft.created_at)}));
    if (!routed.empty()) routed += ", ";
    routed += addressee.agent.address.str();
    if (addressee.hold) routed += cat(" (held by ", addressee.hold->reason, ")");
    rung_.push_back(addressee.agent.id);
  }
  TRY_VOID(
      ledger_.add_event({.at = draft.created_at, .kind = "stored", .message = draft.id, .detail = "for " + routed}));
  if (draft.wisp)
    TRY_VOID(ledger_.add_duty(
        {.due_at = draft.created_at + town_.settings.wisp_age, .kind = kDropWisp, .message = draft.id}));
  if (draft.reply_by) {
    const Millis half = (*draft.reply_by - draft.created_at) / 2;
    TRY_VOID(ledger_.add_duty({.due_at = draft.created_at + half, .kind = kRemindOfReply, .message = draft.id}));
    TRY_VOID(ledger_.add_duty({.due_at = *draft.reply_by, .kind = kReplyOverdue, .message = draft.id}));
  }
  return draft;
}

Result<Message> Posting::store(const Notice& notice) {
  const Instant now = town_.clock.now();
  TRY(system, ensure_agent(ledger_, Address::system(), now));
  TRY(recipient, ensure_agent(ledger_, notice.to, now));
  Message draft;
  draft.created_at = now;
  draft.sender = system.id;
  draft.from = system.address.str();
  draft.to = {notice.to.str()};
  draft.subject = first_bytes(notice.subject, kSubjectBytes);
  draft.body = notice.body;
  draft.thread = notice.thread;
  draft.type = notice.type;
  draft.priority = notice.priority;
  return store(std::move(draft), {{recipient, false, std::nullopt}}, false);
}

Result<> write_and_ring(Town& town, const std::function<Result<>(Ledger&, Posting&)>& work) {
  std::vector<AgentId> rung;
  TRY_VOID(town.store.write([&](Ledger& ledger) -> Result<> {
    Posting posting(town, ledger);
    TRY_VOID(work(ledger, posting));
    TRY_VOID(carry_out_duties(town, ledger, posting));
    rung = posting.rung();
    if (ledger.added_somebody()) rung.push_back(kRegistryBell);
    return {};
  }));
  for (const auto mailbox : rung) town.bell.ring(mailbox);
  return {};
}

}  // namespace townpost
