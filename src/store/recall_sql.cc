// What is taken back: posts, for those who had not read them, and work that nobody has claimed.
#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::row_as;
using columns::text;

constexpr auto kSelectPost = text("SELECT channel, message, sender, recalled_at, held_by FROM channel_post");
constexpr auto kPost = kSelectPost + " WHERE message = $1";
constexpr auto kPostsOf = kSelectPost +
                          " WHERE sender = $1 AND created_at >= $2 AND recalled_at IS NULL"
                          " ORDER BY channel, message";
constexpr Sql kRecall = "UPDATE channel_post SET recalled_at = $3 WHERE channel = $1 AND message = $2";
// How far everybody had come with the posts of this author, $2, by then, $3.
constexpr Sql kKeepForReaders = R"sql(
  INSERT INTO recalled_for (channel, recalled_at, reader, read)
  SELECT c.channel, CAST($3 AS BIGINT), c.reader, COALESCE(a.read, c.read)
    FROM channel_cursor c
    LEFT JOIN channel_author_cursor a ON a.channel = c.channel AND a.reader = c.reader AND a.author = $2
   WHERE c.channel = $1
  ON CONFLICT (channel, recalled_at, reader) DO NOTHING)sql";
constexpr Sql kIsKept =
    "SELECT 1 FROM recalled_for WHERE channel = $1 AND recalled_at = $2 AND reader = $3 AND read >= $4";

// A claim that is just being made keeps its message: whichever of the two comes first changes the row.
constexpr auto kTakeBackItems = text(
                                    "DELETE FROM queue_item WHERE state = 0 AND message IN"
                                    " (SELECT id FROM message WHERE sender = $1 AND created_at >= $2) RETURNING ") +
                                columns::names<QueueItem>();

Post post_row(const Row& row) {
  return {{row.integer(0)}, {row.integer(1)}, {row.integer(2)}, row.maybe_instant(3), std::string(row.text(4))};
}

}  // namespace

Result<std::optional<Post>> SqlLedger::post(MessageId message) { return first(kPost, {message.key}, post_row); }

Result<std::vector<Post>> SqlLedger::posts_of(AgentId sender, Instant since) {
  return all(kPostsOf, {sender.key, since}, post_row);
}

Result<> SqlLedger::recall_posts(ChannelId channel, AgentId author, const std::vector<MessageId>& posts, Instant now) {
  for (const auto post : posts) TRY_VOID(run(kRecall, {channel.key, post.key, now}));
  return run(kKeepForReaders, {channel.key, author.key, now});
}

Result<bool> SqlLedger::is_kept_for(const Post& recalled, AgentId reader) {
  if (!recalled.recalled_at) return true;
  TRY(kept, first(kIsKept, {recalled.channel.key, *recalled.recalled_at, reader.key, recalled.message.key},
                  [](const Row&) { return true; }));
  return kept.has_value();
}

Result<std::vector<QueueItem>> SqlLedger::take_back_items(AgentId sender, Instant since) {
  return all(kTakeBackItems, {sender.key, since}, row_as<QueueItem>);
}

}  // namespace townpost
