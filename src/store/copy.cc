#include "store/copy.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "store/migrations.h"
#include "store/stored_tables.h"

namespace townpost {

namespace {

constexpr int kPage = 250;  // rows: enough to be quick, few enough for bodies of a megabyte

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

/// A table with its statements.
struct Copier {
  std::string name;
  std::vector<bool> is_text;
  std::size_t keys = 0;  ///< the first so many columns
  Sql count, first_page, next_page, until, delete_until, delete_from, delete_all, insert;
  Sql first_until, delete_first_until;

  static Copier of(const StoredTable& table) {
    std::vector<std::string> columns, key;
    std::vector<bool> is_text;
    for (const auto& column : table.columns) {
      columns.push_back(column.name);
      is_text.push_back(column.text);
      if (column.key) key.push_back(column.name);
    }
    const std::string& name = table.name;
    const std::size_t keys = key.size();
    const std::string list = join(columns, ", ");
    const std::string order = join(key, ", ");
    const std::string behind = cat("(", order, ") > (", places(1, keys), ")");
    const std::string not_behind = cat("(", order, ") <= (", places(keys + 1, keys), ")");
    const std::string not_behind_first = cat("(", order, ") <= (", places(1, keys), ")");
    const std::string select = cat("SELECT ", list, " FROM ", name);
    const std::string pages = cat(" ORDER BY ", order, " LIMIT ", kPage);
    const std::string remove = cat("DELETE FROM ", name);
    const std::string until_here = cat(" WHERE ", behind, " AND ", not_behind);
    return {.name = name,
            .is_text = is_text,
            .keys = keys,
            .count = Sql::kept(cat("SELECT count(*) FROM ", name)),
            .first_page = Sql::kept(cat(select, pages)),
            .next_page = Sql::kept(cat(select, " WHERE ", behind, pages)),
            .until = Sql::kept(cat(select, until_here, " ORDER BY ", order)),
            .delete_until = Sql::kept(cat(remove, until_here)),
            .delete_from = Sql::kept(cat(remove, " WHERE ", behind)),
            .delete_all = Sql::kept(remove),
            .insert = Sql::kept(cat("INSERT INTO ", name, " (", list, ") VALUES (", places(1, columns.size()), ")")),
            .first_until = Sql::kept(cat(select, " WHERE ", not_behind_first, " ORDER BY ", order)),
            .delete_first_until = Sql::kept(cat(remove, " WHERE ", not_behind_first))};
  }

  static std::string places(std::size_t from, std::size_t number) {
    std::string out;
    for (std::size_t i = 0; i < number; ++i) out += cat(i == 0 ? "$" : ", $", from + i);
    return out;
  }
};

const std::vector<Copier>& copiers() {
  static const std::vector<Copier> kCopiers = [] {
    std::vector<Copier> out;
    for (const auto& table : stored_tables()) out.push_back(Copier::of(table));
    return out;
  }();
  return kCopiers;
}

Result<std::vector<Cells>> fetch(Database& database, const Copier& table, Sql sql, const std::vector<Param>& params) {
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
              "nothing may write to the target meanwhile; run " + next("store.copy", {}, " again"));
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

Result<std::int64_t> number(Database& database, Sql sql) {
  std::int64_t out = 0;
  TRY_VOID(database.run(sql, {}, [&](const Row& row) {
    out = row.integer(0);
    return Next::stop;
  }));
  return out;
}

constexpr Sql kUsed =
    "SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM rig) + (SELECT count(*) FROM agent WHERE id > 4)"
    " + (SELECT count(*) FROM alias) + (SELECT count(*) FROM event)";
constexpr Sql kListsUsed =  // since schema 2
    "SELECT (SELECT count(*) FROM mail_group) + (SELECT count(*) FROM queue) + (SELECT count(*) FROM channel)";
constexpr Sql kForgetWatch = "DELETE FROM watch";  // a new store has a row of its own there
constexpr Sql kForgetIndex = "UPDATE search_progress SET upto = 0";

/// That the target may be filled, and marks it as an unfinished copy.
Result<> prepare(Database& to) {
  const std::int64_t newest = migrations().back().version;
  TRY(version, to.schema_version());
  if (version == -newest) return {};  // an interrupted copy
  if (version < 0)
    return fail(Code::refused, "the target is an unfinished copy that another version of the program began",
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

Result<CopyReport> copy_town(Database& from, Database& to, const CopyProgress& progress) {
  TRY_VOID(check_schema(from));
  const auto same = [] {
    return fail_argument("to", "source and target are the same store",
                         "name another one with " + next("", {{"to", ""}}));
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
    for (const auto& table : stored_tables()) TRY_VOID(to.run_script(cat("ANALYZE ", table.name)));
  return CopyReport{.rows = tally.total / 2, .written = tally.written, .messages = messages};
}

}  // namespace townpost
