#include "ops/typed_args.h"

#include "base/text.h"
#include "post/people/resolve.h"

namespace townpost {

Result<JsonObject> fields_of(const std::vector<std::string>& words) {
  JsonObject out;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Code::usage, cat("--field \"", for_terminal_line(shorten(to_utf8(word), 60)), "\" is not key=value"),
                  "write --field bead_id=ol-1");
    const std::string key = word.substr(0, equals);
    if (out.contains(key))
      return fail(Code::usage, cat("--field ", for_terminal_line(key), " was given twice"), "give it once");
    out[key] = word.substr(equals + 1);
  }
  return out;
}

Result<const protocol::ProtocolType*> type_named(const protocol::TypeRegistry& registry, const std::string& name) {
  if (const auto* type = registry.find(name)) return type;
  std::vector<std::string> names;
  for (const auto* type : registry.types()) names.emplace_back(type->name);
  return fail(Code::not_found, cat("no message type \"", for_terminal_line(shorten(to_utf8(name), 80)), "\""),
              did_you_mean(name, names, "gt protocol types lists them"));
}

}  // namespace townpost
