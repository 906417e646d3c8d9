#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::text;

// $1 = reader, $2 = go on below this message, $3 = limit.
template <Fullness fullness>
constexpr auto kMail = text("SELECT ") + list<Message, 'm', fullness>() + ", " + list<Delivery, 'd'>() +
                       " FROM message m LEFT JOIN delivery d ON d.message = m.id AND d.mailbox = $1 WHERE ";

// What nobody has a copy of stands in a queue or on a channel.
#define SOMEBODY_HAS_IT(condition)                                                                          \
  "(EXISTS (SELECT 1 FROM delivery o WHERE o.message = m.id AND o.archived_at IS NULL AND o.deleted_at IS " \
  "NULL" condition ")"
#define IS_OPEN SOMEBODY_HAS_IT("") " OR NOT EXISTS (SELECT 1 FROM delivery o WHERE o.message = m.id))"
#define IS_UNREAD SOMEBODY_HAS_IT(" AND o.read_at IS NULL") ")"

// The index of a mailbox goes by priority first, so each priority is a walk of its own along it.
#define OF_PRIORITY(priority, condition)                                                                  \
  "SELECT message FROM (SELECT d.message FROM delivery d WHERE d.mailbox = $1 AND d.priority = " priority \
  " AND d.message < $2 AND d.archived_at IS NULL AND d.deleted_at IS NULL" condition                      \
  " ORDER BY d.message DESC LIMIT $3) AS of_priority_" priority
#define OF_MAILBOX(condition)                                                                                    \
  OF_PRIORITY("0", condition)                                                                                    \
  " UNION ALL " OF_PRIORITY("1", condition) " UNION ALL " OF_PRIORITY("2", condition) " UNION ALL " OF_PRIORITY( \
      "3", condition) " UNION ALL " OF_PRIORITY("4", condition)

template <Fullness fullness>
constexpr auto kOwn = kMail<fullness> + "m.id IN (" OF_MAILBOX("") " UNION ALL"
                      " SELECT id FROM (SELECT m.id FROM message m WHERE m.sender = $1 AND m.id < $2 AND " IS_OPEN
                      " ORDER BY m.id DESC LIMIT $3) AS sent) ORDER BY m.id DESC LIMIT $3";
template <Fullness fullness>
constexpr auto kOwnUnread = kMail<fullness> +
                            "m.id IN (" OF_MAILBOX(" AND d.read_at IS NULL") ") ORDER BY m.id DESC LIMIT $3";
template <Fullness fullness>
constexpr auto kOfTown = kMail<fullness> + "m.id < $2 AND " IS_OPEN " ORDER BY m.id DESC LIMIT $3";
template <Fullness fullness>
constexpr auto kOfTownUnread = kMail<fullness> + "m.id < $2 AND " IS_UNREAD " ORDER BY m.id DESC LIMIT $3";
#undef OF_MAILBOX
#undef OF_PRIORITY
#undef IS_UNREAD
#undef IS_OPEN
#undef SOMEBODY_HAS_IT

template <Fullness fullness>
Sql statement(const NewestQuery& query) {
  if (query.of == NewestQuery::Of::reader) return query.unread_only ? Sql(kOwnUnread<fullness>) : Sql(kOwn<fullness>);
  return query.unread_only ? Sql(kOfTownUnread<fullness>) : Sql(kOfTown<fullness>);
}

}  // namespace

Result<std::vector<Mail>> SqlLedger::newest(const NewestQuery& query) {
  const Sql sql = query.parts == Parts::all        ? statement<Fullness::whole>(query)
                  : query.parts == Parts::bodiless ? statement<Fullness::bodiless>(query)
                                                   : statement<Fullness::headers>(query);
  return all(sql, {query.reader.key, query.before ? query.before->key : INT64_MAX, query.limit}, [](const Row& row) {
    constexpr int kCopy = columns::count<Message>();
    Mail mail{columns::read<Message>(row), std::nullopt};
    if (!row.is_null(kCopy)) mail.delivery = columns::read<Delivery>(row, kCopy);
    return mail;
  });
}

}  // namespace townpost
