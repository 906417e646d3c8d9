#include "cli/text_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/display_width.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::size_t kGap = 2;
/// How far columns give way, one kind after the other: a subject shall be readable before a name is whole, and each
/// keeps so much that it can still be told apart.
struct Stage {
  TableColumn::Room room;
  std::size_t least;
};
constexpr Stage kStages[] = {{TableColumn::Room::first, 40}, {TableColumn::Room::less, 20},
                             {TableColumn::Room::first, 24}, {TableColumn::Room::less, 12},
                             {TableColumn::Room::first, 12}, {TableColumn::Room::less, 6},
                             {TableColumn::Room::first, 6}};

using Widths = std::vector<std::size_t>;

/// Takes `excess` columns from those of one kind, the widest first; what is left of it.
std::size_t narrow(Widths& widths, const std::vector<TableColumn>& columns, TableColumn::Room room, std::size_t least,
                   std::size_t excess) {
  while (excess > 0) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns[i].room == room && widths[i] > std::max(least, columns[i].least) && (!widest || widths[i] > *widest))
        widest = &widths[i];
    if (!widest) break;
    --*widest;
    --excess;
  }
  return excess;
}

void fit(Widths& widths, const std::vector<TableColumn>& columns, std::size_t total) {
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (columns[i].room != TableColumn::Room::all) widths[i] = std::min(widths[i], total);
  std::size_t used = 0;
  for (const auto width : widths) used += width == 0 ? 0 : width + (used > 0 ? kGap : 0);
  if (used <= total) return;
  auto excess = used - total;
  for (const auto& [room, least] : kStages) excess = narrow(widths, columns, room, least, excess);
}

/// Of an address or a path the end tells most.
std::string fitted(std::string_view text, TableColumn::Room room, std::size_t width) {
  const bool is_path = room == TableColumn::Room::less && text.find('/') != std::string_view::npos;
  return is_path ? fit_end_into(text, width) : fit_into(text, width);
}

/// With single spaces: a gap inside a cell would look like the end of its column.
std::string without_gaps(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || !out.ends_with(' ')) out += c;
  return out;
}

Shown spaces(std::size_t many) { return std::string(many, ' '); }

}  // namespace

void Table::add(std::vector<Cell> row) {
  CHECK(row.size() == columns_.size());
  for (auto& cell : row) cell.text = without_gaps(for_terminal_line(cell.text));
  rows_.push_back(std::move(row));
}

Shown packed(const std::vector<Cell>& row) {
  std::string out;
  for (const auto& cell : row) {
    const auto line = without_gaps(one_line(cell.text));
    if (const auto text = trim(line); !text.empty()) out += cat(out.empty() ? "" : " ", text);
  }
  return Shown::line(out);
}

Widths Table::widths(const Screen& screen, Headings& headings, std::size_t indent) const {
  Widths widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i].text));
  // A single column says itself what it is.
  if (std::count_if(widths.begin(), widths.end(), [](auto width) { return width > 0; }) < 2) headings = Headings::none;
  if (headings == Headings::shown)
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > 0) widths[i] = std::max(widths[i], display_width(columns_[i].heading));
  if (screen.width > 0) fit(widths, columns_, screen.width > indent ? screen.width - indent : 1);
  return widths;
}

bool Table::fits(const Screen& screen, std::size_t indent) const {
  auto headings = Headings::shown;
  std::size_t used = 0;
  for (const auto width : widths(screen, headings, indent)) used += width == 0 ? 0 : width + (used > 0 ? kGap : 0);
  return screen.width == 0 || indent + used <= screen.width;
}

Shown Table::drawn(const Screen& screen, Headings headings, std::size_t indent) const {
  const auto widths = this->widths(screen, headings, indent);
  const auto last = static_cast<std::size_t>(
      std::find_if(widths.rbegin(), widths.rend(), [](auto width) { return width > 0; }).base() - widths.begin());
  const auto line = [&](auto text_of, auto stress_of) {
    Shown out = spaces(indent);
    std::size_t owed = 0;  // spaces that are written only if something follows
    bool first = true;
    for (std::size_t i = 0; i < last; ++i) {
      if (widths[i] == 0) continue;
      owed += first ? 0 : kGap;
      first = false;
      const auto text = fitted(text_of(i), columns_[i].room, widths[i]);
      const auto missing = widths[i] - display_width(text);
      const bool right = columns_[i].align == TableColumn::Align::right;
      if (right) owed += missing;
      if (!text.empty()) {
        out += spaces(std::exchange(owed, 0));
        const auto stress = stress_of(i);
        out += in_its_place(text, screen.colour && stress ? Shown::stressed(text, *stress) : Shown(text), screen);
      }
      if (!right) owed += missing;
    }
    return shown(out, "\n");
  };
  Shown out;
  if (headings == Headings::shown && !rows_.empty())
    out += line([&](std::size_t i) -> std::string_view { return columns_[i].heading; },
                [](std::size_t) -> std::optional<Stress> { return Stress::dim; });
  for (const auto& row : rows_)
    out += line([&](std::size_t i) -> std::string_view { return row[i].text; },
                [&](std::size_t i) { return row[i].stress; });
  return out;
}

}  // namespace townpost
