#include "store/soundness.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "post/values/agent.h"
#include "post/values/nudge.h"
#include "post/values/presence.h"
#include "post/values/queue.h"
#include "store/copy.h"

namespace townpost {

namespace {

constexpr std::size_t kMostTold = 20;

struct Range {
  std::string_view column;  ///< "table.column", or ".column" in every table
  std::int64_t least;
  std::int64_t most;
};

template <class Enum>
constexpr Range one_of(std::string_view column, Enum) {
  return {column, 0, static_cast<std::int64_t>(last_value(Enum{}))};
}
constexpr Range yes_or_no(std::string_view column) { return {column, 0, 1}; }
constexpr Range a_count(std::string_view column) { return {column, 0, INT32_MAX}; }

constexpr Range kRanges[] = {
    one_of("message.grade", Grade{}),
    one_of("message.priority", Priority{}),
    one_of("message.type", MessageType{}),
    one_of("delivery.priority", Priority{}),
    one_of("agent.start_on", StartOn{}),
    one_of("queue.sorting", QueueOrder{}),
    one_of("queue.state", QueueState{}),
    one_of("queue_item.state", ItemState{}),
    one_of("nudge.state", NudgeState{}),
    one_of("nudge.mode", NudgeMode{}),
    one_of("nudge.source", NudgeSource{}),
    one_of("nudge.kind", NudgeKind{}),
    one_of("nudge.grade", Grade{}),
    one_of("presence.state", AgentState{}),
    yes_or_no(".ack_required"),
    yes_or_no(".wisp"),
    yes_or_no(".is_copy"),
    yes_or_no(".pinned"),
    yes_or_no(".closed"),
    yes_or_no(".wake"),
    yes_or_no(".urgent"),
    yes_or_no(".ephemeral"),
    yes_or_no(".forced"),
    yes_or_no(".tool_running"),
    yes_or_no(".supervised"),
    yes_or_no(".by_agent"),
    a_count(".hops"),
    a_count(".attempts"),
    a_count(".shown_hops"),
    a_count(".warned"),
    a_count(".continuations"),
    a_count(".retain_count"),
    a_count(".max_concurrency"),
    a_count(".max_attempts"),
    a_count("delivery.place"),
    a_count("queue_item.rank"),
    a_count("presence.pid"),
};

/// Instants, and times of the town: their names say so.
bool is_time(std::string_view column) {
  constexpr std::string_view kEndings[] = {"_at", "_awake", "_until", "_since", "_ms", "_after", "_activity", "_by"};
  return column == "at" || column == "since" || column == "awake" ||
         std::any_of(std::begin(kEndings), std::end(kEndings), [&](auto end) { return column.ends_with(end); });
}

struct Column {
  std::string name;
  bool text = false;
  bool key = false;
  bool address = false;
  std::optional<Range> range;
};

std::vector<Column> columns_of(const CopiedTable& table) {
  std::vector<Column> out;
  for (const auto spec : split(table.columns, ' ')) {
    const auto colon = spec.find(':');
    Column column{
        .name = std::string(spec.substr(0, colon)), .text = spec[colon + 1] == 't', .key = spec.back() == '*'};
    column.address = column.name == "address";
    for (const auto& range : kRanges)
      if (range.column == cat(table.name, ".", column.name) || range.column == cat(".", column.name))
        column.range = range;
    if (!column.text && !column.range && is_time(column.name) &&
        cat(table.name, ".", column.name) != "subscription.since")
      column.range = Range{"", 0, Row::kFarthest};
    if (!column.text && column.key && !column.range) column.range = Range{"", 0, INT64_MAX};
    out.push_back(std::move(column));
  }
  return out;
}

/// What is wrong with one value; nothing if it may stand there.
std::optional<std::string> fault(const Row& row, int at, const Column& column) {
  if (row.is_null(at)) return std::nullopt;  // whether it may be is the schema's to say
  if (column.text) {
    const auto text = row.text(at);
    if (!is_utf8(text) || text.find('\0') != std::string_view::npos) return "is not UTF-8";
    if (column.address && !Address::parse(text))
      return cat("is \"", for_terminal_line(shorten(text, 40)), "\", which is no address");
    return std::nullopt;
  }
  if (!row.is_integer(at)) return "is not a number";
  const auto number = row.integer(at);
  if (!column.range || (number >= column.range->least && number <= column.range->most)) return std::nullopt;
  return cat("is ", number);
}

/// "message 17", by its key.
std::string named(const Row& row, const CopiedTable& table, const std::vector<Column>& columns) {
  std::string out(table.name);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int at = static_cast<int>(i);
    if (!columns[i].key) continue;
    out += columns[i].text || !row.is_integer(at) ? cat(" ", for_terminal_line(shorten(row.words(at), 60)))
                                                  : cat(" ", row.integer(at));
  }
  return out;
}

/// A table with its statements, which are kept for good: databases know statements by their address. SQLite hands over
/// row by row and believes anything, so all of it is read. A server knows its types, so it only sends what is out of
/// range.
struct Inspected {
  explicit Inspected(const CopiedTable& copied) : table(copied), columns(columns_of(copied)) {
    std::vector<std::string> names, out_of_range;
    bool all = false;
    for (const auto& column : columns) {
      names.push_back(column.name);
      all = all || column.address;
      if (column.range)
        out_of_range.push_back(cat(column.name, " NOT BETWEEN ", column.range->least, " AND ", column.range->most));
    }
    every_row = cat("SELECT ", join(names, ", "), " FROM ", table.name);
    suspects = all || out_of_range.empty() ? every_row : cat(every_row, " WHERE ", join(out_of_range, " OR "));
  }
  CopiedTable table;
  std::vector<Column> columns;
  std::string every_row;
  std::string suspects;
};

const std::vector<Inspected>& inspected_tables() {
  static const std::vector<Inspected> kTables(copied_tables().begin(), copied_tables().end());
  return kTables;
}

}  // namespace

Result<std::vector<std::string>> damaged_values(Database& database) {
  std::vector<std::string> told;
  std::size_t more = 0;
  for (const auto& [table, columns, every_row, suspects] : inspected_tables()) {
    const auto& sql = database.dialect() == Dialect::sqlite ? every_row : suspects;
    TRY_VOID(database.run(sql, {}, [&, &the_table = table, &the_columns = columns](const Row& row) {
      for (std::size_t i = 0; i < the_columns.size(); ++i)
        if (const auto wrong = fault(row, static_cast<int>(i), the_columns[i])) {
          if (told.size() < kMostTold)
            told.push_back(cat(named(row, the_table, the_columns), ": ", the_columns[i].name, " ", *wrong));
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
