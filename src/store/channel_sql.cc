#include "store/rows.h"
#include "store/sql_ledger.h"

namespace townpost {

namespace {

#define CHANNEL_COLUMNS "id, name, retain_count, retain_ms, closed, creator, created_at, pruned, prune_at"
#define SUBSCRIPTION_COLUMNS "channel, member, agent, wake, since"

constexpr std::string_view kChannels = "SELECT " CHANNEL_COLUMNS " FROM channel WHERE deleted_at IS NULL ORDER BY name";
constexpr std::string_view kFindChannel =
    "SELECT " CHANNEL_COLUMNS " FROM channel WHERE name = $1 AND deleted_at IS NULL";
constexpr std::string_view kChannel = "SELECT " CHANNEL_COLUMNS " FROM channel WHERE id = $1";
constexpr std::string_view kAddChannel = "INSERT INTO channel (" CHANNEL_COLUMNS R"sql()
  VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM channel), $1, $2, $3, $4, $5, $6, $7, $8) RETURNING id)sql";
constexpr std::string_view kUpdateChannel = R"sql(
  UPDATE channel SET retain_count = $2, retain_ms = $3, closed = $4, pruned = $5, prune_at = $6 WHERE id = $1)sql";
constexpr std::string_view kDeleteChannel = "UPDATE channel SET deleted_at = $2 WHERE id = $1";

constexpr std::string_view kCountOf = "SELECT count(*) FROM channel WHERE creator = $1 AND deleted_at IS NULL";

constexpr std::string_view kAddPost =
    "INSERT INTO channel_post (channel, message, sender, created_at) VALUES ($1, $2, $3, $4)";
constexpr std::string_view kRecordPruned = R"sql(
  INSERT INTO pruned_post (message, channel, created_at, pruned_at, sent_from, subject, reason)
  VALUES ($1, $2, $3, $4, $5, $6, $7))sql";
#define PRUNED_COLUMNS "message, channel, created_at, pruned_at, sent_from, subject, reason"
constexpr std::string_view kPruned = "SELECT " PRUNED_COLUMNS " FROM pruned_post WHERE message = $1";
constexpr std::string_view kPrunedOf =
    "SELECT " PRUNED_COLUMNS " FROM pruned_post WHERE channel = $1 ORDER BY message DESC LIMIT $2";
constexpr std::string_view kRemovePost = "DELETE FROM channel_post WHERE channel = $1 AND message = $2";
constexpr std::string_view kChannelOf = "SELECT channel FROM channel_post WHERE message = $1";
constexpr std::string_view kNews = "SELECT " MESSAGE_COLUMNS
                                   " FROM channel_post p JOIN message m ON m.id = p.message"
                                   " WHERE p.channel = $1 AND p.message > $2 AND p.created_at >= $3 AND p.sender <> $4"
                                   " ORDER BY p.message LIMIT $5";
constexpr std::string_view kNewestPosts = "SELECT " MESSAGE_COLUMNS
                                          " FROM channel_post p JOIN message m ON m.id = p.message"
                                          " WHERE p.channel = $1 AND p.message < $2 AND p.created_at >= $3"
                                          " ORDER BY p.message DESC LIMIT $4";
constexpr std::string_view kCountNews =
    "SELECT count(*) FROM channel_post WHERE channel = $1 AND message > $2 AND created_at >= $3 AND sender <> $4";
constexpr std::string_view kCountPosts = "SELECT count(*) FROM channel_post WHERE channel = $1 AND created_at >= $2";
constexpr std::string_view kNewest =
    "SELECT message FROM channel_post WHERE channel = $1 ORDER BY message DESC LIMIT 1";
constexpr std::string_view kOldestAt =
    "SELECT created_at FROM channel_post WHERE channel = $1 ORDER BY message LIMIT 1";
// Below the oldest of the newest $2; nothing if there are no more than that.
constexpr std::string_view kSurplus = R"sql(
  SELECT message FROM channel_post
   WHERE channel = $1
     AND message <= (SELECT message FROM channel_post WHERE channel = $1 ORDER BY message DESC LIMIT 1 OFFSET $2)
   ORDER BY message LIMIT $3)sql";
constexpr std::string_view kOld =
    "SELECT message FROM channel_post WHERE channel = $1 AND created_at <= $2 ORDER BY created_at, message LIMIT $3";

constexpr std::string_view kSubscriptions =
    "SELECT " SUBSCRIPTION_COLUMNS " FROM subscription WHERE channel = $1 ORDER BY member";
constexpr std::string_view kSubscriptionsOf =
    "SELECT " SUBSCRIPTION_COLUMNS
    " FROM subscription WHERE agent = $1"
    " UNION ALL SELECT " SUBSCRIPTION_COLUMNS " FROM subscription WHERE agent IS NULL ORDER BY channel, member";
constexpr std::string_view kWaking =
    "SELECT " SUBSCRIPTION_COLUMNS " FROM subscription WHERE channel = $1 AND wake = 1 ORDER BY member";
constexpr std::string_view kSubscription =
    "SELECT " SUBSCRIPTION_COLUMNS " FROM subscription WHERE channel = $1 AND member = $2";
constexpr std::string_view kAddSubscription = "INSERT INTO subscription (" SUBSCRIPTION_COLUMNS R"sql()
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (channel, member) DO UPDATE SET wake = excluded.wake)sql";
constexpr std::string_view kRemoveSubscription = "DELETE FROM subscription WHERE channel = $1 AND member = $2";
constexpr std::string_view kCursor = "SELECT read, announced FROM channel_cursor WHERE channel = $1 AND reader = $2";
constexpr std::string_view kSetCursor = R"sql(
  INSERT INTO channel_cursor (channel, reader, read, announced) VALUES ($1, $2, $3, $4)
  ON CONFLICT (channel, reader) DO UPDATE SET read = excluded.read, announced = excluded.announced)sql";

Channel channel_row(const Row& row) {
  return {.id = {row.integer(0)},
          .name = row.string(1),
          .retain_count = row.count(2),
          .retain_for = row.length(3),
          .closed = row.flag(4),
          .creator = {row.integer(5)},
          .created_at = row.instant(6),
          .pruned = row.integer(7),
          .prune_at = row.maybe_instant(8)};
}

Subscription subscription_row(const Row& row) {
  Subscription out{.channel = {row.integer(0)},
                   .member = row.string(1),
                   .agent = std::nullopt,
                   .wake = row.flag(3),
                   .since = {row.integer(4)}};
  if (!row.is_null(2)) out.agent = AgentId{row.integer(2)};
  return out;
}

PrunedPost pruned_row(const Row& row) {
  return {.message = {row.integer(0)},
          .channel = {row.integer(1)},
          .created_at = row.instant(2),
          .pruned_at = row.instant(3),
          .from = row.string(4),
          .subject = row.string(5),
          .reason = row.string(6)};
}

Message message_row(const Row& row) { return rows::message(row); }
MessageId id_row(const Row& row) { return {row.integer(0)}; }

}  // namespace

Result<std::vector<Channel>> SqlLedger::channels() { return all(kChannels, {}, channel_row); }

Result<std::optional<Channel>> SqlLedger::find_channel(std::string_view name) {
  return first(kFindChannel, {name}, channel_row);
}

Result<std::optional<Channel>> SqlLedger::channel(ChannelId id) { return first(kChannel, {id.key}, channel_row); }

Result<ChannelId> SqlLedger::add_channel(const Channel& c) {
  TRY(id,
      first(kAddChannel,
            {c.name, c.retain_count, c.retain_for.count(), c.closed, c.creator.key, c.created_at, c.pruned, c.prune_at},
            [](const Row& row) { return row.integer(0); }));
  return ChannelId{id.value_or(0)};
}

Result<> SqlLedger::update_channel(const Channel& c) {
  return run(kUpdateChannel, {c.id.key, c.retain_count, c.retain_for.count(), c.closed, c.pruned, c.prune_at});
}

Result<> SqlLedger::delete_channel(ChannelId id, Instant now) { return run(kDeleteChannel, {id.key, now}); }

Result<std::int64_t> SqlLedger::count_channels_of(AgentId creator) {
  TRY(number, first(kCountOf, {creator.key}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<> SqlLedger::add_post(ChannelId channel, const Message& m) {
  return run(kAddPost, {channel.key, m.id.key, m.sender.key, m.created_at});
}

Result<> SqlLedger::prune_post(const PrunedPost& p) {
  TRY_VOID(run(kRemovePost, {p.channel.key, p.message.key}));
  return run(kRecordPruned, {p.message.key, p.channel.key, p.created_at, p.pruned_at, p.from, p.subject, p.reason});
}

Result<std::optional<PrunedPost>> SqlLedger::pruned_post(MessageId message) {
  return first(kPruned, {message.key}, pruned_row);
}

Result<std::vector<PrunedPost>> SqlLedger::pruned_posts(ChannelId channel, int most) {
  return all(kPrunedOf, {channel.key, most}, pruned_row);
}

Result<std::optional<ChannelId>> SqlLedger::channel_of(MessageId message) {
  return first(kChannelOf, {message.key}, [](const Row& row) { return ChannelId{row.integer(0)}; });
}

Result<std::vector<Message>> SqlLedger::news(ChannelId channel, AgentId reader, MessageId after, Instant since,
                                             int limit) {
  return all(kNews, {channel.key, after.key, since, reader.key, limit}, message_row);
}

Result<std::vector<Message>> SqlLedger::newest_posts(ChannelId channel, MessageId below, Instant since, int limit) {
  return all(kNewestPosts, {channel.key, below.key, since, limit}, message_row);
}

Result<std::int64_t> SqlLedger::count_news(ChannelId channel, AgentId reader, MessageId after, Instant since) {
  TRY(number,
      first(kCountNews, {channel.key, after.key, since, reader.key}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<std::int64_t> SqlLedger::count_posts(ChannelId channel, Instant since) {
  TRY(number, first(kCountPosts, {channel.key, since}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<MessageId> SqlLedger::newest_post(ChannelId channel) {
  TRY(newest, first(kNewest, {channel.key}, id_row));
  return newest.value_or(MessageId{});
}

Result<std::optional<Instant>> SqlLedger::oldest_post_at(ChannelId channel) {
  return first(kOldestAt, {channel.key}, [](const Row& row) { return row.instant(0); });
}

Result<std::vector<MessageId>> SqlLedger::surplus_posts(ChannelId channel, std::int64_t keep, int most) {
  return all(kSurplus, {channel.key, keep, most}, id_row);
}

Result<std::vector<MessageId>> SqlLedger::old_posts(ChannelId channel, Instant before, int most) {
  return all(kOld, {channel.key, before, most}, id_row);
}

Result<std::vector<Subscription>> SqlLedger::subscriptions(ChannelId channel) {
  return all(kSubscriptions, {channel.key}, subscription_row);
}

Result<std::vector<Subscription>> SqlLedger::subscriptions_of(AgentId agent) {
  return all(kSubscriptionsOf, {agent.key}, subscription_row);
}

Result<std::vector<Subscription>> SqlLedger::waking_subscriptions(ChannelId channel) {
  return all(kWaking, {channel.key}, subscription_row);
}

Result<bool> SqlLedger::add_subscription(const Subscription& s) {
  TRY(known, first(kSubscription, {s.channel.key, s.member}, subscription_row));
  std::optional<std::int64_t> agent;
  if (s.agent) agent = s.agent->key;
  TRY_VOID(run(kAddSubscription, {s.channel.key, s.member, agent, s.wake, s.since.key}));
  return !known.has_value();
}

Result<bool> SqlLedger::remove_subscription(ChannelId channel, std::string_view member) {
  return changes(kRemoveSubscription, {channel.key, member});
}

Result<std::optional<Cursor>> SqlLedger::cursor(ChannelId channel, AgentId reader) {
  return first(kCursor, {channel.key, reader.key}, [](const Row& row) {
    return Cursor{{row.integer(0)}, {row.integer(1)}};
  });
}

Result<> SqlLedger::set_cursor(ChannelId channel, AgentId reader, const Cursor& cursor) {
  return run(kSetCursor, {channel.key, reader.key, cursor.read.key, cursor.announced.key});
}

}  // namespace townpost
