#include "cli/list.h"

#include <algorithm>
#include <array>

#include "base/display_width.h"
#include "base/local_time.h"
#include "base/text.h"
#include "cli/agent_words.h"
#include "cli/render.h"
#include "cli/render_text.h"
#include "cli/spell.h"

namespace townpost {

namespace {

using As = Column::As;
/// A nudge may be long, and a list of them is read by whoever pays for each word.
constexpr std::size_t kPipeWords = 80;
using Align = TableColumn::Align;
using Room = TableColumn::Room;

const Shape& shape_of(const Shape& list, std::string_view key) {
  static const Shape anything;
  const auto& item = list.kind() == Shape::Kind::one_of ? list.alternatives().back().item() : list.item();
  const auto& fields = item.fields();
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.key == key; });
  return found == fields.end() ? anything : found->shape;
}

std::string upper_words(std::string_view key) {
  std::string out(key);
  for (char& letter : out) letter = letter == '_' ? ' ' : static_cast<char>(std::toupper(letter));
  return out;
}

TableColumn drawn_as(const Column& column, const Shape& shape) {
  TableColumn out{.heading = column.heading.empty() ? upper_words(column.key) : std::string(column.heading)};
  switch (column.as) {
    case As::position:
      out.heading = "#";
      out.align = Align::right;
      break;
    case As::age:
      out.align = Align::right;
      break;
    case As::address:
    case As::standings:
    case As::note:
      out.room = Room::less;
      break;
    case As::prose:
      out.room = Room::first;
      break;
    case As::value:
      if (shape.kind() == Shape::Kind::integer || shape.kind() == Shape::Kind::number) out.align = Align::right;
      break;
    case As::id:
    case As::state:
    case As::agent:
      break;
    case As::mark:
      out.heading = column.heading;
      break;
  }
  return out;
}

/// "max read, ada delivered"; of more than two "2 read, 38 delivered".
std::string standings_of(const JsonObject& mail, const Screen& screen) {
  const auto& recipients = mail.at("recipients").get_array();
  if (recipients.empty()) return list_of(mail, "to");
  std::vector<std::string> words;
  if (recipients.size() <= 2) {
    for (const auto& recipient : recipients)
      words.push_back(cat(name_of(text_of(recipient.get_object(), "address"), screen), " ",
                          text_of(recipient.get_object(), "state")));
    return join(words, ", ");
  }
  std::vector<std::pair<std::string, int>> counts;
  for (const auto& recipient : recipients) {
    const auto state = text_of(recipient.get_object(), "state");
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == state; });
    if (known == counts.end())
      counts.emplace_back(state, 1);
    else
      ++known->second;
  }
  for (const auto& [state, many] : counts) words.push_back(cat(many, " ", state));
  return join(words, ", ");
}

std::string names_of(const Json& value, const Screen& screen) {
  if (!value.is_array()) return name_of(text_of(value), screen);
  std::vector<std::string> out;
  for (const auto& one : value.get_array()) out.push_back(name_of(text_of(one), screen));
  return join(out, ", ");
}

/// A value as its shape says. What is nothing, zero or no is not worth a place.
std::string value_of(const Json& value, const Shape& shape, const Screen& screen) {
  if (value.is_null()) return "";
  if (value.is_bool()) return value.get_bool() ? "yes" : "no";
  if (shape.kind() == Shape::Kind::instant) {
    const auto at = parse_instant(text_of(value));
    return at ? local_moment(*at, screen.now) : text_of(value);
  }
  if (!value.is_array()) return text_of(value);
  std::vector<std::string> out;
  for (const auto& one : value.get_array()) out.push_back(text_of(one));
  return join(out, ", ");
}

/// By whoever looks: of what is sent, and of what others have, it is said what they have read.
bool is_unread(const JsonObject& row) {
  return row.contains("read") && !flag_of(row, "read") && !row.contains("recipients") && !row.contains("copy_of");
}

std::string age_at(const Json& value, const Screen& screen) {
  const auto at = parse_instant(text_of(value));
  return at ? age(screen.now - *at) : "";
}

Cell cell_of(const Column& column, const Shape& shape, const JsonObject& row, std::size_t position,
             const Screen& screen) {
  const auto* value =
      column.key.empty() ? nullptr : row.if_contains(boost::json::string_view(column.key.data(), column.key.size()));
  const bool unread = is_unread(row);
  switch (column.as) {
    case As::position:
      return {std::to_string(position), Stress::dim};
    case As::mark:
      if (column.key == "overdue") return {flag_of(row, "overdue") ? "OVERDUE" : "", Stress::red};
      if (!column.key.empty()) return {text_of(row, "priority") == "urgent" ? "!" : "", Stress::red};
      return {mark_of(row), number_of(row, "priority_level") == 0 ? std::optional(Stress::red) : std::nullopt};
    case As::note:
      return {note_of(row, screen), Stress::dim};
    case As::standings:
      return {cat(screen.terminal ? "" : "→ ", standings_of(row, screen))};
    default:
      break;
  }
  if (!value || value->is_null()) return {};
  switch (column.as) {
    case As::id:
      return {text_of(*value), Stress::dim};
    case As::address:
      return {names_of(*value, screen)};
    case As::age:
      return {age_at(*value, screen)};
    case As::state:
      return {text_of(*value), stress_of_state(text_of(*value))};
    case As::agent:
      return {state_in_words(row), stress_of_state(state_in_words(row))};
    case As::prose:
      if (!screen.terminal && column.key == "message") return {shorten(text_of(*value), kPipeWords)};
      return {value_of(*value, Shape(), screen), unread ? std::optional(Stress::bold) : std::nullopt};
    default:
      return {value_of(*value, shape, screen)};
  }
}

std::vector<Column> for_reader(const std::vector<Column>& columns, const Screen& screen) {
  std::vector<Column> out;
  for (const auto& column : columns)
    if (column.whom != (screen.terminal ? Column::For::programs : Column::For::people)) out.push_back(column);
  return out;
}

std::vector<Cell> row_of(const JsonObject& row, std::size_t position, const Shape& list,
                         const std::vector<Column>& columns, const Screen& screen) {
  std::vector<Cell> out;
  out.reserve(columns.size());
  for (const auto& column : columns) out.push_back(cell_of(column, shape_of(list, column.key), row, position, screen));
  return out;
}

/// What the things of a list are called: the last word of their name.
std::string_view noun_of(const Shape& list) {
  const auto& item = list.kind() == Shape::Kind::one_of ? list.alternatives().back().item() : list.item();
  const auto name = item.name();
  return name.empty() ? "row" : name.substr(name.rfind('_') + 1);
}

/// "12 messages, 2 unread", "4 of 12 messages": how many of the others are unread is not known here.
std::string count_of(const JsonArray& rows, const CommandLine& line, const Answer& answer) {
  const auto size = static_cast<std::int64_t>(rows.size());
  const auto total = answer.extent ? std::max(answer.extent->total, size) : size;
  const auto noun = line.op->list.noun.empty() ? noun_of(line.op->result()) : line.op->list.noun;
  if (total > size) return cat(size, " of ", counted(total, noun));
  auto out = counted(size, noun);
  const auto unread =
      std::count_if(rows.begin(), rows.end(), [](const Json& row) { return is_unread(row.get_object()); });
  return unread > 0 ? cat(out, ", ", unread, " unread") : out;
}

}  // namespace

std::string name_of(std::string_view address, const Screen& screen) {
  return screen.short_name ? screen.short_name(address) : std::string(address);
}

std::string counted(std::int64_t many, std::string_view one) {
  if (many == 1) return cat(many, " ", one);
  if (one.ends_with("y")) return cat(many, " ", one.substr(0, one.size() - 1), "ies");
  return cat(many, " ", one, one.ends_with("s") ? "es" : "s");
}

std::optional<Stress> stress_of_state(std::string_view state) {
  constexpr std::array<std::string_view, 8> kNeedSomebody = {"blocked", "stalled", "dead",  "deaf",
                                                             "failed",  "expired", "wrong", "missing"};
  constexpr std::array<std::string_view, 6> kAtWork = {"running", "active", "idle", "delivered", "good", "fine"};
  constexpr std::array<std::string_view, 6> kWait = {"waiting", "queued", "held", "paused", "doubtful", "starting"};
  const auto is_in = [&](const auto& list) { return std::find(list.begin(), list.end(), state) != list.end(); };
  if (is_in(kNeedSomebody)) return Stress::red;
  if (is_in(kAtWork)) return Stress::green;
  if (is_in(kWait)) return Stress::yellow;
  return std::nullopt;
}

std::string mark_of(const JsonObject& mail) {
  const auto level = number_of(mail, "priority_level");
  return cat(is_unread(mail) ? "●" : " ", level == 0 ? "!" : level == 1 ? "↑" : "");
}

/// "by today 14:02", "overdue 3h"; nothing if no answer is owed.
std::string deadline_of(const JsonObject& mail, const Screen& screen) {
  const auto by = parse_instant(text_of(mail, "reply_by"));
  if (!by || !text_of(mail, "acked_at").empty()) return "";
  return *by < screen.now ? cat("overdue ", age(screen.now - *by)) : cat("by ", local_moment(*by, screen.now));
}

std::string note_of(const JsonObject& mail, const Screen& screen) {
  std::vector<std::string> out;
  if (auto deadline = deadline_of(mail, screen); !deadline.empty()) out.push_back(std::move(deadline));
  // People see a mark for these.
  if (!screen.terminal && is_unread(mail)) out.emplace_back("unread");
  if (!screen.terminal && number_of(mail, "priority_level") == 0) out.emplace_back("urgent");
  if (flag_of(mail, "ack_required") && text_of(mail, "acked_at").empty()) out.emplace_back("ack");
  if (flag_of(mail, "pinned")) out.emplace_back("pinned");
  if (const auto rule = text_of(mail, "held_by"); !rule.empty()) out.push_back(cat("held by ", rule));
  if (flag_of(mail, "for_previous_holder"))
    out.push_back(cat("for the previous holder (bead ", text_of(mail, "bead"), ")"));
  const auto note = join(out, " · ");
  return note.empty() || screen.terminal ? note : cat("[", note, "]");
}

Table table_of(const JsonArray& rows, const Shape& list, const std::vector<Column>& columns, const Screen& screen) {
  const auto mine = for_reader(columns, screen);
  std::vector<TableColumn> drawn;
  for (const auto& column : mine) {
    drawn.push_back(drawn_as(column, shape_of(list, column.key)));
    if (column.as != As::note) continue;
    for (const auto& row : rows)  // a deadline stays whole, and a sign that there is more
      if (const auto deadline = display_width(deadline_of(row.get_object(), screen)); deadline > 0)
        drawn.back().least = std::max(drawn.back().least, deadline + 1);
  }
  Table out(std::move(drawn));
  std::size_t position = 0;
  for (const auto& row : rows) out.add(row_of(row.get_object(), ++position, list, mine, screen));
  return out;
}

Shown render_list(const CommandLine& line, const Answer& answer, const Screen& screen) {
  const auto& op = *line.op;
  const auto& rows = answer.json.get_array();
  const auto list = op.result();
  if (rows.empty()) return screen.terminal ? shown(spelled(op.list.none), "\n") : Shown();
  if (!screen.terminal && is_shown_in_rows(op)) {
    auto many = rows.size();
    if (!line.args.contains("limit")) many = std::min(many, kPipeRows);
    const auto mine = for_reader(op.columns, screen);
    Shown out;
    for (std::size_t i = 0; i < many; ++i) out += packed(row_of(rows[i].get_object(), i + 1, list, mine, screen));
    if (const auto more = how_it_goes_on(line, answer, many); !more.empty()) out += shown("+", more, "\n");
    return out;
  }
  auto out = table_of(rows, list, op.columns, screen).drawn(screen);
  if (!screen.terminal) return out;
  auto foot = count_of(rows, line, answer);
  if (const auto more = how_it_goes_on(line, answer, rows.size()); !more.empty()) foot += cat(" · +", more);
  // Who may not read what is listed is not told to.
  const bool may_read =
      !(op.list.next.call && op.list.next.call->op == "mail.read") || rows.front().get_object().contains("body");
  const auto next = may_read ? spelled(op.list.next) : std::string();
  if (!next.empty()) foot += cat(" · ", next, line.as ? cat(" --as ", *line.as) : "");
  return shown(out, dim(foot, screen), "\n");
}

}  // namespace townpost
