#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "base/utf8.h"
#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::text;

// Candidates: own mail, newest first, as (message, own copy or nulls). $1 = mailbox, $2 = the last message in the
// index, $3 = go on below this message, $4 = limit, $5 = query for the index.
constexpr auto kOwnMail = text("SELECT ") + list<Message, 'm'>() + ", " + list<Delivery, 'd'>() +
                          " FROM message m LEFT JOIN delivery d ON d.message = m.id AND d.mailbox = $1 WHERE ";
// What is not indexed yet, found through the mailbox's own indexes: it costs what the mailbox holds, not the town.
constexpr auto kTail =
    kOwnMail +
    "m.id IN (SELECT message FROM delivery"
    "          WHERE mailbox = $1 AND message > $2 AND message < $3 AND archived_at IS NULL AND deleted_at IS NULL"
    "         UNION SELECT message FROM delivery"
    "          WHERE mailbox = $1 AND message > $2 AND message < $3 AND archived_at IS NOT NULL AND deleted_at IS NULL"
    "         UNION SELECT id FROM message WHERE sender = $1 AND id > $2 AND id < $3)"
    " ORDER BY m.id DESC LIMIT $4";
constexpr auto kTailOfTown = kOwnMail + "m.id > $2 AND m.id < $3 ORDER BY m.id DESC LIMIT $4";
#define IS_OWN "(m.sender = $1 OR d.mailbox IS NOT NULL) AND "
#define IS_INDEXED_SQLITE     \
  "m.id <= $2 AND m.id < $3 " \
  "AND m.id IN (SELECT rowid FROM message_trigram WHERE message_trigram MATCH $5) ORDER BY m.id DESC LIMIT $4"
constexpr auto kIndexedSqlite = kOwnMail + IS_OWN IS_INDEXED_SQLITE;
constexpr auto kIndexedOfTownSqlite = kOwnMail + IS_INDEXED_SQLITE;
constexpr auto kCandidates = text(
    "WITH candidate AS MATERIALIZED (SELECT message FROM message_trigram"
    " WHERE grams @> CAST($5 AS BIGINT[]) AND message <= $2 AND message < $3) ");
#define IS_INDEXED_POSTGRES "m.id IN (SELECT message FROM candidate) ORDER BY m.id DESC LIMIT $4"
constexpr auto kIndexedPostgres = kCandidates + kOwnMail + IS_OWN IS_INDEXED_POSTGRES;
constexpr auto kIndexedOfTownPostgres = kCandidates + kOwnMail + IS_INDEXED_POSTGRES;
#undef IS_OWN
#undef IS_INDEXED_SQLITE
#undef IS_INDEXED_POSTGRES

constexpr Sql kProgress = "SELECT upto FROM search_progress";
constexpr Sql kSetProgress = "UPDATE search_progress SET upto = $1";
constexpr Sql kToIndex = "SELECT id, sent_from, subject, body FROM message WHERE id > $1 ORDER BY id LIMIT $2";
constexpr Sql kIndexSqlite = "INSERT INTO message_trigram (rowid, text) VALUES ($1, $2)";
constexpr Sql kIndexPostgres = "INSERT INTO message_trigram (message, grams) VALUES ($1, CAST($2 AS BIGINT[]))";
constexpr Sql kLeftToIndex = "SELECT count(*) FROM (SELECT 1 FROM message WHERE id > $1 LIMIT 100000) AS tail";

constexpr std::size_t kMostTrigrams = 24;  // few are enough to narrow it down

/// The index query: every trigram of the words must be there ("abc" AND "bcd" …).
std::string trigram_query_sqlite(std::string_view folded) {
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

/// The distinct trigrams of a text as an array of numbers, at most the first `most`.
std::string trigrams_postgres(std::string_view folded, std::size_t most) {
  constexpr int kBits = 21;
  std::vector<std::int64_t> grams;
  std::int64_t window = 0;
  std::size_t seen = 0;
  for_each_character(folded, [&](char32_t point, std::string_view) {
    window = ((window << kBits) | static_cast<std::int64_t>(point)) & INT64_MAX;
    if (++seen >= 3 && grams.size() < most) grams.push_back(window);
  });
  std::sort(grams.begin(), grams.end());
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  std::string out = "{";
  for (const auto gram : grams) out += cat(out.size() > 1 ? "," : "", gram);
  return out + "}";
}

Mail own_mail(const Row& row) {
  constexpr int kCopy = columns::count<Message>();  // where the copy's columns begin
  Mail mail{columns::read<Message>(row), std::nullopt};
  if (!row.is_null(kCopy)) mail.delivery = columns::read<Delivery>(row, kCopy);
  return mail;
}

}  // namespace

Result<> SqlLedger::search(AgentId mailbox, SearchIn where, std::string_view query,
                           const std::function<bool(const Mail&)>& keep_going) {
  if (query.find('\0') != std::string_view::npos) return {};  // no message contains one
  const bool sqlite = db_.dialect() == Dialect::sqlite;
  const bool own = where == SearchIn::own_mail;
  const auto tail = own ? Sql(kTail) : Sql(kTailOfTown);
  // SQLite hands over row by row; a server would send everything that may match, so it is asked for a page at a time.
  // The pages grow: each costs a walk through all that may match, and most searches end on the first.
  constexpr int kFirstPage = 100;
  constexpr int kLargestPage = 1600;
  bool stopped = false;
  int rows = 0;
  std::int64_t below = INT64_MAX;
  auto hand_over = [&](const Row& row) {
    ++rows;
    below = row.integer(0);
    stopped = !keep_going(own_mail(row));
    return stopped ? Next::stop : Next::go_on;
  };
  auto walk = [&](Sql sql, std::int64_t upto, const std::optional<std::string>& grams) -> Result<> {
    below = INT64_MAX;
    int page = sqlite ? INT32_MAX : kFirstPage;
    bool more = true;
    while (more && !stopped) {
      rows = 0;
      if (grams)
        TRY_VOID(db_.run(sql, {mailbox.key, upto, below, page, *grams}, hand_over));
      else
        TRY_VOID(db_.run(sql, {mailbox.key, upto, below, page}, hand_over));
      more = rows == page;
      if (!sqlite) page = std::min(page * 2, kLargestPage);
    }
    return {};
  };
  if (length_in_characters(query) < 3) return walk(tail, 0, std::nullopt);  // too short for trigrams
  TRY(upto, first(kProgress, {}, [](const Row& row) { return row.integer(0); }));
  TRY_VOID(walk(tail, upto.value_or(0), std::nullopt));
  if (stopped) return {};
  const std::string folded = fold_case(query);
  if (sqlite)
    return walk(own ? Sql(kIndexedSqlite) : Sql(kIndexedOfTownSqlite), upto.value_or(0), trigram_query_sqlite(folded));
  return walk(own ? Sql(kIndexedPostgres) : Sql(kIndexedOfTownPostgres), upto.value_or(0),
              trigrams_postgres(folded, kMostTrigrams));
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
    if (db_.dialect() == Dialect::sqlite)
      TRY_VOID(run(kIndexSqlite, {id, text}));
    else
      TRY_VOID(run(kIndexPostgres, {id, trigrams_postgres(text, SIZE_MAX)}));
    done = id;
  }
  if (!texts.empty()) TRY_VOID(run(kSetProgress, {done}));
  TRY(left, first(kLeftToIndex, {done}, [](const Row& row) { return row.integer(0); }));
  return left.value_or(0);
}

}  // namespace townpost
