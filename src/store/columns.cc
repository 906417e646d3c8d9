#include "store/columns.h"

#include "base/text.h"

namespace townpost::columns {

std::string pack(const std::vector<std::string>& words) { return join(words, " "); }

std::vector<std::string> unpack(std::string_view text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  for (auto part : split(text, ' ')) out.emplace_back(part);
  return out;
}

Address address(const Row& row, int at) {
  const auto found = Address::parse(row.text(at));
  if (!found) row.note_damage("the address of an agent is none");
  return found.value_or(Address::human());
}

}  // namespace townpost::columns
