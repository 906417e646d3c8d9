#include "post/rules/retention.h"

#include "base/text.h"

namespace townpost {

namespace {

constexpr int kShare = 500;
constexpr const char* kTakenBack = "taken back by a person";  // its words are for nobody who had not read them

Result<bool> prune_one(Ledger& ledger, const Channel& channel, MessageId id, const std::string& reason, Instant now) {
  TRY(next, ledger.next_seq());
  if (id.seq() + 1 == next) return false;  // the next message is counted from it, so it stays until there is one
  TRY(message, ledger.message(id));
  if (!message) return false;
  TRY(post, ledger.post(id));
  const bool was_recalled = post && post->recalled_at;
  TRY_VOID(ledger.prune_post({.message = id,
                              .channel = channel.id,
                              .created_at = message->created_at,
                              .pruned_at = now,
                              .from = message->from,
                              .subject = was_recalled ? kTakenBack : message->subject,
                              .reason = reason,
                              .sender = message->sender}));
  TRY_VOID(ledger.add_event({.at = now,
                             .kind = EventKind::pruned,
                             .message = id,
                             .agent = message->sender,
                             .detail = cat("from channel:", channel.name, ": ", reason),
                             .channel = channel.id,
                             .audience = Audience::everybody}));
  TRY(copies, ledger.deliveries(id));
  TRY(item, ledger.item(id));
  if (copies.empty() && !item) TRY_VOID(ledger.erase_message(id));  // whoever was also sent it keeps it
  return true;
}

/// Prunes what `find` finds, a share at a time.
template <class Find>
Result<std::int64_t> prune_found(Ledger& ledger, const Channel& channel, const std::string& reason, Instant now,
                                 Find find) {
  std::int64_t pruned = 0;
  while (true) {
    TRY(posts, find());
    std::int64_t share = 0;
    for (const auto id : posts) {
      TRY(done, prune_one(ledger, channel, id, reason, now));
      share += done ? 1 : 0;
    }
    pruned += share;
    if (share == 0 || posts.size() < kShare) return pruned;
  }
}

}  // namespace

Instant oldest_shown(const Channel& channel, Instant now) {
  if (channel.retain_for <= Millis(0)) return Instant{0};
  return now - channel.retain_for + Millis(1);
}

Result<std::int64_t> prune(Ledger& ledger, Channel& channel, Instant now, Slack slack) {
  std::int64_t pruned = 0;
  if (channel.retain_for > Millis(0)) {
    const auto hours = channel.retain_for.count() / 3'600'000;
    TRY(old, prune_found(ledger, channel, cat("older than ", hours, "h"), now,
                         [&] { return ledger.old_posts(channel.id, now - channel.retain_for, kShare); }));
    pruned += old;
  }
  if (channel.retain_count > 0) {
    const std::int64_t keep = channel.retain_count;
    bool over = true;
    if (slack == Slack::ten_percent) {
      TRY(beyond, ledger.surplus_posts(channel.id, keep * 11 / 10, 1));
      over = !beyond.empty();
    }
    if (over) {
      TRY(surplus, prune_found(ledger, channel, cat("beyond the newest ", keep), now,
                               [&] { return ledger.surplus_posts(channel.id, keep, kShare); }));
      pruned += surplus;
    }
  }
  if (pruned > 0) {
    channel.pruned += pruned;
    TRY_VOID(ledger.update_channel(channel));
  }
  return pruned;
}

Result<> note_prune_by_age(Ledger& ledger, Channel& channel) {
  if (channel.retain_for <= Millis(0)) return {};
  TRY(oldest, ledger.oldest_post_at(channel.id));
  if (!oldest) return {};
  const Instant due = *oldest + channel.retain_for;
  if (channel.prune_at && *channel.prune_at <= due) return {};  // one comes in time
  channel.prune_at = due;
  TRY_VOID(ledger.update_channel(channel));
  return ledger.add_duty(
      {.due_at = *channel.prune_at, .kind = DutyKind::prune_channel, .detail = std::to_string(channel.id.key)});
}

}  // namespace townpost
