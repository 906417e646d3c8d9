#include "protocol/parsed.h"

#include "protocol/values.h"

namespace townpost::protocol {

const Parsed::Value* Parsed::find(std::string_view key) const {
  if (type_ == nullptr) return nullptr;
  for (std::size_t i = 0; i < type_->fields.size(); ++i)
    if (type_->fields[i].key == key) return values_[i].state == State::found ? &values_[i] : nullptr;
  return nullptr;
}

bool Parsed::has(std::string_view key) const { return find(key) != nullptr; }

std::string_view Parsed::value(std::string_view key) const {
  const Value* value = find(key);
  return value ? text_of(*value) : std::string_view();
}

std::optional<std::int64_t> Parsed::number(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const Kind kind = type_->field(key)->kind;
  if (kind != Kind::integer && kind != Kind::percent) return std::nullopt;
  return value->number;
}

std::optional<bool> Parsed::flag(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr || type_->field(key)->kind != Kind::flag) return std::nullopt;
  return value->number != 0;
}

std::vector<std::string_view> Parsed::list(std::string_view key) const {
  std::vector<std::string_view> out;
  if (const Value* value = find(key))
    for (std::size_t i = 0; i < value->items; ++i) out.push_back(at(items_[value->first_item + i]));
  return out;
}

std::string_view Parsed::bead_id() const {
  if (bead_ >= values_.size() || values_[bead_].state != State::found) return {};
  return at(values_[bead_].text);
}

std::string_view Parsed::rig() const {
  if (const Value* value = find("rig")) return text_of(*value);
  // "rig/name"; a bare name says nothing about its rig.
  for (const std::string_view polecat : {value("polecat"), type_ && type_->field("polecat") ? topic() : ""})
    if (const std::size_t slash = polecat.find('/'); slash != std::string_view::npos) return polecat.substr(0, slash);
  return {};
}

std::string_view Parsed::thread() const {
  if (type_ == nullptr || type_->dialect != Dialect::agent_mail) return {};
  const std::string_view issue = issue_id();
  const std::string_view bead = issue.empty() ? bead_id() : issue;
  return is_thread_name(bead) ? bead : std::string_view();
}

Json Parsed::json_of(const Field& field, const Value& value) const {
  switch (field.kind) {
    case Kind::integer:
    case Kind::percent:
      return value.number;
    case Kind::flag:
      return value.number != 0;
    case Kind::list: {
      JsonArray items;
      items.reserve(value.items);
      for (std::size_t i = 0; i < value.items; ++i) items.emplace_back(at(items_[value.first_item + i]));
      return items;
    }
    case Kind::text:
    case Kind::enumeration:
    case Kind::instant:
    case Kind::section:
      break;
  }
  return Json(text_of(value));
}

void Parsed::add_fields(JsonObject& out) const {
  if (type_ == nullptr) return;
  for (std::size_t i = 0; i < type_->fields.size(); ++i)
    if (values_[i].state == State::found) out.emplace(type_->fields[i].key, json_of(type_->fields[i], values_[i]));
}

JsonObject Parsed::fields() const {
  JsonObject out;
  out.reserve(values_.size());
  add_fields(out);
  return out;
}

JsonObject Parsed::json() const {
  constexpr std::size_t kOthers = 3;  // rig, topic, text
  JsonObject out;
  out.reserve(values_.size() + kOthers);
  const auto add = [&out](std::string_view key, std::string_view value) {
    if (!value.empty()) out.emplace(key, value);
  };
  if (!has("bead_id")) add("bead_id", bead_id());
  add_fields(out);
  if (!has("rig")) add("rig", rig());
  add("topic", topic());
  add("text", text());
  return out;
}

}  // namespace townpost::protocol
