#include "ops/column.h"

namespace townpost::columns {

namespace {

using As = Column::As;
using For = Column::For;

}  // namespace

// Programs read ID P AGE FROM SUBJECT; people find what they scan for at the left and what they copy at the end.
std::vector<Column> messages() {
  return {{"id", As::id, "ID", For::programs},  {"priority_level", As::value, "P", For::programs},
          {"", As::position, "#", For::people}, {"", As::mark, "", For::people},
          {"timestamp", As::age, "AGE"},        {"from", As::address, "FROM"},
          {"subject", As::prose, "SUBJECT"},    {"", As::note, "NOTE"},
          {"id", As::id, "ID", For::people}};
}

std::vector<Column> sent_messages() {
  return {{"id", As::id, "ID", For::programs},
          {"priority_level", As::value, "P", For::programs},
          {"", As::position, "#", For::people},
          {"priority", As::mark, "", For::people},
          {"timestamp", As::age, "AGE"},
          {"subject", As::prose, "SUBJECT"},
          {"", As::standings, "TO"},
          {"id", As::id, "ID", For::people}};
}

std::vector<Column> queued_messages() {
  return {{"id", As::id, "ID", For::programs},
          {"", As::position, "#", For::people},
          {"timestamp", As::age, "AGE"},
          {"queue"},
          {"attempts", As::value, "TRIES"},
          {"from", As::address},
          {"subject", As::prose},
          {"reason", As::prose},
          {"id", As::id, "ID", For::people}};
}

std::vector<Column> queue_contents() {
  return {{"id", As::id, "ID", For::programs}, {"", As::position, "#", For::people},
          {"queue_state", As::state, "STATE"}, {"timestamp", As::age, "AGE"},
          {"attempts", As::value, "TRIES"},    {"claimed_by", As::address, "BY"},
          {"lease_until", As::value, "UNTIL"}, {"from", As::address, "FROM"},
          {"subject", As::prose, "SUBJECT"},   {"id", As::id, "ID", For::people}};
}

std::vector<Column> nudges() {
  return {{"id", As::id, "ID", For::programs},
          {"", As::position, "#", For::people},
          {"state", As::state},
          {"priority", As::mark},
          {"target", As::address, "FOR"},
          {"created_at", As::age, "AGE"},
          {"sender", As::address, "FROM"},
          {"message", As::prose},
          {"id", As::id, "ID", For::people}};
}

}  // namespace townpost::columns
