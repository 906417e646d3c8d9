#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "post/values/channel.h"
#include "post/values/group.h"
#include "post/values/queue.h"

namespace townpost {

/// Groups, as one transaction sees them. Belongs to the thread of its transaction. Members are rows of their own, so
/// that two who edit lose nothing.
class GroupLedger {
 public:
  virtual ~GroupLedger() = default;
  virtual Result<std::vector<Group>> groups() = 0;  ///< by name
  virtual Result<std::vector<std::string>> group_names() = 0;
  virtual Result<std::optional<Group>> find_group(std::string_view name) = 0;
  virtual Result<> add_group(const Group& group) = 0;  ///< with its members
  virtual Result<> remove_group(std::string_view name) = 0;
  /// Members and claimers that are this bare name have waited for this group: they are the group's from now on.
  virtual Result<> bind_bare_name(std::string_view group) = 0;
  virtual Result<std::int64_t> count_groups_of(AgentId creator) = 0;
  virtual Result<bool> add_member(std::string_view group, std::string_view member) = 0;     ///< false: it was there
  virtual Result<bool> remove_member(std::string_view group, std::string_view member) = 0;  ///< false: it was not
};

/// Queues and what is in them, as one transaction sees them; belongs to the thread of its transaction. What changes an
/// item checks and changes in one step.
/// Whether there is something to claim or a lease to end.
struct QueueStir {
  bool available = false;
  bool ended = false;
};
struct QueueOffer {
  Queue queue;
  QueueStir stir;
};

class QueueLedger {
 public:
  virtual ~QueueLedger() = default;
  virtual Result<std::vector<Queue>> queues() = 0;  ///< by name, without deleted ones
  virtual Result<std::optional<Queue>> find_queue(std::string_view name) = 0;
  virtual Result<std::optional<Queue>> queue(QueueId id) = 0;            ///< deleted ones too
  virtual Result<std::optional<Queue>> queue_of(MessageId message) = 0;  ///< the same
  virtual Result<QueueId> add_queue(const Queue& queue) = 0;
  virtual Result<> update_queue(const Queue& queue) = 0;
  /// Its name becomes free; its messages stay where they are until they are purged.
  virtual Result<> delete_queue(QueueId id, Instant now) = 0;
  virtual Result<> add_item(const QueueItem& item) = 0;
  virtual Result<std::optional<QueueItem>> item(MessageId message) = 0;
  /// The next available item, leased to `holder` now, one attempt more. Nothing if the queue hands out nothing (any
  /// more), or the holder is gone.
  struct Claimed {
    QueueItem item;
    std::optional<Message> message;  ///< which is there, unless the store is damaged
  };
  virtual Result<std::optional<Claimed>> claim_next(QueueId queue, AgentId holder, Instant now, Instant until) = 0;
  /// Leases that ran out: their items become available or, after `max_attempts`, dead. Which.
  virtual Result<std::vector<QueueItem>> end_leases(QueueId queue, int max_attempts, Instant now) = 0;
  // Each is done only if `holder` was the last to claim and the item is not ended otherwise; the item as it then is,
  // or nothing.
  /// Before its turn it takes it: whether the holder still may, and the end itself, are one step.
  virtual Result<std::optional<QueueItem>> complete_item(MessageId message, AgentId holder, Instant now) = 0;
  /// The attempt is given back.
  virtual Result<std::optional<QueueItem>> release_item(MessageId message, AgentId holder) = 0;
  virtual Result<std::optional<QueueItem>> fail_item(MessageId message, AgentId holder, int max_attempts,
                                                     std::string_view reason, Instant now) = 0;
  virtual Result<std::optional<QueueItem>> extend_lease(MessageId message, AgentId holder, Instant until) = 0;
  /// Leases of every queue that had not run out at `since` end `by` later; none lasts longer than `longest` from its
  /// claim by that.
  virtual Result<> move_leases(Instant since, Millis by, Millis longest) = 0;
  /// A dead item begins anew, without attempts. False if it is not dead.
  virtual Result<bool> retry_item(MessageId message) = 0;

  /// What `sender` sent since `since` and nobody has claimed is in its queue no more. What that was.
  virtual Result<std::vector<QueueItem>> take_back_items(AgentId sender, Instant since) = 0;

  virtual Result<std::optional<MessageId>> oldest_available(QueueId queue) = 0;
  /// What `sender` sent is withheld as long as it is in quarantine; set_care() and merge_mailboxes() see to it.
  virtual Result<> withhold_items(AgentId sender) = 0;
  /// Those that are available, but for their senders, who are in quarantine: they are handed to nobody.
  virtual Result<std::int64_t> count_withheld_items(QueueId queue) = 0;
  virtual Result<std::int64_t> count_leased(QueueId queue, Instant now) = 0;
  virtual Result<QueueCounts> count_items(QueueId queue, int max_attempts, const LeaseTime& time) = 0;
  virtual Result<QueueStir> stir(QueueId queue, Instant now) = 0;
  virtual Result<std::optional<QueueOffer>> find_offer(std::string_view name, Instant now) = 0;
  // Before its turn: what whoever claims from a queue, or ends a claim, asks first. Only a hint, so that a store that
  // is far away looks it up in one step.
  virtual void foresee_claim(std::string_view caller, std::string_view queue, Instant now) = 0;
  virtual void foresee_end(std::string_view caller, MessageId message) = 0;
  virtual Result<std::optional<Instant>> next_lease_end(QueueId queue) = 0;
  /// Items in this state as the store has it, in the queue's order, at most `most`.
  virtual Result<std::vector<QueueItem>> items(QueueId queue, ItemState state, int most) = 0;
};

/// Which posts are news to a reader: those of others, behind `after`, that nobody took back.
struct NewsQuery {
  ChannelId channel;
  AgentId reader;
  MessageId after;
  Instant since;  ///< older ones are not shown any more
  enum class Quarantined { left_out, included };
  Quarantined quarantined = Quarantined::left_out;
};

/// The newest posts of a channel below one of them, as a reader may see them.
struct PostsQuery {
  ChannelId channel;
  AgentId reader;
  MessageId below{INT64_MAX};
  Instant since;
  MessageId joined{INT64_MAX};  ///< where it began to follow: of what was taken back it sees what it has read since
  int limit = 50;
};

/// Channels, posts and readers, as one transaction sees them. Belongs to the thread of its transaction.
class ChannelLedger {
 public:
  virtual ~ChannelLedger() = default;
  virtual Result<std::vector<Channel>> channels() = 0;  ///< by name, without deleted ones
  virtual Result<std::optional<Channel>> find_channel(std::string_view name) = 0;
  virtual Result<std::optional<Channel>> channel(ChannelId id) = 0;  ///< deleted ones too
  virtual Result<ChannelId> add_channel(const Channel& channel) = 0;
  virtual Result<> update_channel(const Channel& channel) = 0;
  virtual Result<> delete_channel(ChannelId id, Instant now) = 0;
  virtual Result<std::int64_t> count_channels_of(AgentId creator) = 0;  ///< without deleted ones

  /// `held_by`: the rule by which it wakes nobody; empty: none.
  virtual Result<> add_post(ChannelId channel, const Message& message, std::string_view held_by) = 0;
  /// The post is no longer in its channel; the record of that stays.
  virtual Result<> prune_post(const PrunedPost& record) = 0;
  virtual Result<std::optional<PrunedPost>> pruned_post(MessageId message) = 0;
  virtual Result<std::vector<PrunedPost>> pruned_posts(ChannelId channel, int most) = 0;  ///< newest first
  virtual Result<std::optional<Post>> post(MessageId message) = 0;
  virtual Result<std::vector<Message>> news(const NewsQuery& query, int limit) = 0;  ///< oldest first
  virtual Result<std::int64_t> count_news(const NewsQuery& query) = 0;
  virtual Result<bool> has_wakeful_news(const NewsQuery& query) = 0;  ///< any that no rule holds
  /// The same of one author's, up to a post, whether it is in quarantine or not.
  virtual Result<std::vector<Message>> news_of(AgentId author, MessageId upto, const NewsQuery& query, int limit) = 0;
  virtual Result<std::int64_t> count_news_of(AgentId author, MessageId upto, const NewsQuery& query) = 0;
  virtual Result<std::vector<Message>> newest_posts(const PostsQuery& query) = 0;  ///< newest first
  /// Those below `below` that are there for everybody.
  virtual Result<std::int64_t> count_posts(ChannelId channel, Instant since, MessageId below) = 0;
  virtual Result<MessageId> newest_post(ChannelId channel) = 0;  ///< 0 if there is none
  virtual Result<std::optional<Instant>> oldest_post_at(ChannelId channel) = 0;
  /// Posts beyond the newest `keep`, or older than `before`; oldest first, at most `most`.
  virtual Result<std::vector<MessageId>> surplus_posts(ChannelId channel, std::int64_t keep, int most) = 0;
  virtual Result<std::vector<MessageId>> old_posts(ChannelId channel, Instant before, int most) = 0;

  virtual Result<std::vector<Subscription>> subscriptions(ChannelId channel) = 0;  ///< by member
  /// Those of this mailbox, and those of patterns and groups, which the caller looks into.
  virtual Result<std::vector<Subscription>> subscriptions_of(AgentId agent) = 0;
  virtual Result<std::vector<Subscription>> waking_subscriptions(ChannelId channel) = 0;
  virtual Result<bool> add_subscription(const Subscription& subscription) = 0;  ///< false: it was there; `wake` is set
  virtual Result<bool> remove_subscription(ChannelId channel, std::string_view member) = 0;
  virtual Result<std::optional<Cursor>> cursor(ChannelId channel, AgentId reader) = 0;
  virtual Result<> set_cursor(ChannelId channel, AgentId reader, const Cursor& cursor) = 0;
  virtual Result<std::vector<AuthorCursor>> author_cursors(ChannelId channel, AgentId reader) = 0;
  virtual Result<> set_author_cursor(ChannelId channel, AgentId reader, const AuthorCursor& cursor) = 0;
  virtual Result<> remove_author_cursor(ChannelId channel, AgentId reader, AgentId author) = 0;

  /// What `sender` posted since `since` and nobody took back, by channel, oldest first.
  virtual Result<std::vector<Post>> posts_of(AgentId sender, Instant since) = 0;
  /// From `now` on these posts of one author are there only for those who have read them by now.
  virtual Result<> recall_posts(ChannelId channel, AgentId author, const std::vector<MessageId>& posts,
                                Instant now) = 0;
  /// Whether `reader` had read this post when it was taken back.
  virtual Result<bool> is_kept_for(const Post& recalled, AgentId reader) = 0;
};

}  // namespace townpost
