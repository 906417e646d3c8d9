#include "base/text.h"
#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::row_as;
using columns::text;

#define ON_INBOX "d.archived_at IS NULL AND d.deleted_at IS NULL"
#define ON_UNREAD "d.read_at IS NULL AND d.archived_at IS NULL AND d.deleted_at IS NULL"
// The same rule as is_for_previous_holder (post/rules/holder.h).
#define ITS_BEAD_IS_ANOTHERS \
  "EXISTS (SELECT 1 FROM care c WHERE c.agent = d.mailbox AND c.hook <> '' AND c.hook <> d.bead)"
// The same rule as Withheld::covers (post/rules/withheld.h).
#define IT_IS_WITHHELD \
  "EXISTS (SELECT 1 FROM care q WHERE q.agent IN (m.sender, m.quotes) AND q.quarantined_at IS NOT NULL)"
#define ON_OFFERED ON_UNREAD " AND (d.bead = '' OR NOT " ITS_BEAD_IS_ANOTHERS ") AND NOT " IT_IS_WITHHELD

template <Fullness fullness>
constexpr auto kMail = text("SELECT ") + list<Message, 'm', fullness>() + ", " + list<Delivery, 'd'>() +
                       " FROM delivery d JOIN message m ON m.id = d.message WHERE d.mailbox = $1 AND ";
// One priority at a time, so that every page is a walk along the index and never a scan: $1 = mailbox, $2 = priority,
// $3 = go on below this message, $4 = sender or null, $5 = type or null, $6 = limit.
template <Fullness fullness, std::size_t N>
consteval auto shelf_page(const char (&condition)[N]) {
  return kMail<fullness> + "d.priority = $2 AND d.message < $3 AND " + condition +
         " AND (CAST($4 AS BIGINT) IS NULL OR m.sender = $4) AND (CAST($5 AS BIGINT) IS NULL OR m.type = $5)"
         " ORDER BY d.message DESC LIMIT $6";
}
template <Fullness fullness>
constexpr auto kInboxPage = shelf_page<fullness>(ON_INBOX);
template <Fullness fullness>
constexpr auto kUnreadPage = shelf_page<fullness>(ON_UNREAD);
template <Fullness fullness>
constexpr auto kOfferedPage = shelf_page<fullness>(ON_OFFERED);
template <Fullness fullness>
constexpr auto kArchivedPage =
    kMail<fullness> +
    "d.message < $2 AND d.archived_at IS NOT NULL AND d.deleted_at IS NULL"
    " AND (CAST($3 AS BIGINT) IS NULL OR m.sender = $3) AND (CAST($4 AS BIGINT) IS NULL OR m.type = $4)"
    " ORDER BY d.message DESC LIMIT $5";

/// A statement with whole messages, without their bodies, or with headers only.
struct Pages {
  Sql all;
  Sql bodiless;
  Sql headers;
  Sql with(Parts parts) const { return parts == Parts::all ? all : parts == Parts::bodiless ? bodiless : headers; }
};
constexpr Pages kInboxPages = {kInboxPage<Fullness::whole>, kInboxPage<Fullness::bodiless>,
                               kInboxPage<Fullness::headers>};
constexpr Pages kUnreadPages = {kUnreadPage<Fullness::whole>, kUnreadPage<Fullness::bodiless>,
                                kUnreadPage<Fullness::headers>};
constexpr Pages kOfferedPages = {kOfferedPage<Fullness::whole>, kOfferedPage<Fullness::bodiless>,
                                 kOfferedPage<Fullness::headers>};
constexpr Pages kArchivedPages = {kArchivedPage<Fullness::whole>, kArchivedPage<Fullness::bodiless>,
                                  kArchivedPage<Fullness::headers>};

constexpr Sql kInboxIds = "SELECT message FROM delivery d WHERE d.mailbox = $1 AND " ON_INBOX;
constexpr Sql kUnreadIds = "SELECT message FROM delivery d WHERE d.mailbox = $1 AND " ON_UNREAD;
constexpr Sql kOfferedIds =
    "SELECT d.message FROM delivery d JOIN message m ON m.id = d.message WHERE d.mailbox = $1 AND " ON_OFFERED;
constexpr Sql kArchivedIds =
    "SELECT message FROM delivery WHERE mailbox = $1 AND archived_at IS NOT NULL AND deleted_at IS NULL";

constexpr Sql kCountInbox =
    "SELECT count(*) FROM delivery WHERE mailbox = $1 AND archived_at IS NULL AND deleted_at IS NULL";
constexpr Sql kCountUnread =
    "SELECT count(*) FROM delivery"
    " WHERE mailbox = $1 AND read_at IS NULL AND archived_at IS NULL AND deleted_at IS NULL";
constexpr Sql kCountArchived =
    "SELECT count(*) FROM delivery WHERE mailbox = $1 AND archived_at IS NOT NULL AND deleted_at IS NULL";
// Walks along indexes, all but the first short: named copies are few, and mostly nobody is quarantined.
constexpr Sql kCountOffered =
    "SELECT (SELECT count(*) FROM delivery"
    "         WHERE mailbox = $1 AND read_at IS NULL AND archived_at IS NULL AND deleted_at IS NULL)"
    "     - (SELECT count(*) FROM delivery d"
    "         WHERE d.mailbox = $1 AND d.bead <> '' AND d.read_at IS NULL AND d.archived_at IS NULL"
    "           AND d.deleted_at IS NULL AND " ITS_BEAD_IS_ANOTHERS
    ")"
    "     - (SELECT count(*) FROM care q CROSS JOIN delivery d CROSS JOIN message m"
    "         WHERE q.quarantined_at IS NOT NULL AND d.mailbox = $1 AND d.read_at IS NULL AND d.archived_at IS NULL"
    "           AND d.deleted_at IS NULL AND m.id = d.message AND q.agent IN (m.sender, m.quotes)"
    "           AND (d.bead = '' OR NOT " ITS_BEAD_IS_ANOTHERS "))";
// $2 = now, $3 = when the longest hold of its own end would end; a later end is of a clock that was wrong.
#define ITS_HOLD_IS_OVER "d.held_until <= $2 OR d.held_until > $3"
constexpr Sql kWakeful =
    "SELECT 1 FROM delivery d JOIN message m ON m.id = d.message"
    " WHERE d.mailbox = $1 AND d.read_at IS NULL AND d.archived_at IS NULL AND d.deleted_at IS NULL"
    " AND (d.held_by = '' OR " ITS_HOLD_IS_OVER ") AND (d.bead = '' OR NOT " ITS_BEAD_IS_ANOTHERS
    ")"
    " AND NOT " IT_IS_WITHHELD " LIMIT 1";
constexpr Sql kCountHeld = "SELECT count(*) FROM delivery d WHERE d.mailbox = $1 AND " ON_UNREAD
                           " AND d.held_by <> '' AND (d.held_until IS NULL OR NOT (" ITS_HOLD_IS_OVER "))";
constexpr Sql kNextHoldEnd = "SELECT MIN(d.held_until) FROM delivery d WHERE d.mailbox = $1 AND " ON_UNREAD
                             " AND d.held_by <> '' AND NOT (" ITS_HOLD_IS_OVER ")";
#undef ITS_HOLD_IS_OVER
// $1 = now, $2 = when the longest hold of its own end would end.
constexpr Sql kCountHeldSent =
    "SELECT m.sender, count(DISTINCT d.message) FROM delivery d JOIN message m ON m.id = d.message"
    " WHERE d.held_by <> '' AND " ON_UNREAD
    " AND (d.held_until IS NULL OR NOT (d.held_until <= $1 OR d.held_until > $2))"
    " GROUP BY m.sender";
#undef ON_OFFERED
#undef ON_UNREAD
#undef ON_INBOX
#undef IT_IS_WITHHELD
#undef ITS_BEAD_IS_ANOTHERS
constexpr Sql kStale =
    "SELECT d.message FROM delivery d JOIN message m ON m.id = d.message"
    " WHERE d.mailbox = $1 AND d.archived_at IS NULL AND d.deleted_at IS NULL AND d.read_at IS NOT NULL"
    " AND d.pinned = 0 AND m.created_at < $2 ORDER BY d.message";
template <Fullness fullness>
constexpr auto kOfThread = text("SELECT ") + list<Message, 'm', fullness>() +
                           " FROM message m WHERE m.thread = $1 ORDER BY m.id";
constexpr Pages kThread = {kOfThread<Fullness::whole>, kOfThread<Fullness::bodiless>, kOfThread<Fullness::headers>};
constexpr Sql kThreadLinks =
    "SELECT m.id, m.sender, d.mailbox, m.reply_to, m.type FROM message m LEFT JOIN delivery d ON d.message = m.id"
    " WHERE m.thread = $1 ORDER BY m.id, d.place";
template <Fullness fullness>
constexpr auto kOfSender = text("SELECT ") + list<Message, 'm', fullness>() +
                           " FROM message m WHERE m.sender = $1 AND m.id < $2 ORDER BY m.id DESC LIMIT $3";
constexpr Pages kSent = {kOfSender<Fullness::whole>, kOfSender<Fullness::bodiless>, kOfSender<Fullness::headers>};

constexpr Sql kCountSent = "SELECT count(*) FROM message WHERE sender = $1 AND id < $2";

constexpr std::int64_t kBeyondEveryId = INT64_MAX;

Mail mail_row(const Row& row) {
  return {columns::read<Message>(row), columns::read<Delivery>(row, columns::count<Message>())};
}

}  // namespace

Result<std::vector<Mail>> SqlLedger::list(const MailQuery& query) {
  std::optional<std::int64_t> type;
  if (query.type) type = static_cast<std::int64_t>(*query.type);
  std::optional<std::int64_t> from;
  if (query.from) from = query.from->key;

  int priority = 0;
  std::int64_t below = kBeyondEveryId;
  if (query.after_seq) {
    TRY(last, message_with_seq(*query.after_seq));
    if (!last)
      return fail(Code::not_found, cat("the item with seq ", *query.after_seq, " is gone"),
                  "list again from the start");
    below = last->key;
    TRY(found, message(*last, Parts::headers));
    if (found) priority = static_cast<int>(found->priority);
  }
  if (query.shelf == Shelf::archived)
    return all(kArchivedPages.with(query.parts), {query.mailbox.key, below, from, type, query.limit}, mail_row);

  const auto& pages = query.shelf == Shelf::unread    ? kUnreadPages
                      : query.shelf == Shelf::offered ? kOfferedPages
                                                      : kInboxPages;
  const auto sql = pages.with(query.parts);
  std::vector<Mail> out;
  for (; priority <= static_cast<int>(Priority::lowest) && static_cast<int>(out.size()) < query.limit; ++priority) {
    TRY(page, all(sql, {query.mailbox.key, priority, below, from, type, query.limit - static_cast<int>(out.size())},
                  mail_row));
    std::move(page.begin(), page.end(), std::back_inserter(out));
    below = kBeyondEveryId;
  }
  return out;
}

Result<std::int64_t> SqlLedger::count(AgentId mailbox, Shelf shelf) {
  const auto sql = shelf == Shelf::inbox     ? kCountInbox
                   : shelf == Shelf::unread  ? kCountUnread
                   : shelf == Shelf::offered ? kCountOffered
                                             : kCountArchived;
  TRY(number, first(sql, {mailbox.key}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<std::int64_t> SqlLedger::count_held(AgentId mailbox, Instant now) {
  TRY(number, first(kCountHeld, {mailbox.key, now, now + kLongestHold}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<std::map<AgentId, std::int64_t>> SqlLedger::count_held_sent(Instant now) {
  std::map<AgentId, std::int64_t> out;
  TRY_VOID(db_.run(kCountHeldSent, {now, now + kLongestHold}, [&](const Row& row) {
    out[{row.integer(0)}] = row.integer(1);
    return Next::go_on;
  }));
  return out;
}

Result<bool> SqlLedger::has_wakeful_mail(AgentId mailbox, Instant now) {
  TRY(found, first(kWakeful, {mailbox.key, now, now + kLongestHold}, [](const Row&) { return true; }));
  return found.has_value();
}

Result<std::optional<Instant>> SqlLedger::next_hold_end(AgentId mailbox, Instant now) {
  TRY(end,
      first(kNextHoldEnd, {mailbox.key, now, now + kLongestHold}, [](const Row& row) { return row.maybe_instant(0); }));
  return end.value_or(std::nullopt);
}

Result<std::vector<MessageId>> SqlLedger::stale(AgentId mailbox, Instant before) {
  return all(kStale, {mailbox.key, before}, [](const Row& row) { return MessageId{row.integer(0)}; });
}

Result<std::vector<MessageId>> SqlLedger::ids(AgentId mailbox, Shelf shelf) {
  const auto sql = shelf == Shelf::inbox     ? kInboxIds
                   : shelf == Shelf::unread  ? kUnreadIds
                   : shelf == Shelf::offered ? kOfferedIds
                                             : kArchivedIds;
  return all(sql, {mailbox.key}, [](const Row& row) { return MessageId{row.integer(0)}; });
}

Result<std::vector<Message>> SqlLedger::thread(std::string_view thread, Parts parts) {
  return all(kThread.with(parts), {thread}, row_as<Message>);
}

Result<std::vector<ThreadLink>> SqlLedger::thread_links(std::string_view thread) {
  return all(kThreadLinks, {thread}, [](const Row& row) {
    ThreadLink link{.message = {row.integer(0)}, .from = {row.integer(1)}};
    if (!row.is_null(2)) link.to = AgentId{row.integer(2)};
    if (!row.is_null(3)) link.reply_to = MessageId{row.integer(3)};
    link.type = row.choice<MessageType>(4);
    return link;
  });
}

Result<std::int64_t> SqlLedger::count_sent(AgentId sender, std::optional<std::int64_t> before_seq) {
  const auto below = before_seq ? MessageId::least(*before_seq).key : kBeyondEveryId;
  TRY(number, first(kCountSent, {sender.key, below}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<std::vector<Message>> SqlLedger::sent(AgentId sender, std::optional<std::int64_t> before_seq, int limit,
                                             Parts parts) {
  const auto below = before_seq ? MessageId::least(*before_seq).key : kBeyondEveryId;
  return all(kSent.with(parts), {sender.key, below, limit}, row_as<Message>);
}

}  // namespace townpost
