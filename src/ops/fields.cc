#include "ops/fields.h"

#include "base/text.h"

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

}  // namespace townpost
