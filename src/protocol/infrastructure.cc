#include "protocol/infrastructure.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "protocol/subject.h"
#include "protocol/type_registry.h"

namespace townpost::protocol {

bool is_infrastructure(std::string_view subject) {
  constexpr std::array<std::string_view, 2> kForPeople = {"HELP", "HANDOFF"};
  constexpr std::array<std::string_view, 2> kNotices = {"session ended", "handoff complete"};
  const auto text = trim(subject);
  for (const auto notice : kNotices)
    if (lower_ascii(text.substr(0, notice.size())) == notice) return true;
  const auto read = read_subject(TypeRegistry::built_in(), text);
  return read.type && read.type->dialect == Dialect::gas_town &&
         std::find(kForPeople.begin(), kForPeople.end(), read.type->name) == kForPeople.end();
}

}  // namespace townpost::protocol
