#include <algorithm>

#include "base/text.h"
#include "store/rows.h"
#include "store/sql_ledger.h"

namespace townpost {

namespace {

// Candidates: own mail, newest first, as (message, own copy or nulls). $1 = mailbox, $2 = query for the index,
// $3 = the last message in the index.
#define OWN_MAIL                                  \
  "SELECT " MESSAGE_COLUMNS ", " DELIVERY_COLUMNS \
  " FROM message m LEFT JOIN delivery d ON d.message = m.id AND d.mailbox = $1 WHERE "
// What is not indexed yet, found through the mailbox's own indexes: it costs what the mailbox holds, not the town.
constexpr std::string_view kTail = OWN_MAIL
    "m.id IN (SELECT message FROM delivery"
    "          WHERE mailbox = $1 AND message > $3 AND archived_at IS NULL AND deleted_at IS NULL"
    "         UNION SELECT message FROM delivery"
    "          WHERE mailbox = $1 AND message > $3 AND archived_at IS NOT NULL AND deleted_at IS NULL"
    "         UNION SELECT id FROM message WHERE sender = $1 AND id > $3)"
    " ORDER BY m.id DESC";
constexpr std::string_view kIndexedSqlite = OWN_MAIL
    "(m.sender = $1 OR d.mailbox IS NOT NULL) AND m.id <= $3"
    " AND m.id IN (SELECT rowid FROM message_trigram WHERE message_trigram MATCH $2) ORDER BY m.id DESC";
#undef OWN_MAIL

constexpr std::string_view kProgress = "SELECT upto FROM search_progress";
constexpr std::string_view kSetProgress = "UPDATE search_progress SET upto = $1";
constexpr std::string_view kToIndex =
    "SELECT id, sent_from, subject, body FROM message WHERE id > $1 ORDER BY id LIMIT $2";
constexpr std::string_view kIndexSqlite = "INSERT INTO message_trigram (rowid, text) VALUES ($1, $2)";
constexpr std::string_view kLeftToIndex =
    "SELECT count(*) FROM (SELECT 1 FROM message WHERE id > $1 LIMIT 100000) AS tail";

/// The index query: every trigram of the words must be there ("abc" AND "bcd" …). Few are enough to narrow it down.
std::string trigram_query(std::string_view folded) {
  constexpr std::size_t kMostTrigrams = 24;
  std::vector<std::string_view> characters;
  for (std::string_view rest = folded; !rest.empty();) {
    characters.push_back(first_characters(rest, 1));
    rest.remove_prefix(characters.back().size());
  }
  std::string out;
  for (std::size_t i = 0; i + 3 <= characters.size() && i < kMostTrigrams; ++i) {
    if (i > 0) out += " AND ";
    out += '"';
    for (std::size_t j = i; j < i + 3; ++j) out += characters[j] == "\"" ? "\"\"" : std::string(characters[j]);
    out += '"';
  }
  return out;
}

Mail own_mail(const Row& row) {
  Mail mail{rows::message(row), std::nullopt};
  if (!row.is_null(rows::kMessageColumns)) mail.delivery = rows::delivery(row, rows::kMessageColumns);
  return mail;
}

}  // namespace

Result<> SqlLedger::search(AgentId mailbox, std::string_view query,
                           const std::function<bool(const Mail&)>& keep_going) {
  if (query.find('\0') != std::string_view::npos) return {};  // no message contains one
  bool stopped = false;
  auto hand_over = [&](const Row& row) {
    stopped = !keep_going(own_mail(row));
    return stopped ? Next::stop : Next::go_on;
  };
  if (length_in_characters(query) < 3) {  // too short for trigrams
    TRY_VOID(db_.run(kTail, {mailbox.key, std::nullopt, 0}, hand_over));
    return {};
  }
  TRY(upto, first(kProgress, {}, [](const Row& row) { return row.integer(0); }));
  TRY_VOID(db_.run(kTail, {mailbox.key, std::nullopt, upto.value_or(0)}, hand_over));
  if (stopped) return {};
  const std::string trigrams = trigram_query(fold_case(query));
  TRY_VOID(db_.run(kIndexedSqlite, {mailbox.key, trigrams, upto.value_or(0)}, hand_over));
  return {};
}

Result<std::int64_t> SqlLedger::index_for_search(int most) {
  TRY(upto, first(kProgress, {}, [](const Row& row) { return row.integer(0); }));
  struct Text {
    std::int64_t id;
    std::string text;
  };
  std::int64_t done = upto.value_or(0);
  TRY(texts, all(kToIndex, {done, most}, [](const Row& row) {
        // Folded by us: the index's own folding knows fewer scripts than the verification does.
        return Text{row.integer(0), fold_case(cat(row.text(1), "\n", row.text(2), "\n", row.text(3)))};
      }));
  for (const auto& [id, text] : texts) {
    TRY_VOID(run(kIndexSqlite, {id, text}));
    done = id;
  }
  if (!texts.empty()) TRY_VOID(run(kSetProgress, {done}));
  TRY(left, first(kLeftToIndex, {done}, [](const Row& row) { return row.integer(0); }));
  return left.value_or(0);
}

}  // namespace townpost
