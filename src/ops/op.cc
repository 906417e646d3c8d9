#include "ops/op.h"

#include <algorithm>

namespace townpost {

std::string_view name(Where where) {
  switch (where) {
    case Where::anywhere:
      return "anywhere";
    case Where::this_host:
      return "this host";
    case Where::this_terminal:
      return "this terminal";
  }
  return "";
}

std::string_view name(Effect effect) {
  switch (effect) {
    case Effect::reads:
      return "reads";
    case Effect::changes:
      return "changes";
    case Effect::idempotent:
      return "idempotent";
    case Effect::destroys:
      return "destroys";
  }
  return "";
}

const OpEntry* find_entry(std::string_view name) {
  const auto table = op_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const OpEntry& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

const Op* find_op(std::string_view name) {
  const auto* entry = find_entry(name);
  return entry ? &entry->op() : nullptr;
}

const Arg* find_argument(const Op& op, std::string_view name) {
  const auto found = std::find_if(op.args.begin(), op.args.end(), [&](const Arg& arg) { return arg.name == name; });
  return found == op.args.end() ? nullptr : &*found;
}

}  // namespace townpost
