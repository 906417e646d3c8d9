#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace townpost {

struct Field;

/// What a JSON value looks like: the contract of an answer. Schemas, the reference and the text views are made from it,
/// and in builds with tests every answer is held against it. A value; copies share what never changes.
class Shape {
 public:
  enum class Kind { any, text, integer, number, flag, instant, null, choice, object, list, map, one_of };

  Shape() = default;  ///< anything
  Kind kind() const { return kind_; }
  /// What an object is, in one word: "message". Empty if it has no name of its own.
  std::string_view name() const { return name_; }
  const std::vector<std::string_view>& choices() const;
  const std::vector<Field>& fields() const;  ///< of an object, in the order of the answer
  const Shape& item() const;                 ///< of a list or a map
  const std::vector<Shape>& alternatives() const;

 private:
  friend struct ShapeWords;
  struct Parts;
  Kind kind_ = Kind::any;
  std::string_view name_;
  std::shared_ptr<const Parts> parts_;
};

/// One key of an object.
struct Field {
  std::string_view key;
  Shape shape;
  std::string_view help;
  bool always = true;  ///< else only where it applies
};

// The words that shapes are declared with.
namespace shape {
Shape anything();
Shape text();
Shape integer();
Shape number();
Shape flag();
Shape instant();  ///< RFC 3339
Shape choice(std::vector<std::string_view> words);
Shape object(std::string_view name, std::vector<Field> fields);
Shape list_of(Shape item);
Shape map_of(Shape value);  ///< an object whose keys are data
Shape one_of(std::vector<Shape> alternatives);
Shape or_null(Shape shape);
/// By this name front ends know how to show it.
Shape named(std::string_view name, Shape shape);
/// The same object with more fields, as a thing of its own.
Shape with(std::string_view name, const Shape& object, std::vector<Field> more);
/// The same object, where these are never left out.
Shape requiring(std::string_view name, const Shape& object, std::vector<std::string_view> keys);
Field always(std::string_view key, Shape shape, std::string_view help = {});
Field maybe(std::string_view key, Shape shape, std::string_view help = {});
}  // namespace shape

/// Where and how a value differs from its shape: "recipients[2].state: …". Nothing if it fits. An object with a key
/// that its shape does not name does not fit.
std::optional<std::string> misfit(const Shape& shape, const Json& value);

/// As JSON Schema (draft 2020-12). Objects that have a name go to `definitions` and are referred to.
JsonObject json_schema(const Shape& shape, JsonObject& definitions);

/// What a front end that shows some answers in its own way knows them by: "receipt", "[message]" for a list of them.
/// Of several shapes, the first one's.
std::string view_key(const Shape& shape);

/// In one line, for the reference: `[message]`, `{"id","state","reason"?}`.
std::string in_short(const Shape& shape);

}  // namespace townpost
