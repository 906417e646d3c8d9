#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "protocol/parse.h"

// Messages as they come from other programs: JSON objects {id, sender_name, to, subject, body_md, thread_id, timestamp,
// ack_required, acked}. `body` will do for body_md, and `type` (or `protocol_type`) names a type explicitly.

namespace townpost::protocol {

/// A raw message and what it says.
struct TypedMessage {
  JsonObject raw;
  Parsed parsed;
  std::optional<Instant> timestamp;  ///< nothing if there is none or it cannot be read
  std::string thread_id;             ///< its own, else the thread of its bead
  bool ack_required = false;         ///< its own, else its type's
  bool acked = false;

  bool is_pending() const { return ack_required && !acked; }
  /// The raw message with `type`, `dialect`, `parsed{}`, `problems[]`; thread_id and ack_required are filled in, a
  /// timestamp is written in UTC, and is null if it could not be read.
  JsonObject json() const;
};

/// Error: usage, only if there is no message at all: `raw` is no object.
Result<TypedMessage> read_message(const TypeRegistry& registry, const Json& raw, ParseOptions options = {});

/// One answer for each message of an input. What was no message has an error in its place.
struct Batch {
  enum class Shape { one, array, lines };
  struct Entry {
    std::optional<TypedMessage> message;
    std::string error;
    int place = 0;  ///< in the array, from 0; of lines, from 1
  };
  Shape shape = Shape::one;
  std::vector<Entry> entries;

  std::size_t messages() const;
  std::size_t errors() const { return entries.size() - messages(); }
  /// The one message, or all of them as an array. An error is {"error", "index" or "line"}.
  Json json() const;
  /// json() in the shape of the input: an object, an array, or one object a line.
  std::string str() const;
};

/// Reads one message, an array of them, or JSON lines. Error: usage, if the input is none of these.
Result<Batch> read_batch(const TypeRegistry& registry, std::string_view input, ParseOptions options = {});

JsonArray to_json(const std::vector<Problem>& problems);

}  // namespace townpost::protocol
