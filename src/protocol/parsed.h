#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "protocol/protocol_type.h"

namespace townpost::protocol {

/// What is wrong with a message, for whoever can correct it.
struct Problem {
  std::string field;  ///< its JSON key; "type", "subject", "timestamp" for what is no field
  std::string message;
  int line = 0;  ///< of the body, from 1; 0: the subject, or something that is not there

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// A message that was read: its type, ids, fields and text. A value that owns its text; only its type is pointed to, so
/// the registry must live as long. Views are valid until it is changed or moved. Absent fields are empty.
class Parsed {
 public:
  /// nullptr: no type is known by that name ("UNKNOWN").
  const ProtocolType* type() const { return type_; }
  std::string_view type_name() const { return type_ ? type_->name : "UNKNOWN"; }

  /// The bead: of the body's line "Bead:" or "Accepted bead:", else of "[id]", else of "id:" in the subject. Never
  /// what another field says.
  std::string_view bead_id() const;
  /// SPAWN_*: the issue, else the bead.
  std::string_view issue_id() const { return value("issue_id"); }
  /// The rig: its own field, else what stands before the slash in the polecat.
  std::string_view rig() const;
  /// The thread this message belongs to where nobody says another: the bead of Agent Mail types, if that may be the
  /// name of one. May be empty.
  std::string_view thread() const;

  /// What follows the type in the subject.
  std::string_view topic() const { return at(topic_); }
  /// What follows the fields in the body; where nothing does, what stands before them.
  std::string_view text() const { return at(text_); }

  bool has(std::string_view key) const;
  /// Text of any kind but a list, as it stands there; the words of an enumeration as the type spells them.
  std::string_view value(std::string_view key) const;
  std::optional<std::int64_t> number(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::vector<std::string_view> list(std::string_view key) const;

  /// The declared fields that are there, in the order of the type, by their JSON keys.
  JsonObject fields() const;
  /// fields(), and bead_id, rig, topic and text where they are there: the `parsed` of an answer.
  JsonObject json() const;

  /// Strict mode: everything that is wrong. Lenient mode: nothing.
  const std::vector<Problem>& problems() const { return problems_; }
  void add_problem(Problem problem) { problems_.push_back(std::move(problem)); }

 private:
  friend class Reader;

  struct Span {
    std::size_t begin = 0, size = 0;
  };
  enum class State : std::uint8_t {
    absent,
    found,
    unreadable,  ///< there, but not what its kind asks for: absent to everybody but the strict
  };
  struct Value {
    Span text;
    std::string_view word;    ///< static or the registry's: an enumeration's own spelling
    std::int64_t number = 0;  ///< of integer, percent and flag
    std::size_t first_item = 0, items = 0;
    int line = 0;
    State state = State::absent;
  };

  std::string_view at(Span span) const { return std::string_view(buffer_).substr(span.begin, span.size); }
  std::string_view text_of(const Value& value) const { return value.word.empty() ? at(value.text) : value.word; }
  const Value* find(std::string_view key) const;
  Json json_of(const Field& field, const Value& value) const;
  void add_fields(JsonObject& out) const;

  const ProtocolType* type_ = nullptr;
  std::string buffer_;         ///< the subject, then the body, both as UTF-8 with LF
  std::vector<Value> values_;  ///< one for each field of the type, and one for a bead that is none of them
  std::size_t bead_ = 0;       ///< which of them is the bead
  std::vector<Span> items_;    ///< of all lists
  Span topic_, text_;
  std::vector<Problem> problems_;
};

}  // namespace townpost::protocol
