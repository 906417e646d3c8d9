#include "post/rules/mail_wake.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

constexpr std::size_t kMostRefs = 50;

bool may_be_told(const Agent& recipient, const Message& message) {
  const Role role = recipient.address.role();
  return role != Role::human && role != Role::system && message.sender != recipient.id;
}

}  // namespace

Result<> MailWakes::look_at(const std::vector<Agent>& recipients) {
  std::vector<AgentId> told;
  std::vector<AgentId> unseen;  // who has never had a session is told by its first one
  for (const auto& recipient : recipients) {
    if (!may_be_told(recipient, message_)) continue;
    const bool placed = !recipient.session.empty() || recipient.start_on == StartOn::mail;
    (placed ? told : unseen).push_back(recipient.id);
  }
  TRY(presences, ledger_.presences_of(unseen));
  for (const auto& presence : presences) told.push_back(presence.agent);
  if (told.empty()) return {};
  TRY(sender, ledger_.care(message_.sender));
  if (sender.quarantined_at) return {};
  for (const auto agent : told) entries_[agent] = std::nullopt;
  TRY(cares, ledger_.cares_of(told));
  for (const auto& care : cares)
    if (care.dnd(message_.created_at)) entries_.erase(care.agent);
  TRY(lines, ledger_.pending_nudges_of(told));
  for (auto& nudge : lines) {  // one that is on its way tells of what was there when it left
    if (nudge.kind != NudgeKind::mail || nudge.state != NudgeState::queued) continue;
    const auto entry = entries_.find(nudge.target);
    if (entry != entries_.end() && !entry->second) entry->second = std::move(nudge);
  }
  for (const auto& [agent, entry] : entries_)
    if (!entry) ++without_entry_;
  return {};
}

Result<NudgeId> MailWakes::next_id() {
  if (next_seq_ == end_seq_) {
    TRY(first, ledger_.next_nudge_seq(without_entry_));
    next_seq_ = first;
    end_seq_ = first + without_entry_;
  }
  return NudgeId::make(next_seq_++, town_.random);
}

Result<std::optional<NudgeId>> MailWakes::raise(const Agent& recipient, std::optional<Instant> not_before,
                                                std::string_view caused_by) {
  const auto entry = entries_.find(recipient.id);
  if (entry == entries_.end()) return std::optional<NudgeId>();
  const Instant now = message_.created_at;
  const bool urgent = message_.priority == Priority::urgent;
  const auto waker = Address::parse(caused_by.empty() ? std::string_view(message_.from) : caused_by);
  const auto source = waker ? source_of(*waker) : NudgeSource::agent;
  if (auto& nudge = entry->second) {
    if (nudge->refs.size() < kMostRefs) nudge->refs.push_back(message_.id.str());
    nudge->deliver_after = std::min(nudge->deliver_after, not_before.value_or(now));
    if (urgent) {
      nudge->urgent = true;
      nudge->mode = town_.settings.urgent_mail;
    }
    if (source == NudgeSource::user || source == NudgeSource::system) {
      nudge->source = source;
      nudge->sender = message_.sender;
      nudge->from = message_.from;
    }
    TRY_VOID(ledger_.update_nudge(*nudge));
    TRY_VOID(note_nudge(ledger_, *nudge, EventKind::grew, cat("also for ", message_.id.str()), now));
    return std::optional(nudge->id);
  }
  TRY(id, next_id());
  Nudge nudge{.id = id,
              .target = recipient.id,
              .sender = message_.sender,
              .from = message_.from,
              .grade = message_.grade,
              .source = source,
              .kind = NudgeKind::mail,
              .mode = urgent ? town_.settings.urgent_mail : NudgeMode::wait_idle,
              .urgent = urgent,
              .text = "new mail",
              .coalesce_key = "mail",
              .refs = {message_.id.str()},
              .hops = message_.hops,
              .created_at = now,
              .deliver_after = not_before.value_or(now)};
  nudge.place = nudge.id.key;
  TRY_VOID(ledger_.add_nudge(nudge));
  TRY_VOID(note_nudge(ledger_, nudge, EventKind::queued, cat("for mail ", message_.id.str()), now));
  return std::optional(nudge.id);
}

Result<std::optional<NudgeId>> raise_for_mail(Town& town, Ledger& ledger, const Message& message,
                                              const Agent& recipient, std::optional<Instant> not_before,
                                              std::string_view caused_by) {
  MailWakes wakes(town, ledger, message);
  TRY_VOID(wakes.look_at({recipient}));
  return wakes.raise(recipient, not_before, caused_by);
}

namespace {

/// Whether this one is not read yet: its copy in the mailbox, or a post that woke whoever follows its channel.
Result<bool> is_unread(Ledger& ledger, MessageId id, AgentId mailbox) {
  TRY(copy, ledger.delivery(id, mailbox));
  if (copy) return !copy->read_at && !copy->archived_at && !copy->deleted_at;
  TRY(post, ledger.post(id));
  if (!post || post->recalled_at) return false;
  TRY(cursor, ledger.cursor(post->channel, mailbox));
  return !cursor || cursor->read < id;
}

}  // namespace

Result<> settle_mail_nudge(Ledger& ledger, AgentId mailbox, Instant now) {
  TRY(line, ledger.pending_nudges(mailbox));
  for (const auto& nudge : line) {
    if (nudge.kind != NudgeKind::mail || nudge.state != NudgeState::queued) continue;
    bool waits = false;
    for (const auto& ref : nudge.refs) {
      const auto id = MessageId::parse(ref);
      if (!id) continue;
      TRY(unread, is_unread(ledger, *id, mailbox));
      waits = waits || unread;
    }
    if (!waits) TRY_VOID(end_nudge(ledger, nudge, NudgeState::superseded, "its mail was read", now));
  }
  return {};
}

}  // namespace townpost
