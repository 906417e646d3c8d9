#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "ops/shape.h"

namespace townpost {

/// What stands under a key; nothing: the key is left out. Made of whatever a function of a list of keys returns.
struct Value : std::optional<Json> {
  using optional::optional;
  // NOLINTBEGIN(google-explicit-constructor): so that a function just returns what there is
  Value(std::string_view text) : optional(std::in_place, boost::json::string_view(text.data(), text.size())) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}
  Value(const char* text) : Value(std::string_view(text)) {}
  // NOLINTEND(google-explicit-constructor)
};

inline Value when(bool applies, Value value) { return applies ? std::move(value) : Value(); }
inline Value unless_empty(const std::string& text) { return when(!text.empty(), text); }
inline Value instant_of(const std::optional<Instant>& at) { return at ? Value(rfc3339(*at)) : Value(); }

/// One key of a view: what it looks like, and what is there.
template <class Seen>
struct ViewKey {
  Field field;
  Value (*value)(const Seen& seen);
};

/// Everything that is told of a value, in this order. Whoever adds a field adds its line to such a list: shape, schema,
/// reference and JSON follow.
template <class Seen>
class Keys {
 public:
  explicit Keys(std::vector<ViewKey<Seen>> list) : list_(std::move(list)) {}
  Shape shape(std::string_view name) const {
    std::vector<Field> fields;
    for (const auto& key : list_) fields.push_back(key.field);
    return shape::object(name, std::move(fields));
  }
  JsonObject json(const Seen& seen) const {
    JsonObject out;
    for (const auto& [field, value] : list_)
      if (auto it = value(seen))
        out.emplace(boost::json::string_view(field.key.data(), field.key.size()), *std::move(it));
    return out;
  }

 private:
  std::vector<ViewKey<Seen>> list_;
};

/// A key that only some operations add.
template <class Seen>
Value added_elsewhere(const Seen&) {
  return {};
}

}  // namespace townpost
