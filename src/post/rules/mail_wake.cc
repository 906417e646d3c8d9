#include "post/rules/mail_wake.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

constexpr std::size_t kMostRefs = 50;

}  // namespace

Result<> raise_for_mail(Town& town, Ledger& ledger, const Message& message, const Agent& recipient,
                        std::optional<Instant> not_before, std::string_view caused_by) {
  const Role role = recipient.address.role();
  if (role == Role::human || role == Role::system || message.sender == recipient.id) return {};
  if (recipient.session.empty() && recipient.start_on != StartOn::mail) {
    TRY(presence, ledger.presence(recipient.id));
    if (!presence) return {};  // it has never had a session: its first one will be told
  }
  const Instant now = message.created_at;
  TRY(care, ledger.care(recipient.id));
  if (care.dnd(now)) return {};
  TRY(sender_care, ledger.care(message.sender));
  if (sender_care.quarantined_at) return {};
  const bool urgent = message.priority == Priority::urgent;
  const auto waker = Address::parse(caused_by.empty() ? std::string_view(message.from) : caused_by);
  const auto source = waker ? source_of(*waker) : NudgeSource::agent;
  TRY(line, ledger.pending_nudges(recipient.id));
  for (auto& nudge : line) {  // one that is on its way tells of what was there when it left
    if (nudge.kind != NudgeKind::mail || nudge.state != NudgeState::queued) continue;
    if (nudge.refs.size() < kMostRefs) nudge.refs.push_back(message.id.str());
    nudge.deliver_after = std::min(nudge.deliver_after, not_before.value_or(now));
    if (urgent) {
      nudge.urgent = true;
      nudge.mode = town.settings.urgent_mail;
    }
    if (source == NudgeSource::user || source == NudgeSource::system) {
      nudge.source = source;
      nudge.sender = message.sender;
      nudge.from = message.from;
    }
    TRY_VOID(ledger.update_nudge(nudge));
    return note_nudge(ledger, nudge, EventKind::grew, cat("also for ", message.id.str()), now);
  }
  TRY(seq, ledger.next_nudge_seq());
  Nudge nudge{.id = NudgeId::make(seq, town.random),
              .target = recipient.id,
              .sender = message.sender,
              .from = message.from,
              .grade = message.grade,
              .source = source,
              .kind = NudgeKind::mail,
              .mode = urgent ? town.settings.urgent_mail : NudgeMode::wait_idle,
              .urgent = urgent,
              .text = "new mail",
              .coalesce_key = "mail",
              .refs = {message.id.str()},
              .hops = message.hops,
              .created_at = now,
              .deliver_after = not_before.value_or(now)};
  nudge.place = nudge.id.key;
  TRY_VOID(ledger.add_nudge(nudge));
  return note_nudge(ledger, nudge, EventKind::queued, cat("for mail ", message.id.str()), now);
}

Result<> settle_mail_nudge(Ledger& ledger, AgentId mailbox, Instant now) {
  TRY(line, ledger.pending_nudges(mailbox));
  for (const auto& nudge : line) {
    if (nudge.kind != NudgeKind::mail || nudge.state != NudgeState::queued) continue;
    bool waits = false;
    for (const auto& ref : nudge.refs) {
      const auto id = MessageId::parse(ref);
      if (!id) continue;
      TRY(copy, ledger.delivery(*id, mailbox));
      waits = waits || (copy && !copy->read_at && !copy->archived_at && !copy->deleted_at);
    }
    if (!waits) TRY_VOID(end_nudge(ledger, nudge, NudgeState::superseded, "its mail was read", now));
  }
  return {};
}

}  // namespace townpost
