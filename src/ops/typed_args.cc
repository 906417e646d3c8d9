#include "ops/typed_args.h"

#include "base/text.h"
#include "post/people/resolve.h"

namespace townpost {

Result<JsonObject> fields_of(const Args& args) {
  JsonObject out;
  for (const auto& [key, value] : args.map("field")) {
    if (out.contains(key))
      return fail(Code::usage, cat("the field ", for_terminal_line(key), " was given twice"), "give it once");
    out[key] = value;
  }
  return out;
}

Result<const protocol::ProtocolType*> type_named(const protocol::TypeRegistry& registry, const std::string& name) {
  if (const auto* type = registry.find(name)) return type;
  std::vector<std::string> names;
  for (const auto* type : registry.types()) names.emplace_back(type->name);
  return fail(Code::not_found, cat("no message type \"", for_terminal_line(shorten(to_utf8(name), 80)), "\""),
              did_you_mean(name, names, next("protocol.types", {}, " lists them")));
}

}  // namespace townpost
