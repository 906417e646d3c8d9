#include "contract/full_town.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "contract/must.h"
#include "store/db/sqlite.h"

namespace townpost {

namespace {

constexpr std::array<std::string_view, 24> kTexts = {
    "",
    "plain",
    " spaces at both ends ",
    "'; DROP TABLE message; --",
    "NULL",
    "\\N",
    "\\",
    "%_$1?:x@y",
    "line\r\nline\n",
    "\ttab\v\f\b\x01\x1f\x7f",
    "\x7e\x7f",              // the last of one byte
    "\u0080\u07ff",          // the first and the last of two
    "\u0800\uffff",          // of three
    "\U00010000\U0010ffff",  // of four
    "\ud7ff\ue000",          // around the surrogates
    "\ufeffbyte order mark",
    "\ufffd\ufffe",
    "e\u0301 is not \u00e9",
    "I\u0307stanbul \u0131 \u1e9e\u00df \u03c3\u03c2",
    "\u202eright to left\u202c \u05d0\u0628",
    "\u2028\u2029\u0085",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
    "a",
    "B",
};
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
// Without 1, which the state of a queue's item may only have with a holder.
constexpr std::array<std::int64_t, 9> kNumbers = {
    0, -1, kSmallest, kLargest, 2'147'483'648, 4'294'967'296, -4'294'967'297, 1'700'000'000'000, 3};

/// A different number for each row, from the smallest to the largest.
std::int64_t own_number(int row) {
  if (row % 3 == 0) return kSmallest + row;
  if (row % 3 == 1) return row - 100;
  return kLargest - row;
}

std::string own_text(int row) { return cat(kTexts[static_cast<std::size_t>(row) % kTexts.size()], "/", row); }

std::string long_text() {
  std::string out;
  while (out.size() < (1u << 20) - 200)
    for (const auto text : kTexts) out += text;
  return out;
}

/// What stands in a column of a row: as many different things as the schema allows.
struct Value {
  bool null = false;
  std::int64_t number = 0;
  std::string text;
};

Value value_of(const TableFacts& table, std::size_t index, int row, int rows) {
  const auto& column = table.columns[index];
  if (column.may_be_null && row % 2 == 1) return {.null = true};
  const bool several_keys =
      std::count_if(table.columns.begin(), table.columns.end(), [](const ColumnFacts& c) { return c.key > 0; }) > 1;
  // Several rows have the same first part of the key, and the second runs the other way.
  int own = row;
  if (column.key == 1 && several_keys) own = row / 5;
  if (column.key == 2) own = rows - 1 - row;
  const bool is_unique = column.key > 0 || column.name == "prefix" || column.name == "address" || column.name == "name";
  if (is_unique) return column.is_text ? Value{.text = own_text(own)} : Value{.number = own_number(own)};
  const auto turn = static_cast<std::size_t>(row) + index;
  if (!column.is_text) return {.number = kNumbers[turn % kNumbers.size()]};
  if (column.name == "body" && row % 97 == 0) return {.text = long_text()};
  return {.text = std::string(kTexts[turn % kTexts.size()])};
}

std::vector<std::string> texts_from(Database& database, const std::string& sql) {
  std::vector<std::string> out;
  must(database.run(Sql::kept(sql), {}, [&](const Row& row) {
    out.push_back(row.string(0));
    return Next::go_on;
  }));
  return out;
}

TableFacts facts_in_sqlite(Database& database, const std::string& name) {
  TableFacts table{.name = name};
  must(database.run(
      Sql::kept(cat("SELECT name, type, \"notnull\", pk FROM pragma_table_info('", name, "') ORDER BY cid")), {},
      [&](const Row& row) {
        table.columns.push_back({row.string(0), row.text(1) == "TEXT", !row.flag(2) && row.integer(3) == 0,
                                 static_cast<int>(row.integer(3))});
        return Next::go_on;
      }));
  return table;
}

TableFacts facts_in_postgres(Database& database, const std::string& name) {
  TableFacts table{.name = name};
  const std::string sql =
      cat("SELECT a.attname, format_type(a.atttypid, NULL) = 'text', NOT a.attnotnull,"
          " coalesce(array_position(CAST(i.indkey AS SMALLINT[]), a.attnum) + 1, 0)"
          " FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary"
          " WHERE a.attrelid = CAST('",
          name, "' AS regclass) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum");
  must(database.run(Sql::kept(sql), {}, [&](const Row& row) {
    table.columns.push_back({row.string(0), row.flag(1), row.flag(2), static_cast<int>(row.integer(3))});
    return Next::go_on;
  }));
  return table;
}

std::string shown(const Row& row, const ColumnFacts& column, int index) {
  if (row.is_null(index)) return "NULL";
  if (!column.is_text) return std::to_string(row.integer(index));
  const auto text = row.text(index);
  return text.size() > 100 ? cat(text.size(), " bytes ", digest64(text)) : cat("'", text, "'");
}

std::vector<std::string> names(const TableFacts& table) {
  std::vector<std::string> out;
  for (const auto& column : table.columns) out.push_back(column.name);
  return out;
}

}  // namespace

std::vector<TableFacts> tables_of(Database& database) {
  const bool sqlite = database.dialect() == Dialect::sqlite;
  const auto found = texts_from(
      database, sqlite
                    ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
                    : "SELECT CAST(tablename AS TEXT) COLLATE \"C\" FROM pg_tables"
                      " WHERE schemaname = current_schema() ORDER BY 1");
  std::vector<TableFacts> out;
  for (const auto& name : found) {
    if (name.starts_with("message_trigram") || name.starts_with("townpost_") || name == "search_progress") continue;
    out.push_back(sqlite ? facts_in_sqlite(database, name) : facts_in_postgres(database, name));
  }
  return out;
}

void fill_every_table(Database& database, int rows) {
  must(database.begin(Access::write));
  for (const auto& table : tables_of(database)) {
    run_sql(database, cat("DELETE FROM ", table.name));  // the agents of a new town
    std::string places;
    for (std::size_t i = 0; i < table.columns.size(); ++i) places += cat(i == 0 ? "$" : ", $", i + 1);
    const auto insert =
        Sql::kept(cat("INSERT INTO ", table.name, " (", join(names(table), ", "), ") VALUES (", places, ")"));
    for (int row = 0; row < rows; ++row) {
      std::vector<Value> values;
      for (std::size_t i = 0; i < table.columns.size(); ++i) values.push_back(value_of(table, i, row, rows));
      std::vector<Param> params;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].null)
          params.emplace_back(std::nullopt);
        else if (table.columns[i].is_text)
          params.emplace_back(values[i].text);
        else
          params.emplace_back(values[i].number);
      }
      must(database.execute(insert, params, {}));
    }
  }
  must(database.commit());
}

std::vector<std::string> all_rows(Database& database) {
  std::vector<std::string> out;
  for (const auto& table : tables_of(database)) {
    std::vector<std::string> key;
    for (int place = 1; place <= 2; ++place)
      for (const auto& column : table.columns)
        if (column.key == place) key.push_back(column.name);
    must(database.run(
        Sql::kept(cat("SELECT ", join(names(table), ", "), " FROM ", table.name, " ORDER BY ", join(key, ", "))), {},
        [&](const Row& row) {
          std::string line = cat(table.name, ":");
          for (std::size_t i = 0; i < table.columns.size(); ++i)
            line += cat(" ", shown(row, table.columns[i], static_cast<int>(i)));
          out.push_back(std::move(line));
          return Next::go_on;
        }));
  }
  return out;
}

void run_sql(Database& database, const std::string& sql) { must(database.run(Sql::kept(sql))); }

std::int64_t number_from(Database& database, const std::string& sql) {
  std::int64_t out = 0;
  must(database.run(Sql::kept(sql), {}, [&](const Row& row) {
    out = row.integer(0);
    return Next::stop;
  }));
  return out;
}

}  // namespace townpost
