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
  virtual Result<std::optional<Group>> find_group(std::string_view name) = 0;
  virtual Result<> add_group(const Group& group) = 0;  ///< with its members
  virtual Result<> remove_group(std::string_view name) = 0;
  virtual Result<std::int64_t> count_groups_of(AgentId creator) = 0;
  virtual Result<bool> add_member(std::string_view group, std::string_view member) = 0;     ///< false: it was there
  virtual Result<bool> remove_member(std::string_view group, std::string_view member) = 0;  ///< false: it was not
};

/// Queues and what is in them, as one transaction sees them; belongs to the thread of its transaction. What changes an
/// item checks and changes in one step.
class QueueLedger {
 public:
  virtual ~QueueLedger() = default;
  virtual Result<std::vector<Queue>> queues() = 0;  ///< by name, without deleted ones
  virtual Result<std::optional<Queue>> find_queue(std::string_view name) = 0;
  virtual Result<std::optional<Queue>> queue(QueueId id) = 0;  ///< deleted ones too
  virtual Result<QueueId> add_queue(const Queue& queue) = 0;
  virtual Result<> update_queue(const Queue& queue) = 0;
  /// Its name becomes free; its messages stay where they are until they are purged.
  virtual Result<> delete_queue(QueueId id, Instant now) = 0;
  /// Until the transaction ends nobody else locks this queue.
  virtual Result<> lock_queue(QueueId id) = 0;

  virtual Result<> add_item(const QueueItem& item) = 0;
  virtual Result<std::optional<QueueItem>> item(MessageId message) = 0;
  /// The next available item, leased to `holder` now, one attempt more.
  virtual Result<std::optional<QueueItem>> claim_next(QueueId queue, AgentId holder, Instant now, Instant until) = 0;
  /// Leases that ran out: their items become available or, after `max_attempts`, dead. Which.
  virtual Result<std::vector<QueueItem>> end_leases(QueueId queue, int max_attempts, Instant now) = 0;
  // Each is done only if `holder` was the last to claim and the item is not ended otherwise; the item as it then is,
  // or nothing.
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

  virtual Result<std::optional<MessageId>> oldest_available(QueueId queue) = 0;
  virtual Result<std::int64_t> count_leased(QueueId queue, Instant now) = 0;
  virtual Result<QueueCounts> count_items(QueueId queue, int max_attempts, Instant now) = 0;
  virtual Result<std::optional<Instant>> next_lease_end(QueueId queue) = 0;
  /// Items in this state as the store has it, in the queue's order, at most `most`.
  virtual Result<std::vector<QueueItem>> items(QueueId queue, ItemState state, int most) = 0;
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

  virtual Result<> add_post(ChannelId channel, const Message& message) = 0;
  /// The post is no longer in its channel; the record of that stays.
  virtual Result<> prune_post(const PrunedPost& record) = 0;
  virtual Result<std::optional<PrunedPost>> pruned_post(MessageId message) = 0;
  virtual Result<std::vector<PrunedPost>> pruned_posts(ChannelId channel, int most) = 0;  ///< newest first
  virtual Result<std::optional<ChannelId>> channel_of(MessageId message) = 0;
  /// What is new to `reader` behind `after`: others' posts, oldest first; those before `since` are left out.
  virtual Result<std::vector<Message>> news(ChannelId channel, AgentId reader, MessageId after, Instant since,
                                            int limit) = 0;
  virtual Result<std::int64_t> count_news(ChannelId channel, AgentId reader, MessageId after, Instant since) = 0;
  /// Everybody's posts below `below`, newest first.
  virtual Result<std::vector<Message>> newest_posts(ChannelId channel, MessageId below, Instant since, int limit) = 0;
  virtual Result<std::int64_t> count_posts(ChannelId channel, Instant since) = 0;
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
};

}  // namespace townpost
