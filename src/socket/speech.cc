#include "socket/speech.h"

#include <utility>

#include "base/json_fields.h"
#include "base/text.h"

namespace townpost::speech {

std::string frame(Kind kind, std::string_view rest) {
  return cat(std::string_view(reinterpret_cast<const char*>(&kind), 1), rest);
}

std::optional<Kind> kind_of(std::string_view frame) {
  return frame.empty() ? std::nullopt : std::optional(static_cast<Kind>(frame.front()));
}

bool may_be_repeated(const Op& op, const Args& args) {
  if (op.effect == Effect::reads || op.effect == Effect::idempotent) return true;
  return find_argument(op, "key") && args.maybe_text("key");  // what is sent with a key is sent once
}

std::string call_frame(const CallHead& head, std::string_view call) {
  JsonObject out;
  out["spoken"] = head.spoken;
  out["oldest"] = head.oldest;
  out["release"] = head.release;
  if (head.as) out["as"] = *head.as;
  if (!head.zone.empty()) out["zone"] = head.zone;
  return frame(Kind::call, cat(to_line(out), "\n", call));
}

Result<ReceivedCallFrame> read_call_frame(std::string_view rest) {
  const auto end = rest.find('\n');
  if (end == std::string_view::npos)
    return fail(Code::usage, "the call has no head", "it may be of another version of gt");
  TRY(head, parse_json(rest.substr(0, end)));
  const auto number = [&](std::string_view key) {
    const auto& found = member_of(head, key);
    return found.is_int64() && std::in_range<int>(found.get_int64()) ? static_cast<int>(found.get_int64()) : 0;
  };
  ReceivedCallFrame out{.head = {.spoken = number("spoken"),
                                 .oldest = number("oldest"),
                                 .release = std::string(text_in(head, "release")),
                                 .as = std::nullopt,
                                 .zone = std::string(text_in(head, "zone"))},
                        .call = rest.substr(end + 1)};
  if (const auto& as = member_of(head, "as"); as.is_string()) out.head.as = std::string(as.get_string());
  return out;
}

}  // namespace townpost::speech
