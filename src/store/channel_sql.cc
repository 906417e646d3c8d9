#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::row_as;
using columns::text;

constexpr auto kSelectChannel = text("SELECT ") + columns::names<Channel>() + " FROM channel";
constexpr auto kSelectSubscription = text("SELECT ") + columns::names<Subscription>() + " FROM subscription";
constexpr auto kSelectPruned = text("SELECT ") + columns::names<PrunedPost>() + " FROM pruned_post";

constexpr auto kChannels = kSelectChannel + " WHERE deleted_at IS NULL ORDER BY name";
constexpr auto kFindChannel = kSelectChannel + " WHERE name = $1 AND deleted_at IS NULL";
constexpr auto kChannel = kSelectChannel + " WHERE id = $1";
constexpr auto kAddChannel = columns::insert_numbered<Channel>();
constexpr auto kUpdateChannel = columns::update<Channel>();
constexpr Sql kDeleteChannel = "UPDATE channel SET deleted_at = $2 WHERE id = $1";

constexpr Sql kCountOf = "SELECT count(*) FROM channel WHERE creator = $1 AND deleted_at IS NULL";

constexpr Sql kAddPost =
    "INSERT INTO channel_post (channel, message, sender, created_at, held_by) VALUES ($1, $2, $3, $4, $5)";
constexpr auto kRecordPruned = columns::insert<PrunedPost>();
constexpr auto kPruned = kSelectPruned + " WHERE message = $1";
constexpr auto kPrunedOf = kSelectPruned + " WHERE channel = $1 ORDER BY message DESC LIMIT $2";
constexpr Sql kRemovePost = "DELETE FROM channel_post WHERE channel = $1 AND message = $2";
// How far readers had come with what is not there any more.
constexpr Sql kForgetRecalls = R"sql(
  DELETE FROM recalled_for WHERE channel = $1
     AND NOT EXISTS (SELECT 1 FROM channel_post p
                      WHERE p.channel = recalled_for.channel AND p.recalled_at = recalled_for.recalled_at))sql";
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

Result<> SqlLedger::add_post(ChannelId channel, const Message& m, std::string_view held_by) {
  return run(kAddPost, {channel.key, m.id.key, m.sender.key, m.created_at, held_by});
}

Result<> SqlLedger::prune_post(const PrunedPost& p) {
  TRY_VOID(run(kRemovePost, {p.channel.key, p.message.key}));
  TRY_VOID(run(kForgetRecalls, {p.channel.key}));
  return run(kRecordPruned, columns::values(p));
}

Result<std::optional<PrunedPost>> SqlLedger::pruned_post(MessageId message) {
  return first(kPruned, {message.key}, row_as<PrunedPost>);
}

Result<std::vector<PrunedPost>> SqlLedger::pruned_posts(ChannelId channel, int most) {
  return all(kPrunedOf, {channel.key, most}, row_as<PrunedPost>);
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

}  // namespace townpost
