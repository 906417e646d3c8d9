#include "store/copy.h"

#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "store/migrations.h"

namespace townpost {

namespace {

constexpr int kPage = 250;  // rows: enough to be quick, few enough for bodies of a megabyte

constexpr CopiedTable kTables[] = {
    {"rig", "name:t* prefix:t path:t target:t test_command:t created_at:i"},
    {"agent",
     "id:i* address:t session:t description:t start_command:t resume_command:t start_on:i created_at:i removed_at:i "
     "held_since:i shown_hops:i shown_at:i harness:t pane_process:t"},
    {"alias", "address:t* agent:i"},
    {"message",
     "id:i* created_at:i sender:i grade:i priority:i type:i ack_required:i wisp:i hops:i reply_to:i reply_by:i "
     "digest:i "
     "thread:t sent_from:t sent_to:t sent_cc:t subject:t body:t"},
    {"delivery",
     "message:i* mailbox:i* place:i is_copy:i priority:i pinned:i held_by:t held_until:i delivered_at:i read_at:i "
     "acked_at:i archived_at:i deleted_at:i announced_at:i bead:t"},
    {"reply_owed", "message:i* debtor:i* creditor:i"},
    {"idempotency_key", "sender:i* key:t* message:i digest:i at:i answer:t"},
    {"event", "seq:i* at:i kind:t message:i agent:i detail:t"},
    {"outbox", "id:i* due_at:i kind:t message:i detail:t"},
    {"mail_group", "name:t* creator:i created_at:i"},
    {"group_member", "list:t* member:t*"},
    {"queue",
     "id:i* name:t rig:t claimers:t sorting:i max_concurrency:i lease_ms:i max_attempts:i state:i created_at:i "
     "deleted_at:i"},
    {"queue_item",
     "message:i* queue:i state:i rank:i attempts:i holder:i claimed_at:i lease_until:i ended_at:i reason:t"},
    {"channel",
     "id:i* name:t retain_count:i retain_ms:i closed:i creator:i created_at:i pruned:i prune_at:i deleted_at:i"},
    {"channel_post", "channel:i* message:i* sender:i created_at:i"},
    {"pruned_post", "message:i* channel:i created_at:i pruned_at:i sent_from:t subject:t reason:t"},
    {"subscription", "channel:i* member:t* agent:i wake:i since:i"},
    {"channel_cursor", "channel:i* reader:i* read:i announced:i"},
    {"nudge",
     "id:i* target:i sender:i state:i urgent:i place:i mode:i source:i kind:i grade:i ephemeral:i forced:i hops:i "
     "attempts:i created_at:i deliver_after:i expires_awake:i escalate_awake:i lease_awake:i retry_awake:i "
     "handed_at:i delivered_at:i ended_at:i sent_from:t held_by:t leased_for:t leased_by:t coalesce_key:t thread:t "
     "refs:t bead:t "
     "evidence:t last_error:t body:t"},
    {"nudge_event", "nudge:i* nr:i* at:i kind:t detail:t"},
    {"presence",
     "agent:i* state:i pid:i started_at:i since:i last_activity:i tool_running:i supervised:i continuations:i "
     "active_awake:i incarnation:t "
     "harness:t session:t host:t transcript:t detail:t"},
    {"care",
     "agent:i* dnd_until:i held_since:i hold_until:i quarantined_at:i blocked_told_at:i warned:i warned_awake:i "
     "hook:t"},
    {"wake", "id:i* agent:i at:i by_agent:i urgent:i"},
    {"watch", "id:i* awake:i watched_at:i held_since:i hold_until:i wakes_told_at:i nudges:i"},
};

/// One row's values; nothing is NULL.
struct Cell {
  std::optional<std::int64_t> number;
  std::optional<std::string> text;
  friend bool operator==(const Cell&, const Cell&) = default;
};
using Cells = std::vector<Cell>;

Param param(const Cell& cell) {
  if (cell.number) return {*cell.number};
  if (cell.text) return {*cell.text};
  return {std::nullopt};
}

/// A table with its statements. They are kept for good, because databases know statements by their address.
struct Copier {
  std::string name;
  std::vector<bool> is_text;
  std::size_t keys = 0;  ///< the first so many columns
  std::string count, first_page, next_page, until, delete_until, delete_from, delete_all, insert;
  std::string first_until, delete_first_until;

  explicit Copier(const CopiedTable& table) : name(table.name) {
    std::vector<std::string> columns, key;
    for (const auto spec : split(table.columns, ' ')) {
      const auto colon = spec.find(':');
      columns.emplace_back(spec.substr(0, colon));
      is_text.push_back(spec[colon + 1] == 't');
      if (spec.ends_with('*')) key.push_back(columns.back());
    }
    keys = key.size();
    const std::string list = join(columns, ", ");
    const std::string order = join(key, ", ");
    const std::string behind = cat("(", order, ") > (", places(1, keys), ")");
    const std::string not_behind = cat("(", order, ") <= (", places(keys + 1, keys), ")");
    const std::string not_behind_first = cat("(", order, ") <= (", places(1, keys), ")");
    count = cat("SELECT count(*) FROM ", name);
    first_page = cat("SELECT ", list, " FROM ", name, " ORDER BY ", order, " LIMIT ", kPage);
    next_page = cat("SELECT ", list, " FROM ", name, " WHERE ", behind, " ORDER BY ", order, " LIMIT ", kPage);
    first_until = cat("SELECT ", list, " FROM ", name, " WHERE ", not_behind_first, " ORDER BY ", order);
    until = cat("SELECT ", list, " FROM ", name, " WHERE ", behind, " AND ", not_behind, " ORDER BY ", order);
    delete_first_until = cat("DELETE FROM ", name, " WHERE ", not_behind_first);
    delete_until = cat("DELETE FROM ", name, " WHERE ", behind, " AND ", not_behind);
    delete_from = cat("DELETE FROM ", name, " WHERE ", behind);
    delete_all = cat("DELETE FROM ", name);
    insert = cat("INSERT INTO ", name, " (", list, ") VALUES (", places(1, columns.size()), ")");
  }

  static std::string places(std::size_t from, std::size_t number) {
    std::string out;
    for (std::size_t i = 0; i < number; ++i) out += cat(i == 0 ? "$" : ", $", from + i);
    return out;
  }
};

const std::vector<Copier>& copiers() {
  static const std::vector<Copier> kCopiers(std::begin(kTables), std::end(kTables));
  return kCopiers;
}

Result<std::vector<Cells>> fetch(Database& database, const Copier& table, const std::string& sql,
                                 const std::vector<Param>& params) {
  std::vector<Cells> out;
  TRY_VOID(database.execute(sql, params, [&](const Row& row) {
    Cells cells(table.is_text.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const int column = static_cast<int>(i);
      if (row.is_null(column)) continue;
      if (table.is_text[i])
        cells[i].text = row.string(column);
      else
        cells[i].number = row.integer(column);
    }
    out.push_back(std::move(cells));
    return Next::go_on;
  }));
  return out;
}

/// Runs `work` as one write on `database`.
template <class Work>
Result<> in_write(Database& database, Work work) {
  TRY_VOID(database.begin(Access::write));
  if (auto done = work(); !done) {
    database.rollback();
    return done;
  }
  return database.commit();
}

/// The keys of `row` behind those of `before`, as parameters.
std::vector<Param> key_params(const Copier& table, const std::optional<Cells>& before, const Cells* row) {
  std::vector<Param> out;
  for (std::size_t i = 0; before && i < table.keys; ++i) out.push_back(param((*before)[i]));
  for (std::size_t i = 0; row && i < table.keys; ++i) out.push_back(param((*row)[i]));
  return out;
}

struct Tally {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::int64_t written = 0;
  const CopyProgress* progress = nullptr;
  void add(const Copier& table, std::size_t rows) {
    done += static_cast<std::int64_t>(rows);
    if (*progress) (*progress)(table.name, done, total);
  }
};

Failure differs(const Copier& table) {
  return fail(Code::unavailable, cat("the copy of ", table.name, " differs from the original"),
              "nothing may write to the target meanwhile; run gt store copy again");
}

enum class Pass { write, compare };

/// Goes through both tables page by page, in the order of the key. Pages that differ are written anew, or are an error.
Result<> go_through(Database& from, Database& to, const Copier& table, Pass pass, Tally& tally) {
  std::optional<Cells> last;
  while (true) {
    TRY(page, fetch(from, table, last ? table.next_page : table.first_page, key_params(table, last, nullptr)));
    if (page.empty()) break;
    const auto range = key_params(table, last, &page.back());
    TRY(there, fetch(to, table, last ? table.until : table.first_until, range));
    if (there != page) {
      if (pass == Pass::compare) return differs(table);
      TRY_VOID(in_write(to, [&]() -> Result<> {
        TRY_VOID(to.execute(last ? table.delete_until : table.delete_first_until, range, {}));
        for (const auto& row : page) {
          std::vector<Param> values;
          values.reserve(row.size());
          for (const auto& cell : row) values.push_back(param(cell));
          TRY_VOID(to.execute(table.insert, values, {}));
        }
        return {};
      }));
      tally.written += static_cast<std::int64_t>(page.size());
    }
    tally.add(table, page.size());
    last = std::move(page.back());
  }
  // Whatever the target has behind the last row is not the source's.
  const auto end = key_params(table, last, nullptr);
  if (pass == Pass::write)
    return in_write(to, [&]() -> Result<> {
      TRY_VOID(to.execute(last ? table.delete_from : table.delete_all, end, {}));
      return {};
    });
  TRY(more, fetch(to, table, last ? table.next_page : table.first_page, end));
  if (!more.empty()) return differs(table);
  return {};
}

Result<std::int64_t> number(Database& database, std::string_view sql) {
  std::int64_t out = 0;
  TRY_VOID(database.run(sql, {}, [&](const Row& row) {
    out = row.integer(0);
    return Next::stop;
  }));
  return out;
}

constexpr std::string_view kUsed =
    "SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM rig) + (SELECT count(*) FROM agent WHERE id > 4)"
    " + (SELECT count(*) FROM alias) + (SELECT count(*) FROM event)";
constexpr std::string_view kListsUsed =  // since schema 2
    "SELECT (SELECT count(*) FROM mail_group) + (SELECT count(*) FROM queue) + (SELECT count(*) FROM channel)";
constexpr std::string_view kForgetWatch = "DELETE FROM watch";  // a new store has a row of its own there
constexpr std::string_view kForgetIndex = "UPDATE search_progress SET upto = 0";

/// That the target may be filled, and marks it as an unfinished copy.
Result<> prepare(Database& to) {
  const std::int64_t newest = migrations().back().version;
  TRY(version, to.schema_version());
  if (version == -newest) return {};  // an interrupted copy
  if (version < 0)
    return fail(Code::refused, "the target is an unfinished copy that another version of gt began",
                "finish it with that gt, or copy into a new database");
  if (version > newest) TRY_VOID(check_schema(to));
  if (version > 0) {
    TRY(used, number(to, kUsed));
    TRY(lists, version > 1 ? number(to, kListsUsed) : Result<std::int64_t>(0));
    if (used + lists > 0)
      return fail(Code::refused, "the target holds a town already", "copy into a new database, or a new file");
  }
  // In one transaction: a copy that is interrupted now leaves nothing that could be taken for an empty town.
  return in_write(to, [&]() -> Result<> {
    for (const auto& step : migrations())
      if (step.version > version) TRY_VOID(apply_step(to, step));
    return to.set_schema_version(-newest);
  });
}

}  // namespace

std::span<const CopiedTable> copied_tables() { return kTables; }

Result<CopyReport> copy_town(Database& from, Database& to, const CopyProgress& progress) {
  TRY_VOID(check_schema(from));
  const auto same = [] {
    return fail(Code::usage, "source and target are the same store", "name another one with --to");
  };
  if (const auto own = from.identity(); !own.empty() && from.dialect() == to.dialect() && own == to.identity())
    return same();
  TRY_VOID(prepare(to));
  TRY(own_version, from.schema_version());
  if (own_version < 0) {  // what was just marked as unfinished is the source: two names for one store
    TRY_VOID(in_write(to, [&] { return to.set_schema_version(migrations().back().version); }));
    return same();
  }
  TRY_VOID(in_write(to, [&]() -> Result<> {
    TRY_VOID(to.run(kForgetWatch));
    return {};
  }));
  Tally tally{.progress = &progress};
  TRY_VOID(from.begin(Access::write));  // the source stands still
  auto work = [&]() -> Result<> {
    for (const auto& table : copiers()) {
      TRY(rows, number(from, table.count));
      tally.total += 2 * rows;  // every row is copied, then compared
    }
    for (const auto pass : {Pass::write, Pass::compare})
      for (const auto& table : copiers()) TRY_VOID(go_through(from, to, table, pass, tally));
    return in_write(to, [&]() -> Result<> {
      TRY_VOID(to.run(kForgetIndex));
      return to.set_schema_version(migrations().back().version);
    });
  };
  std::int64_t messages = 0;
  auto done = work();
  if (done)
    if (auto counted = number(from, "SELECT count(*) FROM message")) messages = *counted;
  from.rollback();
  if (!done) return Failure(done.error());
  // A server that does not know yet what it holds reads whole tables where an index would do.
  if (to.dialect() == Dialect::postgres)
    for (const auto& table : copied_tables()) TRY_VOID(to.run_script(cat("ANALYZE ", table.name)));
  return CopyReport{.rows = tally.total / 2, .written = tally.written, .messages = messages};
}

}  // namespace townpost
