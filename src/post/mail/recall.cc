#include "post/mail/recall.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "post/lists/queues.h"
#include "post/people/membership.h"
#include "post/people/resolve.h"
#include "post/rules/mail_wake.h"
#include "post/rules/posting.h"

namespace townpost {

namespace {

/// One recall in hand.
struct Task {
  Ledger& ledger;
  AgentId sender;
  Instant since;
  Instant now;
  std::string by;
  Recalled& done;
  std::set<MessageId>& ids;
  std::optional<MessageId> only = {};  ///< of all that was sent since
};

Result<> take_back_copies(const Task& task) {
  auto& ledger = task.ledger;
  TRY(unread, ledger.unread_from(task.sender, task.since));
  if (task.only) std::erase_if(unread, [&](const Delivery& copy) { return copy.message != *task.only; });
  for (auto& copy : unread) {
    copy.deleted_at = task.now;
    TRY_VOID(ledger.update_delivery(copy));
    TRY_VOID(ledger.add_event({.at = task.now,
                               .kind = EventKind::recalled,
                               .message = copy.message,
                               .agent = copy.mailbox,
                               .detail = task.by + ", unread"}));
    TRY_VOID(ledger.settle_reply(copy.message, copy.mailbox));  // nobody owes an answer to what it never had
    TRY_VOID(settle_mail_nudge(ledger, copy.mailbox, task.now));
    task.ids.insert(copy.message);
  }
  task.done.copies = static_cast<std::int64_t>(unread.size());
  return {};
}

Result<> take_back_jobs(const Task& task) {
  auto& ledger = task.ledger;
  TRY(queues, ledger.queues());
  for (const auto& queue : queues) TRY_VOID(end_leases(ledger, queue, task.now));  // then nobody has it any more
  TRY(items, ledger.take_back_items(task.sender, task.since));
  for (const auto& item : items) {
    TRY_VOID(ledger.add_event({.at = task.now,
                               .kind = EventKind::recalled,
                               .message = item.message,
                               .detail = task.by + ", claimed by nobody",
                               .queue = item.queue,
                               .audience = Audience::everybody}));
    task.ids.insert(item.message);
  }
  task.done.jobs = static_cast<std::int64_t>(items.size());
  return {};
}

/// Somebody who follows a channel: what came before `since` is not its business, and up to `read` it has had all.
struct Follower {
  MessageId since;
  MessageId read;
};

Result<std::vector<Follower>> followers_of(const Task& task, ChannelId channel) {
  auto& ledger = task.ledger;
  std::map<AgentId, Follower> known;
  TRY(subscriptions, ledger.subscriptions(channel));
  for (const auto& subscription : subscriptions) {
    TRY(agents, expand_member(ledger, subscription.member));
    for (const auto& agent : agents) {
      if (agent.id == task.sender || agent.id.key == 0) continue;
      const auto [follower, fresh] = known.try_emplace(agent.id, Follower{subscription.since, {}});
      follower->second.since = std::min(follower->second.since, subscription.since);
    }
  }
  std::vector<Follower> out;
  for (auto& [agent, follower] : known) {
    TRY(cursor, ledger.cursor(channel, agent));
    if (cursor) follower.read = cursor->read;
    TRY(authors, ledger.author_cursors(channel, agent));
    for (const auto& author : authors)
      if (author.author == task.sender) follower.read = std::min(follower.read, author.at.read);
    out.push_back(follower);
  }
  return out;
}

/// Whether all whom it concerns have read it: then it stays.
bool was_read_by_all(MessageId post, const std::vector<Follower>& followers) {
  const auto concerns = [&](const Follower& one) { return one.since < post; };
  return std::any_of(followers.begin(), followers.end(), concerns) &&
         std::all_of(followers.begin(), followers.end(),
                     [&](const Follower& one) { return !concerns(one) || one.read >= post; });
}

Result<> take_back_posts(const Task& task) {
  auto& ledger = task.ledger;
  TRY(posts, ledger.posts_of(task.sender, task.since));
  std::map<ChannelId, std::vector<MessageId>> of_channel;
  for (const auto& post : posts) of_channel[post.channel].push_back(post.message);
  for (auto& [channel, ids] : of_channel) {
    TRY(followers, followers_of(task, channel));
    std::erase_if(ids, [&](MessageId id) { return was_read_by_all(id, followers); });
    if (ids.empty()) continue;
    TRY_VOID(ledger.recall_posts(channel, task.sender, ids, task.now));
    for (const auto id : ids) {
      TRY_VOID(ledger.add_event({.at = task.now,
                                 .kind = EventKind::recalled,
                                 .message = id,
                                 .detail = task.by + ", for those who had not read it",
                                 .channel = channel,
                                 .audience = Audience::everybody}));
      task.ids.insert(id);
    }
    task.done.posts += static_cast<std::int64_t>(ids.size());
    ledger.ring(BellKey::channels());
  }
  return {};
}

}  // namespace

Result<Recalled> recall(Town& town, std::string_view from, Instant since, const Caller& caller) {
  Recalled out;
  TRY_VOID(write_with_duties(town, [&](Ledger& ledger, Posting&) -> Result<> {
    out = Recalled();
    TRY(sender, resolve_one(ledger, from));
    std::set<MessageId> ids;
    const Task task{ledger, sender.id, since, town.clock.now(), "by " + caller.address.str(), out, ids};
    TRY_VOID(take_back_copies(task));
    TRY_VOID(take_back_jobs(task));
    TRY_VOID(take_back_posts(task));
    out.ids.assign(ids.begin(), ids.end());
    return {};
  }));
  return out;
}

Result<Recalled> recall(Town& town, MessageId message, const Caller& caller) {
  Recalled out;
  TRY_VOID(write_with_duties(town, [&](Ledger& ledger, Posting&) -> Result<> {
    out = Recalled();
    TRY(mail, ledger.message(message));
    if (!mail) return fail(Code::not_found, cat("no message ", message.str()), next("mail.sent", {}, " lists yours"));
    TRY(sender, ledger.agent(mail->sender));
    TRY(item, ledger.item(message));
    if (item || !list_addressed(*mail, "channel:").empty())
      return fail(Code::refused, cat(message.str(), " went to a ", item ? "queue" : "channel"),
                  next("mail.recall", {{"from", sender ? sender->address.str() : "ADDR"}},
                       " takes it back with all else that its sender wrote in the last hour"));
    std::set<MessageId> ids;
    const Task task{ledger, mail->sender, mail->created_at, town.clock.now(), "by " + caller.address.str(),
                    out,    ids,          message};
    TRY_VOID(take_back_copies(task));
    out.ids.assign(ids.begin(), ids.end());
    return {};
  }));
  return out;
}

}  // namespace townpost
