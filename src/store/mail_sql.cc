#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::row_as;
using columns::text;

constexpr Sql kNewest = "SELECT id FROM message ORDER BY id DESC LIMIT 1";
constexpr auto kAddMessage = columns::insert<Message>();
constexpr auto kAddDelivery = columns::insert<Delivery>();
constexpr auto kUpdateDelivery = columns::update<Delivery>();
constexpr Sql kEraseDeliveries = "DELETE FROM delivery WHERE message = $1";
constexpr Sql kEraseTopic = "DELETE FROM message_topic WHERE message = $1";
constexpr Sql kEraseOwed = "DELETE FROM reply_owed WHERE message = $1";
// Those that retention has passed already; it sees to the others.
constexpr Sql kEraseOldEvents =
    "DELETE FROM event WHERE message = $1 AND seq <= (SELECT swept FROM log_state WHERE id = 1)";
constexpr Sql kEraseItem = "DELETE FROM queue_item WHERE message = $1";
constexpr Sql kEraseTrigramsPostgres = "DELETE FROM message_trigram WHERE message = $1";
constexpr Sql kErasePost = "DELETE FROM channel_post WHERE message = $1";
constexpr Sql kEraseMessage = "DELETE FROM message WHERE id = $1";

constexpr auto kMessage = text("SELECT ") + list<Message, 'm'>() + " FROM message m WHERE m.id = $1";
constexpr auto kBodiless =
    text("SELECT ") + list<Message, 'm', Fullness::bodiless>() + " FROM message m WHERE m.id = $1";
constexpr auto kHeader = text("SELECT ") + list<Message, 'm', Fullness::headers>() + " FROM message m WHERE m.id = $1";
constexpr Sql kMessageInRange = "SELECT id FROM message WHERE id >= $1 AND id < $2 LIMIT 1";
constexpr auto kDelivery =
    text("SELECT ") + list<Delivery, 'd'>() + " FROM delivery d WHERE d.message = $1 AND d.mailbox = $2";
constexpr auto kDeliveries =
    text("SELECT ") + list<Delivery, 'd'>() + " FROM delivery d WHERE d.message = $1 ORDER BY d.place, d.mailbox";

// Two walks along an index that are merged as far as they are read. A post that was pruned and is there still, because
// it was also sent to somebody, is counted there.
constexpr Sql kSendTimes = R"sql(
  SELECT m.created_at, m.id FROM message m WHERE m.sender = $1 AND m.created_at <= $3
  UNION ALL
  SELECT p.created_at, p.message FROM pruned_post p
   WHERE p.sender = $1 AND p.created_at <= $3 AND NOT EXISTS (SELECT 1 FROM message k WHERE k.id = p.message)
   ORDER BY 2 DESC LIMIT $2)sql";
constexpr Sql kHopsSent =
    "SELECT created_at, hops FROM message WHERE sender = $1 AND created_at <= $2 ORDER BY id DESC LIMIT $3";
constexpr Sql kSendTimesTo = R"sql(
  SELECT m.created_at, EXISTS (SELECT 1 FROM delivery d WHERE d.message = m.id AND d.mailbox = $2), m.id
    FROM message m WHERE m.sender = $1 AND m.id < $3 AND m.created_at <= $5 ORDER BY m.id DESC LIMIT $4)sql";
constexpr auto kWithDigest =
    text("SELECT ") + list<Message, 'm'>() + " FROM message m WHERE m.digest = $2 AND m.sender = $1 ORDER BY m.id DESC";
constexpr Sql kAddTopic = "INSERT INTO message_topic (message, digest) VALUES ($1, $2)";
constexpr auto kUnreadOnTopic =
    text("SELECT ") + list<Message, 'm', Fullness::bodiless>() +
    " FROM message_topic t JOIN message m ON m.id = t.message JOIN delivery d ON d.message = t.message"
    " WHERE t.digest = $2 AND m.sender = $1 AND d.mailbox = $3 AND d.read_at IS NULL AND d.archived_at IS NULL"
    " AND d.deleted_at IS NULL ORDER BY t.message DESC LIMIT 1";
constexpr Sql kReplies = "SELECT id FROM message WHERE reply_to = $1 ORDER BY id";
constexpr Sql kOweReply =
    "INSERT INTO reply_owed (message, debtor, creditor) VALUES ($1, $2, $3) ON CONFLICT (message, debtor) DO NOTHING";
constexpr Sql kSettleReply = "DELETE FROM reply_owed WHERE message = $1 AND debtor = $2";
constexpr Sql kDebtors =
    "SELECT o.debtor FROM reply_owed o LEFT JOIN delivery d ON d.message = o.message AND d.mailbox = o.debtor"
    " WHERE o.message = $1 ORDER BY d.place, o.debtor";
constexpr auto kOwedTo = text("SELECT ") + list<Message, 'm', Fullness::bodiless>() +
                         " FROM message m WHERE m.id IN (SELECT DISTINCT message FROM reply_owed WHERE creditor = $1"
                         "                                ORDER BY message DESC LIMIT $2) ORDER BY m.id DESC";
constexpr auto kOwedBy =
    text("SELECT ") + list<Message, 'm', Fullness::bodiless>() +
    " FROM message m WHERE m.id IN (SELECT message FROM reply_owed WHERE debtor = $1 ORDER BY message DESC LIMIT $2)"
    " ORDER BY m.id DESC";
constexpr auto kUnreadFrom =
    text("SELECT ") + list<Delivery, 'd'>() +
    " FROM message m JOIN delivery d ON d.message = m.id"
    " WHERE m.sender = $1 AND m.created_at >= $2 AND d.read_at IS NULL AND d.deleted_at IS NULL ORDER BY m.id";

// $1 to $4: the keys. Each part walks along one index, and none is asked for a text.
constexpr Sql kAlike =
    "SELECT id FROM message WHERE id >= $1 AND id <= $2 AND (id & $3) = $4 ORDER BY id DESC LIMIT $5";
constexpr Sql kOwnAlike = R"sql(
  SELECT d.message FROM delivery d WHERE d.mailbox = $6 AND d.archived_at IS NULL AND d.deleted_at IS NULL
     AND d.message >= $1 AND d.message <= $2 AND (d.message & $3) = $4
  UNION
  SELECT a.message FROM delivery a WHERE a.mailbox = $6 AND a.archived_at IS NOT NULL AND a.deleted_at IS NULL
     AND a.message >= $1 AND a.message <= $2 AND (a.message & $3) = $4
  UNION
  SELECT m.id FROM message m WHERE m.sender = $6 AND m.id >= $1 AND m.id <= $2 AND (m.id & $3) = $4
  UNION
  SELECT i.message FROM queue_item i WHERE i.state = 1 AND i.holder = $6
     AND i.message >= $1 AND i.message <= $2 AND (i.message & $3) = $4
  ORDER BY 1 DESC LIMIT $5)sql";
constexpr Sql kNudgesAlike =
    "SELECT id FROM nudge WHERE id >= $1 AND id <= $2 AND (id & $3) = $4 ORDER BY id DESC LIMIT $5";
constexpr Sql kPrunedAlike =
    "SELECT message FROM pruned_post WHERE message >= $1 AND message <= $2 AND (message & $3) = $4"
    " ORDER BY message DESC LIMIT $5";
constexpr Sql kOwnNudgesAlike = R"sql(
  SELECT n.id FROM nudge n WHERE n.target = $6 AND n.id >= $1 AND n.id <= $2 AND (n.id & $3) = $4
  UNION
  SELECT s.id FROM nudge s WHERE s.sender = $6 AND s.id >= $1 AND s.id <= $2 AND (s.id & $3) = $4
  ORDER BY 1 DESC LIMIT $5)sql";

constexpr Sql kFindKey = "SELECT message, digest, at, answer FROM idempotency_key WHERE sender = $1 AND key = $2";
constexpr Sql kPutKey = R"sql(
  INSERT INTO idempotency_key (sender, key, message, digest, at, answer) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (sender, key) DO UPDATE SET message = excluded.message, digest = excluded.digest, at = excluded.at,
                                         answer = excluded.answer)sql";

// A share of the sender's own that are too old to count: each new key makes room for itself.
constexpr Sql kForgetKeys = R"sql(
  DELETE FROM idempotency_key WHERE sender = $1
     AND key IN (SELECT key FROM idempotency_key WHERE sender = $1 AND at < $2 LIMIT 16))sql";

MessageId id_row(const Row& row) { return {row.integer(0)}; }

}  // namespace

Result<std::int64_t> SqlLedger::next_seq() {
  TRY(newest, first(kNewest, {}, id_row));
  return newest ? newest->seq() + 1 : 1;
}

Result<> SqlLedger::add_message(const Message& m) { return run(kAddMessage, columns::values(m)); }

Result<> SqlLedger::add_delivery(const Delivery& d) { return run(kAddDelivery, columns::values(d)); }

Result<> SqlLedger::update_delivery(const Delivery& d) { return run(kUpdateDelivery, columns::changing(d)); }

Result<> SqlLedger::erase_message(MessageId id) {
  for (const auto sql : {kEraseDeliveries, kEraseTopic, kEraseOwed, kEraseItem, kErasePost, kEraseOldEvents})
    TRY_VOID(run(sql, {id.key}));
  // In SQLite a trigram without its message stays behind: its index cannot forget without the text, and search does not
  // mind.
  if (db_.dialect() == Dialect::postgres) TRY_VOID(run(kEraseTrigramsPostgres, {id.key}));
  return run(kEraseMessage, {id.key});
}

Result<std::optional<Message>> SqlLedger::message(MessageId id, Parts parts) {
  const auto sql = parts == Parts::all ? Sql(kMessage) : parts == Parts::bodiless ? Sql(kBodiless) : Sql(kHeader);
  return first(sql, {id.key}, row_as<Message>);
}

Result<std::optional<MessageId>> SqlLedger::message_with_seq(std::int64_t seq) {
  const auto least = MessageId::least(seq);
  if (seq < 1 || least.key == INT64_MAX) return std::optional<MessageId>();  // nothing was ever given that number
  return first(kMessageInRange, {least.key, MessageId::least(seq + 1).key}, id_row);
}

Result<std::vector<std::int64_t>> SqlLedger::ids_alike(IdsOf kind, const KeysAlike& keys, std::optional<AgentId> whose,
                                                       int most) {
  const auto key = [](const Row& row) { return row.integer(0); };
  const auto& [least, greatest, mask, bits] = keys;
  if (kind == IdsOf::pruned_posts) return all(kPrunedAlike, {least, greatest, mask, bits, most}, key);
  if (!whose) return all(kind == IdsOf::nudges ? kNudgesAlike : kAlike, {least, greatest, mask, bits, most}, key);
  return all(kind == IdsOf::nudges ? kOwnNudgesAlike : kOwnAlike, {least, greatest, mask, bits, most, whose->key}, key);
}

Result<std::optional<Delivery>> SqlLedger::delivery(MessageId id, AgentId mailbox) {
  return first(kDelivery, {id.key, mailbox.key}, row_as<Delivery>);
}

Result<std::vector<Delivery>> SqlLedger::deliveries(MessageId id) {
  return all(kDeliveries, {id.key}, row_as<Delivery>);
}

Result<int> SqlLedger::most_hops_sent(AgentId sender, Window window, int most) {
  int out = 0;
  TRY_VOID(db_.run(kHopsSent, {sender.key, window.until, most}, [&](const Row& row) {
    if (row.instant(0) < window.since) return Next::stop;
    out = std::max(out, static_cast<int>(row.integer(1)));
    return Next::go_on;
  }));
  return out;
}

Result<std::vector<Instant>> SqlLedger::send_times(AgentId sender, std::optional<AgentId> mailbox, Window window,
                                                   int most) {
  constexpr int kPage = 200;
  std::vector<Instant> out;
  // Newest first, so the walk ends at the first message that is too old; created_at has no index of its own.
  bool enough = false;
  std::int64_t below = INT64_MAX;
  int rows = 0;
  auto collect = [&](const Row& row) {
    ++rows;
    enough = row.instant(0) < window.since || static_cast<int>(out.size()) >= most;
    if (enough) return Next::stop;
    if (!mailbox || row.flag(1)) out.push_back(row.instant(0));
    if (mailbox) below = row.integer(2);
    return Next::go_on;
  };
  if (!mailbox) {
    TRY_VOID(db_.run(kSendTimes, {sender.key, most, window.until}, collect));
    return out;
  }
  do {
    rows = 0;
    TRY_VOID(db_.run(kSendTimesTo, {sender.key, mailbox->key, below, kPage, window.until}, collect));
  } while (!enough && rows == kPage);
  return out;
}

Result<> SqlLedger::add_topic(MessageId message, std::int64_t digest) { return run(kAddTopic, {message.key, digest}); }

Result<std::optional<Message>> SqlLedger::unread_on_topic(AgentId sender, std::int64_t digest, AgentId mailbox) {
  return first(kUnreadOnTopic, {sender.key, digest, mailbox.key}, row_as<Message>);
}

Result<std::vector<Message>> SqlLedger::with_digest(AgentId sender, std::int64_t digest) {
  return all(kWithDigest, {sender.key, digest}, row_as<Message>);
}

Result<std::vector<MessageId>> SqlLedger::replies(MessageId id) { return all(kReplies, {id.key}, id_row); }

Result<> SqlLedger::owe_reply(const Message& message, AgentId debtor) {
  return run(kOweReply, {message.id.key, debtor.key, message.sender.key});
}

Result<> SqlLedger::settle_reply(MessageId message, AgentId debtor) {
  return run(kSettleReply, {message.key, debtor.key});
}

Result<std::vector<AgentId>> SqlLedger::debtors(MessageId message) {
  return all(kDebtors, {message.key}, [](const Row& row) { return AgentId{row.integer(0)}; });
}

Result<std::vector<Message>> SqlLedger::replies_owed_to(AgentId agent, int most) {
  return all(kOwedTo, {agent.key, most}, row_as<Message>);
}

Result<std::vector<Message>> SqlLedger::replies_owed_by(AgentId agent, int most) {
  return all(kOwedBy, {agent.key, most}, row_as<Message>);
}

Result<std::vector<Delivery>> SqlLedger::unread_from(AgentId sender, Instant since) {
  return all(kUnreadFrom, {sender.key, since}, row_as<Delivery>);
}

Result<std::optional<KeyedSend>> SqlLedger::find_key(AgentId sender, std::string_view key) {
  return first(kFindKey, {sender.key, key}, [](const Row& row) {
    return KeyedSend{{row.integer(0)}, row.integer(1), row.instant(2), row.string(3)};
  });
}

Result<> SqlLedger::put_key(AgentId sender, std::string_view key, const KeyedSend& send) {
  TRY_VOID(run(kForgetKeys, {sender.key, send.at - kKeyLife}));
  return run(kPutKey, {sender.key, key, send.message.key, send.digest, send.at, send.answer});
}

}  // namespace townpost
