// What a reader finds on a channel, and how far it has come there.
#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::row_as;
using columns::text;

constexpr auto kSelectPost =
    text("SELECT ") + list<Message, 'm'>() + " FROM channel_post p JOIN message m ON m.id = p.message";

// $1 = channel, $2 = behind this post, $3 = not older than this, $4 = the reader, $5 = whether quarantine counts.
#define IS_NEWS                                                                                \
  " p.channel = $1 AND p.message > $2 AND p.created_at >= $3 AND p.sender <> $4"               \
  " AND p.recalled_at IS NULL AND (CAST($5 AS BIGINT) = 0 OR NOT EXISTS (SELECT 1 FROM care q" \
  "                                 WHERE q.agent = p.sender AND q.quarantined_at IS NOT NULL))"
constexpr auto kNews = kSelectPost + " WHERE" IS_NEWS " ORDER BY p.message LIMIT $6";
constexpr Sql kCountNews = "SELECT count(*) FROM channel_post p WHERE" IS_NEWS;
constexpr Sql kHasWakefulNews = "SELECT 1 FROM channel_post p WHERE" IS_NEWS " AND p.held_by = '' LIMIT 1";
#undef IS_NEWS
// $4 = the author, $5 = up to this post.
#define IS_NEWS_OF                                                           \
  " p.sender = $4 AND p.channel = $1 AND p.message > $2 AND p.message <= $5" \
  " AND p.created_at >= $3 AND p.recalled_at IS NULL"
constexpr auto kNewsOf = kSelectPost + " WHERE" IS_NEWS_OF " ORDER BY p.message LIMIT $6";
constexpr Sql kCountNewsOf = "SELECT count(*) FROM channel_post p WHERE" IS_NEWS_OF;
#undef IS_NEWS_OF
// $5 = the reader, $6 = where it began to follow.
constexpr auto kNewestPosts =
    kSelectPost +
    " WHERE p.channel = $1 AND p.message < $2 AND p.created_at >= $3"
    "   AND (p.recalled_at IS NULL OR p.sender = $5"
    "        OR (p.message > $6 AND EXISTS (SELECT 1 FROM recalled_for k WHERE k.channel = p.channel"
    "              AND k.recalled_at = p.recalled_at AND k.reader = $5 AND k.read >= p.message)))"
    " ORDER BY p.message DESC LIMIT $4";
// What was taken back is little, and counted by an index of its own.
constexpr Sql kCountPosts =
    "SELECT (SELECT count(*) FROM channel_post WHERE channel = $1 AND created_at >= $2 AND message < $3)"
    "     - (SELECT count(*) FROM channel_post"
    "         WHERE channel = $1 AND recalled_at IS NOT NULL AND created_at >= $2 AND message < $3)";

constexpr Sql kCursor = "SELECT read, announced FROM channel_cursor WHERE channel = $1 AND reader = $2";
constexpr Sql kSetCursor = R"sql(
  INSERT INTO channel_cursor (channel, reader, read, announced) VALUES ($1, $2, $3, $4)
  ON CONFLICT (channel, reader) DO UPDATE SET read = excluded.read, announced = excluded.announced)sql";
constexpr Sql kAuthorCursors =
    "SELECT author, read, announced FROM channel_author_cursor WHERE channel = $1 AND reader = $2 ORDER BY author";
constexpr Sql kSetAuthorCursor = R"sql(
  INSERT INTO channel_author_cursor (channel, reader, author, read, announced) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (channel, reader, author) DO UPDATE SET read = excluded.read, announced = excluded.announced)sql";
constexpr Sql kRemoveAuthorCursor =
    "DELETE FROM channel_author_cursor WHERE channel = $1 AND reader = $2 AND author = $3";

}  // namespace

Result<std::vector<Message>> SqlLedger::news(const NewsQuery& q, int limit) {
  const bool left_out = q.quarantined == NewsQuery::Quarantined::left_out;
  return all(kNews, {q.channel.key, q.after.key, q.since, q.reader.key, left_out, limit}, row_as<Message>);
}

Result<std::int64_t> SqlLedger::count_news(const NewsQuery& q) {
  const bool left_out = q.quarantined == NewsQuery::Quarantined::left_out;
  return counted(kCountNews, {q.channel.key, q.after.key, q.since, q.reader.key, left_out});
}

Result<bool> SqlLedger::has_wakeful_news(const NewsQuery& q) {
  const bool left_out = q.quarantined == NewsQuery::Quarantined::left_out;
  TRY(found, first(kHasWakefulNews, {q.channel.key, q.after.key, q.since, q.reader.key, left_out},
                   [](const Row&) { return true; }));
  return found.has_value();
}

Result<std::vector<Message>> SqlLedger::news_of(AgentId author, MessageId upto, const NewsQuery& q, int limit) {
  return all(kNewsOf, {q.channel.key, q.after.key, q.since, author.key, upto.key, limit}, row_as<Message>);
}

Result<std::int64_t> SqlLedger::count_news_of(AgentId author, MessageId upto, const NewsQuery& q) {
  return counted(kCountNewsOf, {q.channel.key, q.after.key, q.since, author.key, upto.key});
}

Result<std::vector<Message>> SqlLedger::newest_posts(const PostsQuery& q) {
  return all(kNewestPosts, {q.channel.key, q.below.key, q.since, q.limit, q.reader.key, q.joined.key}, row_as<Message>);
}

Result<std::int64_t> SqlLedger::count_posts(ChannelId channel, Instant since, MessageId below) {
  return counted(kCountPosts, {channel.key, since, below.key});
}

Result<std::optional<Cursor>> SqlLedger::cursor(ChannelId channel, AgentId reader) {
  return first(kCursor, {channel.key, reader.key}, [](const Row& row) {
    return Cursor{{row.integer(0)}, {row.integer(1)}};
  });
}

Result<> SqlLedger::set_cursor(ChannelId channel, AgentId reader, const Cursor& cursor) {
  return run(kSetCursor, {channel.key, reader.key, cursor.read.key, cursor.announced.key});
}

Result<std::vector<AuthorCursor>> SqlLedger::author_cursors(ChannelId channel, AgentId reader) {
  return all(kAuthorCursors, {channel.key, reader.key}, [](const Row& row) {
    return AuthorCursor{{row.integer(0)}, {{row.integer(1)}, {row.integer(2)}}};
  });
}

Result<> SqlLedger::set_author_cursor(ChannelId channel, AgentId reader, const AuthorCursor& cursor) {
  return run(kSetAuthorCursor,
             {channel.key, reader.key, cursor.author.key, cursor.at.read.key, cursor.at.announced.key});
}

Result<> SqlLedger::remove_author_cursor(ChannelId channel, AgentId reader, AgentId author) {
  return run(kRemoveAuthorCursor, {channel.key, reader.key, author.key});
}

}  // namespace townpost
