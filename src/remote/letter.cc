#include "remote/letter.h"

#include "base/json_fields.h"
#include "base/text.h"

namespace townpost::letter {

namespace {

std::int64_t number_in(const Json& value, std::string_view key) {
  const auto& found = member_of(value, key);
  return found.is_int64() ? found.get_int64() : 0;
}

}  // namespace

std::string text(const Head& head, std::string_view rest) {
  JsonObject out;
  out["spoken"] = head.spoken;
  out["oldest"] = head.oldest;
  out["release"] = TOWNPOST_VERSION;  // for people who look at what is sent
  out["now"] = head.now.ms;
  if (head.as) out["as"] = *head.as;
  if (!head.conversation.empty()) out["conversation"] = head.conversation;
  if (head.something_follows) out["follows"] = true;
  return cat(to_line(out), "\n", rest);
}

Result<Received> read(std::string_view text) {
  const auto end = text.find('\n');
  const auto head = parse_json(text.substr(0, std::min(end, text.size())));
  if (end == std::string_view::npos || !head || !head->is_object())
    return fail(Code::usage, "this is not a letter of a command to its server");
  Received out{.head = {.spoken = static_cast<int>(number_in(*head, "spoken")),
                        .oldest = static_cast<int>(number_in(*head, "oldest")),
                        .now = Instant{number_in(*head, "now")},
                        .as = std::nullopt,
                        .conversation = std::string(text_in(*head, "conversation")),
                        .something_follows = member_of(*head, "follows") == Json(true)},
               .rest = text.substr(end + 1)};
  if (const auto& as = member_of(*head, "as"); as.is_string()) out.head.as = std::string(as.get_string());
  if (out.head.spoken < kOldest || out.head.oldest > kSpoken)
    return fail(Code::usage, "this program and the town's server are of releases too far apart",
                "install the same one on both");
  return out;
}

}  // namespace townpost::letter
