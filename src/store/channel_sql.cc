#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::row_as;
using columns::text;

constexpr auto kSelectChannel = text("SELECT ") + columns::names<Channel>() + " FROM channel";
constexpr auto kSelectSubscription = text("SELECT ") + columns::names<Subscription>() + " FROM subscription";
constexpr auto kSelectPruned = text("SELECT ") + columns::names<PrunedPost>() + " FROM pruned_post";
constexpr auto kSelectPost =
    text("SELECT ") + list<Message, 'm'>() + " FROM channel_post p JOIN message m ON m.id = p.message";

constexpr auto kChannels = kSelectChannel + " WHERE deleted_at IS NULL ORDER BY name";
constexpr auto kFindChannel = kSelectChannel + " WHERE name = $1 AND deleted_at IS NULL";
constexpr auto kChannel = kSelectChannel + " WHERE id = $1";
constexpr auto kAddChannel = columns::insert_numbered<Channel>();
constexpr auto kUpdateChannel = columns::update<Channel>();
constexpr Sql kDeleteChannel = "UPDATE channel SET deleted_at = $2 WHERE id = $1";

constexpr Sql kCountOf = "SELECT count(*) FROM channel WHERE creator = $1 AND deleted_at IS NULL";

constexpr Sql kAddPost = "INSERT INTO channel_post (channel, message, sender, created_at) VALUES ($1, $2, $3, $4)";
constexpr auto kRecordPruned = columns::insert<PrunedPost>();
constexpr auto kPruned = kSelectPruned + " WHERE message = $1";
constexpr auto kPrunedOf = kSelectPruned + " WHERE channel = $1 ORDER BY message DESC LIMIT $2";
constexpr Sql kRemovePost = "DELETE FROM channel_post WHERE channel = $1 AND message = $2";
constexpr Sql kChannelOf = "SELECT channel FROM channel_post WHERE message = $1";
constexpr auto kNews =
    kSelectPost +
    " WHERE p.channel = $1 AND p.message > $2 AND p.created_at >= $3 AND p.sender <> $4 ORDER BY p.message LIMIT $5";
constexpr auto kNewestPosts =
    kSelectPost + " WHERE p.channel = $1 AND p.message < $2 AND p.created_at >= $3 ORDER BY p.message DESC LIMIT $4";
constexpr Sql kCountNews =
    "SELECT count(*) FROM channel_post WHERE channel = $1 AND message > $2 AND created_at >= $3 AND sender <> $4";
constexpr Sql kCountPosts = "SELECT count(*) FROM channel_post WHERE channel = $1 AND created_at >= $2";
constexpr Sql kNewest = "SELECT message FROM channel_post WHERE channel = $1 ORDER BY message DESC LIMIT 1";
constexpr Sql kOldestAt = "SELECT created_at FROM channel_post WHERE channel = $1 ORDER BY message LIMIT 1";
// Below the oldest of the newest $2; nothing if there are no more than that.
constexpr Sql kSurplus = R"sql(
  SELECT message FROM channel_post
   WHERE channel = $1
     AND message <= (SELECT message FROM channel_post WHERE channel = $1 ORDER BY message DESC LIMIT 1 OFFSET $2)
   ORDER BY message LIMIT $3)sql";
constexpr Sql kOld =
    "SELECT message FROM channel_post WHERE channel = $1 AND created_at <= $2 ORDER BY created_at, message LIMIT $3";

constexpr auto kSubscriptions = kSelectSubscription + " WHERE channel = $1 ORDER BY member";
constexpr auto kSubscriptionsOf = kSelectSubscription + " WHERE agent = $1 UNION ALL " + kSelectSubscription +
                                  " WHERE agent IS NULL ORDER BY channel, member";
constexpr auto kWaking = kSelectSubscription + " WHERE channel = $1 AND wake = 1 ORDER BY member";
constexpr auto kSubscription = kSelectSubscription + " WHERE channel = $1 AND member = $2";
constexpr auto kAddSubscription =
    columns::insert<Subscription>() + " ON CONFLICT (channel, member) DO UPDATE SET wake = excluded.wake";
constexpr Sql kRemoveSubscription = "DELETE FROM subscription WHERE channel = $1 AND member = $2";
constexpr Sql kCursor = "SELECT read, announced FROM channel_cursor WHERE channel = $1 AND reader = $2";
constexpr Sql kSetCursor = R"sql(
  INSERT INTO channel_cursor (channel, reader, read, announced) VALUES ($1, $2, $3, $4)
  ON CONFLICT (channel, reader) DO UPDATE SET read = excluded.read, announced = excluded.announced)sql";

MessageId id_row(const Row& row) { return {row.integer(0)}; }

}  // namespace

Result<std::vector<Channel>> SqlLedger::channels() { return all(kChannels, {}, row_as<Channel>); }

Result<std::optional<Channel>> SqlLedger::find_channel(std::string_view name) {
  return first(kFindChannel, {name}, row_as<Channel>);
}

Result<std::optional<Channel>> SqlLedger::channel(ChannelId id) { return first(kChannel, {id.key}, row_as<Channel>); }

Result<ChannelId> SqlLedger::add_channel(const Channel& c) {
  TRY(id, add_numbered(kAddChannel, c));
  return ChannelId{id};
}

Result<> SqlLedger::update_channel(const Channel& c) { return run(kUpdateChannel, columns::changing(c)); }

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
  return run(kRecordPruned, columns::values(p));
}

Result<std::optional<PrunedPost>> SqlLedger::pruned_post(MessageId message) {
  return first(kPruned, {message.key}, row_as<PrunedPost>);
}

Result<std::vector<PrunedPost>> SqlLedger::pruned_posts(ChannelId channel, int most) {
  return all(kPrunedOf, {channel.key, most}, row_as<PrunedPost>);
}

Result<std::optional<ChannelId>> SqlLedger::channel_of(MessageId message) {
  return first(kChannelOf, {message.key}, [](const Row& row) { return ChannelId{row.integer(0)}; });
}

Result<std::vector<Message>> SqlLedger::news(ChannelId channel, AgentId reader, MessageId after, Instant since,
                                             int limit) {
  return all(kNews, {channel.key, after.key, since, reader.key, limit}, row_as<Message>);
}

Result<std::vector<Message>> SqlLedger::newest_posts(ChannelId channel, MessageId below, Instant since, int limit) {
  return all(kNewestPosts, {channel.key, below.key, since, limit}, row_as<Message>);
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
  return all(kSubscriptions, {channel.key}, row_as<Subscription>);
}

Result<std::vector<Subscription>> SqlLedger::subscriptions_of(AgentId agent) {
  return all(kSubscriptionsOf, {agent.key}, row_as<Subscription>);
}

Result<std::vector<Subscription>> SqlLedger::waking_subscriptions(ChannelId channel) {
  return all(kWaking, {channel.key}, row_as<Subscription>);
}

Result<bool> SqlLedger::add_subscription(const Subscription& s) {
  TRY(known, first(kSubscription, {s.channel.key, s.member}, row_as<Subscription>));
  TRY_VOID(run(kAddSubscription, columns::values(s)));
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
