#include "cli/card.h"

#include <algorithm>

#include "base/display_width.h"
#include "base/local_time.h"
#include "base/text.h"
#include "cli/agent_words.h"
#include "cli/list.h"
#include "cli/render_text.h"

namespace townpost {

namespace {

std::string label_of(std::string_view key) {
  if (key == "id") return "ID";
  if (key.ends_with("_at")) key.remove_suffix(3);
  std::string out(key);
  std::replace(out.begin(), out.end(), '_', ' ');
  if (!out.empty()) out.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(out.front())));
  return out;
}

bool is_list_of_objects(const Json& value) {
  return value.is_array() && !value.get_array().empty() && value.get_array().front().is_object();
}

std::string said_of(const Json& value, const Shape& shape, const Screen& screen) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "";
    case boost::json::kind::bool_:
      return value.get_bool() ? "yes" : "";
    case boost::json::kind::string: {
      const auto at = shape.kind() == Shape::Kind::instant ? parse_instant(text_of(value)) : std::nullopt;
      return at ? local_moment(*at, screen.now) : said(value, screen);
    }
    case boost::json::kind::array: {
      std::vector<std::string> out;
      for (const auto& one : value.get_array()) out.push_back(said_of(one, Shape(), screen));
      return join(out, ", ");
    }
    case boost::json::kind::object: {
      std::vector<std::string> out;
      for (const auto& [key, one] : value.get_object())
        if (auto text = said_of(one, Shape(), screen); !text.empty())
          out.push_back(cat(std::string_view(key), " ", text));
      return join(out, ", ");
    }
    default:
      return text_of(value);
  }
}

/// The same where the screen is too narrow for columns: a line for each key.
Shown cards_below(const Json& value, const Field& field, const Screen& screen) {
  Shown out;
  for (const auto& one : value.get_array()) {
    CardLines lines;
    for (const auto& key : field.shape.item().fields()) {
      const auto* part = one.get_object().if_contains(boost::json::string_view(key.key.data(), key.key.size()));
      if (is_agent_state(key.shape))
        lines.emplace_back(label_of(key.key), state_in_words(one.get_object()));
      else if (part)
        lines.emplace_back(label_of(key.key), said_of(*part, key.shape, screen));
    }
    out += shown(out.empty() ? "" : "\n", card(lines, screen, 2));
  }
  return out;
}

/// A list of objects inside of another: every key is a column.
Shown table_below(const Json& value, const Field& field, const Screen& screen) {
  std::vector<Column> columns;
  for (const auto& key : field.shape.item().fields()) {
    const bool is_id = key.key == "id";
    columns.emplace_back(key.key, is_id ? Column::As::id : Column::As::value);
    if (key.key == "subject" || key.key == "detail") columns.back().as = Column::As::prose;
    if (key.key == "state") columns.back().as = is_agent_state(key.shape) ? Column::As::agent : Column::As::state;
  }
  const auto table = table_of(value.get_array(), field.shape, columns, screen);
  return table.fits(screen, 2) ? table.drawn(screen, Table::Headings::shown, 2) : cards_below(value, field, screen);
}

}  // namespace

Shown card(const CardLines& lines, const Screen& screen, std::size_t indent) {
  std::size_t widest = 0;
  for (const auto& [label, text] : lines)
    if (!text.empty()) widest = std::max(widest, display_width(label));
  Shown out;
  for (const auto& [label, text] : lines) {
    if (text.empty()) continue;
    const std::string gap(widest - display_width(label) + 1, ' ');
    out += shown(std::string(indent, ' '), dim(cat(label, ":"), screen), gap, one_line(text), "\n");
  }
  return out;
}

Shown card_of(const JsonObject& object, const Shape& shape, const Screen& screen,
              const std::vector<std::string_view>& without) {
  CardLines lines;
  Shown below;
  for (const auto& field : shape.fields()) {
    if (std::find(without.begin(), without.end(), field.key) != without.end()) continue;
    const auto* value = object.if_contains(boost::json::string_view(field.key.data(), field.key.size()));
    if (is_agent_state(field.shape)) lines.emplace_back(label_of(field.key), state_in_words(object));
    if (!value || is_agent_state(field.shape)) continue;
    if (is_list_of_objects(*value))
      below += shown("\n", bold(label_of(field.key), screen), "\n", table_below(*value, field, screen));
    else
      lines.emplace_back(label_of(field.key), field.key == "bytes" && value->is_int64()
                                                  ? in_units(value->get_int64())
                                                  : said_of(*value, field.shape, screen));
  }
  return shown(card(lines, screen), below);
}

std::string in_units(std::int64_t bytes) {
  if (bytes < 1024) return counted(bytes, "byte");
  if (bytes < 1024 * 1024) return cat(bytes / 1024, " KiB");
  return cat(bytes / (1024 * 1024), ".", bytes % (1024 * 1024) * 10 / (1024 * 1024), " MiB");
}

}  // namespace townpost
