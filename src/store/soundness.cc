#include "store/soundness.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "post/values/address.h"
#include "store/stored_tables.h"

namespace townpost {

namespace {

constexpr std::size_t kMostTold = 20;

bool is_address(const StoredColumn& column) { return column.name == "address"; }

/// What is wrong with one value; nothing if it may stand there.
std::optional<std::string> fault(const Row& row, int at, const StoredColumn& column) {
  if (row.is_null(at)) return std::nullopt;  // whether it may be is the schema's to say
  if (column.text) {
    const auto text = row.text(at);
    if (!is_utf8(text) || text.find('\0') != std::string_view::npos) return "is not UTF-8";
    if (is_address(column) && !Address::parse(text))
      return cat("is \"", for_terminal_line(shorten(text, 40)), "\", which is not an address");
    return std::nullopt;
  }
  if (!row.is_integer(at)) return "is not a number";
  const auto number = row.integer(at);
  if (!column.range || (number >= column.range->least && number <= column.range->most)) return std::nullopt;
  return cat("is ", number);
}

/// "message 17", by its key.
std::string named(const Row& row, const StoredTable& table) {
  const auto& columns = table.columns;
  std::string out = table.name;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int at = static_cast<int>(i);
    if (!columns[i].key) continue;
    out += columns[i].text || !row.is_integer(at) ? cat(" ", for_terminal_line(shorten(row.words(at), 60)))
                                                  : cat(" ", row.integer(at));
  }
  return out;
}

/// A table with its statements. SQLite hands over row by row and believes anything, so all of it is read. A server
/// knows its types, so it only sends what is out of range.
struct Inspected {
  const StoredTable* table;
  Sql every_row;
  Sql suspects;

  static Inspected of(const StoredTable& table) {
    std::vector<std::string> names, out_of_range;
    for (const auto& column : table.columns) {
      names.push_back(column.name);
      if (column.range)
        out_of_range.push_back(cat(column.name, " NOT BETWEEN ", column.range->least, " AND ", column.range->most));
    }
    const std::string all = cat("SELECT ", join(names, ", "), " FROM ", table.name);
    const bool read_all = out_of_range.empty() || std::any_of(table.columns.begin(), table.columns.end(), is_address);
    const auto every_row = Sql::kept(all);
    return {&table, every_row, read_all ? every_row : Sql::kept(cat(all, " WHERE ", join(out_of_range, " OR ")))};
  }
};

const std::vector<Inspected>& inspected_tables() {
  static const std::vector<Inspected> kTables = [] {
    std::vector<Inspected> out;
    for (const auto& table : stored_tables()) out.push_back(Inspected::of(table));
    return out;
  }();
  return kTables;
}

}  // namespace

Result<std::vector<std::string>> damaged_values(Database& database) {
  std::vector<std::string> told;
  std::size_t more = 0;
  for (const auto& inspected : inspected_tables()) {
    const auto& columns = inspected.table->columns;
    const auto sql = database.dialect() == Dialect::sqlite ? inspected.every_row : inspected.suspects;
    TRY_VOID(database.run(sql, {}, [&](const Row& row) {
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (const auto wrong = fault(row, static_cast<int>(i), columns[i])) {
          if (told.size() < kMostTold)
            told.push_back(cat(named(row, *inspected.table), ": ", columns[i].name, " ", *wrong));
          else
            ++more;
        }
      return Next::go_on;
    }));
  }
  if (more > 0) told.push_back(cat("and ", more, " more values like these"));
  return told;
}

}  // namespace townpost
