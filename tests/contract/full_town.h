#pragma once
#include <string>
#include <vector>

#include "store/db/database.h"

namespace townpost {

/// A column as the store itself describes it.
struct ColumnFacts {
  std::string name;
  bool is_text = false;
  bool may_be_null = false;
  int key = 0;  ///< its place in the primary key, from 1; 0: not part of it
};
struct TableFacts {
  std::string name;
  std::vector<ColumnFacts> columns;
};

/// Every table that holds a town's state, by name: all but those of the search index and the store's own.
std::vector<TableFacts> tables_of(Database& database);

/// Puts `rows` rows into every table of an empty town: NULL wherever it is allowed, empty texts, the corners of UTF-8,
/// a few bodies of a megabyte, the smallest and the largest numbers.
void fill_every_table(Database& database, int rows);

/// Every row of every table, in the order of its key; long texts by their digest.
std::vector<std::string> all_rows(Database& database);

/// Statements that must do what they say.
void run_sql(Database& database, const std::string& sql);
std::int64_t number_from(Database& database, const std::string& sql);

}  // namespace townpost
