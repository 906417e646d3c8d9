#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shown.h"
#include "cli/screen.h"

namespace townpost {

/// One column of a table as it is drawn.
struct TableColumn {
  enum class Align { left, right };
  /// What happens to it where the screen is too narrow.
  enum class Room {
    all,    ///< it is never shortened: ids, numbers, states
    less,   ///< it is shortened when nothing else helps: names
    first,  ///< it is shortened first: subjects, descriptions
  };
  std::string heading;
  Align align = Align::left;
  Room room = Room::all;
  std::size_t least = 0;  ///< it is never narrower than that
};

/// What stands in a row's column; one line, whatever is in it.
struct Cell {
  std::string text;
  std::optional<Stress> stress = std::nullopt;
};

/// Cells behind each other with one space between them, for programs: what is empty is left out.
Shown packed(const std::vector<Cell>& row);

/// Rows under headings, aligned by what is seen: each line has the same columns, whatever letters stand in them. A
/// column in which nothing stands is left out, and so are headings where only one is left. It fits the screen unless
/// what is never shortened does not.
class Table {
 public:
  enum class Headings { none, shown };
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns.
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }

  /// Whether what is never shortened has room enough.
  bool fits(const Screen& screen, std::size_t indent = 0) const;

  /// Each line behind `indent` spaces.
  Shown drawn(const Screen& screen, Headings headings = Headings::shown, std::size_t indent = 0) const;

 private:
  std::vector<std::size_t> widths(const Screen& screen, Headings& headings, std::size_t indent) const;
  std::vector<TableColumn> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace townpost
