// Strict mode: everything that is wrong with a message, at once.
#include "base/text.h"
#include "protocol/reader.h"
#include "protocol/values.h"

namespace townpost::protocol {

namespace {

std::string in_marks(std::string_view text) { return cat('"', for_terminal_line(shorten(text, 60)), '"'); }

std::string where(const Field& field) {
  if (field.is_section()) return cat("the section \"## ", field.label, "\"");
  if (field.in_section()) return cat("\"", field.label, ":\" in the section \"## ", field.section, "\"");
  return cat("\"", field.label, ":\"");
}

/// What is wrong with a value that is there, or nothing.
std::string fault_of(const Field& field, std::string_view text) {
  switch (field.kind) {
    case Kind::text:
    case Kind::section:
    case Kind::list:
      return {};
    case Kind::enumeration:
      return word_in(field.values, text).empty() ? cat(in_marks(text), " is none of ", field.values) : "";
    case Kind::integer:
      return read_integer(text) ? "" : cat(in_marks(text), " is not a whole number");
    case Kind::percent: {
      const auto percent = read_percent(text);
      return percent && *percent >= 0 && *percent <= 100 ? ""
                                                         : cat(in_marks(text), " is not a whole number from 0 to 100");
    }
    case Kind::flag:
      return read_flag_word(text) ? "" : cat(in_marks(text), " is none of PASS TRUE YES OK FAIL FALSE NO");
    case Kind::instant:
      return is_instant(text) ? "" : cat(in_marks(text), " is not an instant like 2026-01-31T10:30:00Z");
  }
  return {};
}

}  // namespace

void Reader::check() {
  const ProtocolType* type = out_.type_;
  if (type == nullptr) {
    const std::string_view given = trim(letter_.type);
    out_.add_problem({"type",
                      cat("the subject ", in_marks(subject_), " names no known type",
                          given.empty() ? "" : cat(", nor does ", in_marks(to_utf8(given)))),
                      0});
    return;
  }
  for (std::size_t i = 0; i < type->fields.size(); ++i) {
    const Field& field = type->fields[i];
    const Value& value = out_.values_[i];
    if (value.state != State::absent) {
      if (!field.fixed.empty()) continue;
      if (auto fault = fault_of(field, out_.at(value.text)); !fault.empty())
        out_.add_problem({std::string(field.key), std::move(fault), value.line});
      continue;
    }
    const bool asked_for = field.need == Need::when && condition_holds(field);
    if (field.need == Need::always || asked_for)
      out_.add_problem({std::string(field.key),
                        cat(where(field), " is missing",
                            asked_for ? cat(" although ", field.when_key, " is ", field.when_value) : ""),
                        0});
  }
}

bool Reader::condition_holds(const Field& field) const {
  if (const auto flag = out_.flag(field.when_key)) return field.when_value == (*flag ? "true" : "false");
  return out_.value(field.when_key) == field.when_value;
}

}  // namespace townpost::protocol
