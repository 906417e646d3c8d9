#include "protocol/build_input.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "protocol/values.h"

namespace townpost::protocol {

namespace {

std::string in_marks(std::string_view text) { return cat('"', for_terminal_line(shorten(to_utf8(text), 60)), '"'); }

/// What keeps a text from surviving in one line, or nothing.
std::string_view line_fault(std::string_view text) {
  if (!is_utf8(text)) return "it is not UTF-8";
  if (text.find_first_of("\r\n") != std::string_view::npos) return "a line break would not survive in a one-line field";
  if (trim(text) != text) return "white space at its ends would not survive";
  return {};
}

/// A line that would end the section it stands in.
bool ends_a_section(std::string_view line) {
  if (line.starts_with("##")) return !line.starts_with("###");
  return line == "#" || line.starts_with("# ") || line.starts_with("#\t") || line.starts_with("#\r");
}

std::string_view paragraph_fault(std::string_view text) {
  if (!is_utf8(text)) return "it is not UTF-8";
  if (text.find("\r\n") != std::string_view::npos) return "CRLF would not survive; end lines with LF";
  if (trim(text) != text) return "white space at its ends would not survive";
  return {};
}

std::string_view section_fault(std::string_view text) {
  for (const auto line : split(text, '\n'))
    if (ends_a_section(line)) return "a heading (# or ## at a line start) would end the section";
  return paragraph_fault(text);
}

std::string_view item_fault(std::string_view item) {
  if (item.find(',') != std::string_view::npos) return "a comma in an item would make two of it";
  if (item.empty()) return "an item is empty";
  return line_fault(item);
}

/// One value as its kind has it; a fault is noted. Nothing, without a fault, if it is empty.
class Taker {
 public:
  explicit Taker(std::string& fault) : fault_(fault) {}

  std::optional<Json> take(const Field& field, const Json& given) {
    if (given.is_null()) return std::nullopt;
    switch (field.kind) {
      case Kind::integer:
        return number(given, "whole number", read_integer);
      case Kind::percent:
        return percent(given);
      case Kind::flag:
        return flag(given);
      case Kind::list:
        return list(given);
      case Kind::text:
      case Kind::enumeration:
      case Kind::instant:
      case Kind::section:
        break;
    }
    const auto* text = given.if_string();
    if (text == nullptr) return refuse("it must be a text");
    const std::string_view value(*text);
    if (value.empty()) return std::nullopt;
    if (const auto fault = field.is_section() ? section_fault(value) : line_fault(value); !fault.empty())
      return refuse(fault);
    if (!field.fixed.empty() && value != field.fixed) return refuse(cat("it is always ", field.fixed));
    if (field.kind == Kind::instant && !is_instant(value))
      return refuse(cat(in_marks(value), " is not an instant like 2026-01-31T10:30:00Z"));
    if (field.kind != Kind::enumeration) return Json(value);
    const std::string_view word = word_in(field.values, value);
    if (word.empty()) return refuse(cat(in_marks(value), " is none of ", field.values));
    return Json(word);
  }

 private:
  std::optional<Json> refuse(std::string_view why) {
    fault_ = why;
    return std::nullopt;
  }

  template <class Read>
  std::optional<Json> number(const Json& given, std::string_view what, Read read) {
    if (const auto* text = given.if_string()) {
      if (text->empty()) return std::nullopt;
      const auto value = read(*text);
      if (!value) return refuse(cat(in_marks(*text), " is not a ", what));
      return Json(*value);
    }
    boost::json::error_code error;
    const auto value = given.to_number<std::int64_t>(error);
    if (error) return refuse(cat("it must be a ", what));
    return Json(value);
  }

  std::optional<Json> percent(const Json& given) {
    constexpr std::string_view kWhat = "whole number from 0 to 100";
    auto value = number(given, kWhat, read_percent);
    if (value && (value->get_int64() < 0 || value->get_int64() > 100))
      return refuse(cat(value->get_int64(), " is not a ", kWhat));
    return value;
  }

  std::optional<Json> flag(const Json& given) {
    if (const auto* value = given.if_bool()) return Json(*value);
    const auto* text = given.if_string();
    if (text != nullptr && text->empty()) return std::nullopt;
    const auto value = text ? read_flag_word(*text) : std::nullopt;
    if (!value) return refuse("it must be true or false (or PASS YES OK, FAIL NO)");
    return Json(*value);
  }

  std::optional<Json> list(const Json& given) {
    JsonArray items;
    if (const auto* text = given.if_string()) {
      for_each_item(*text, [&items](std::string_view item) { items.emplace_back(item); });
    } else if (const auto* array = given.if_array()) {
      items = *array;
    } else {
      return refuse("it must be a list");
    }
    for (const Json& item : items) {
      const auto* text = item.if_string();
      if (text == nullptr) return refuse("its items must be texts");
      if (const auto fault = item_fault(*text); !fault.empty()) return refuse(fault);
    }
    if (items.empty()) return std::nullopt;
    return Json(std::move(items));
  }

  std::string& fault_;
};

/// By JSON key, else by label; `name` may be spelled with spaces and hyphens.
const Field* field_called(const ProtocolType& type, std::string_view name) {
  const std::string key = snake_case(name);
  if (const Field* field = type.field(key)) return field;
  for (const Field& field : type.fields)
    if (snake_case(field.label) == key) return &field;
  return nullptr;
}

std::string unknown_field(const ProtocolType& type, std::string_view name) {
  std::vector<std::string> known = {"topic", "text"};
  for (const Field& field : type.fields) known.emplace_back(field.key);
  const auto meant = nearest(name, known, 1);
  return cat(type.name, " has no field ", in_marks(name),
             meant.empty() ? cat("; it has ", join(known, ", ")) : cat("; did you mean ", meant[0], "?"));
}

/// `text` with every <key> replaced by that field, if it is there and a text.
std::string filled(std::string_view text, const JsonObject& fields) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('<'), text.size());
    out.append(text.substr(0, open));
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = text.find('>');
    const auto* value = close == std::string_view::npos ? nullptr : fields.if_contains(text.substr(1, close - 1));
    const bool known = value != nullptr && value->is_string();
    out.append(known ? std::string_view(value->get_string()) : text.substr(0, 1));
    text.remove_prefix(known ? close + 1 : 1);
  }
  return out;
}

}  // namespace

BuildInput input_of(const ProtocolType& type, const JsonObject& given) {
  BuildInput input;
  const auto fault = [&input](std::string_view key, std::string_view what) {
    input.faults.push_back(cat(key, ": ", what));
  };
  for (const auto& [given_key, value] : given) {
    const std::string_view key = given_key;
    if (key == "topic" || key == "text") {
      if (value.is_null()) continue;
      const auto* text = value.if_string();
      if (text == nullptr) {
        fault(key, "it must be a text");
        continue;
      }
      const auto why = key == "topic" ? line_fault(*text) : paragraph_fault(*text);
      if (!why.empty()) fault(key, why);
      (key == "topic" ? input.topic : input.text) = *text;
      continue;
    }
    const Field* field = field_called(type, key);
    if (field == nullptr) {
      input.faults.push_back(unknown_field(type, key));
      continue;
    }
    std::string why;
    auto taken = Taker(why).take(*field, value);
    if (!why.empty()) {
      fault(field->key, why);
    } else if (taken && !input.fields.emplace(field->key, std::move(*taken)).second) {
      fault(field->key, "it is given twice");
    }
  }
  return input;
}

void complete(const ProtocolType& type, BuildInput& input) {
  JsonObject& fields = input.fields;
  for (const Field& field : type.fields)
    if (!field.fixed.empty()) fields[field.key] = field.fixed;
  if (type.field("issue_id") && !fields.contains("issue_id") && fields.contains("bead_id"))
    fields["issue_id"] = fields["bead_id"];
  if (input.topic.empty() && !type.topic_from.empty())
    if (const auto* value = fields.if_contains(type.topic_from); value && value->is_string())
      input.topic = value->get_string();
  if (input.text.empty()) input.text = filled(type.text, fields);
}

}  // namespace townpost::protocol
