#include "delivery/stream/stream_lines.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/text.h"

namespace townpost {

namespace {

using Kind = SessionEvent::Kind;

/// In the form of a random UUID, as Claude Code wants it.
std::string uuid_of(const std::vector<std::string>& ids) {
  const auto all = join(ids, " ");
  const unsigned long long high = (digest64(all) & ~0xF000ULL) | 0x4000ULL;
  const unsigned long long low = (digest64(all, high) & 0x3FFF'FFFF'FFFF'FFFFULL) | 0x8000'0000'0000'0000ULL;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08llx-%04llx-%04llx-%04llx-%012llx", high >> 32, high >> 16 & 0xFFFF,
                high & 0xFFFF, low >> 48, low & 0xFFFF'FFFF'FFFFULL);
  return text.data();
}

/// The text of a message, which is a string or a list of blocks.
std::string content_text(const Json& message) {
  std::string text(text_in(message, "content"));
  for (const auto& block : list_in(message, "content")) {
    if (text_in(block, "type") != "text") continue;
    if (!text.empty()) text.push_back('\n');
    text.append(text_in(block, "text"));
  }
  return text;
}

bool is_true(const Json& value, std::string_view key) {
  const auto* found = member_of(value, key).if_bool();
  return found != nullptr && *found;
}

/// Before the first prompt the program says nothing at all; then "init" opens every turn.
bool is_work(const Json& told, std::string_view type) {
  if (type == "system") return text_in(told, "subtype") == "init";
  if (type == "user") return !is_true(told, "isReplay");  // the result of a tool
  return type == "assistant";
}

SessionEvent claude_event(const Json& told, std::string_view type) {
  SessionEvent event{Kind::alive, std::string(text_in(told, "session_id")), ""};
  const auto& request = member_of(told, "request");
  if (is_work(told, type)) {
    event.kind = Kind::busy;
  } else if (type == "system" && text_in(told, "subtype") == "api_retry") {
    event.kind = Kind::stalled;
    event.detail = text_in(told, "error");
  } else if (type == "user") {
    event.kind = Kind::shown;
    event.detail = content_text(member_of(told, "message"));
  } else if (type == "result") {
    const bool stalled = is_true(told, "is_error") && !member_of(told, "api_error_status").is_null();
    event.kind = stalled ? Kind::stalled : Kind::idle;
    if (stalled) event.detail = text_in(told, "result");
  } else if (type == "control_request" && text_in(request, "subtype") == "can_use_tool") {
    event.kind = Kind::blocked;
    event.detail = text_in(request, "tool_name");
  } else if (type == "control_cancel_request") {
    event.kind = Kind::resumed;
  }
  return event;
}

std::optional<SessionEvent> plain_event(const Json& told, std::string_view type) {
  constexpr std::array<std::pair<std::string_view, Kind>, 8> kKinds{{{"busy", Kind::busy},
                                                                     {"idle", Kind::idle},
                                                                     {"blocked", Kind::blocked},
                                                                     {"resumed", Kind::resumed},
                                                                     {"stalled", Kind::stalled},
                                                                     {"shown", Kind::shown},
                                                                     {"ended", Kind::ended},
                                                                     {"alive", Kind::alive}}};
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& kind) { return kind.first == type; });
  if (found == kKinds.end()) return std::nullopt;
  return SessionEvent{found->second, std::string(text_in(told, "session")), std::string(text_in(told, "text"))};
}

}  // namespace

std::string stream_message(StreamDialect dialect, const Injection& injection) {
  const auto text = to_utf8(injection.text);
  // What holds no nudges (mail at the start of a session) is told each time anew, so nothing makes it a repeat.
  const auto named = [&](JsonObject line, const char* key) {
    if (!injection.ids.empty()) line[key] = uuid_of(injection.ids);
    return to_line(line) + "\n";
  };
  if (dialect == StreamDialect::claude) {
    const JsonObject block{{"type", "text"}, {"text", text}};
    return named({{"type", "user"}, {"message", JsonObject{{"role", "user"}, {"content", JsonArray{block}}}}}, "uuid");
  }
  JsonArray ids;
  for (const auto& each : injection.ids) ids.emplace_back(to_utf8(each));
  return named({{"type", "message"}, {"ids", std::move(ids)}, {"text", text}}, "id");
}

std::optional<SessionEvent> stream_event(StreamDialect dialect, std::string_view line) {
  line = trim(line);
  if (line.substr(0, 1) != "{") return std::nullopt;  // what a program prints beside its events
  const auto told = parse_json(line);
  if (!told) return std::nullopt;
  const auto type = text_in(*told, "type");
  if (type.empty()) return std::nullopt;
  if (dialect == StreamDialect::lines) return plain_event(*told, type);
  return claude_event(*told, type);
}

std::vector<SessionEvent> StreamLines::feed(std::string_view bytes) {
  std::vector<SessionEvent> events;
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    over_ = over_ || end > longest_ - line_.size();
    if (over_)
      line_.clear();
    else
      line_.append(bytes.substr(0, end));
    if (end < bytes.size()) {
      if (std::exchange(over_, false)) {
        events.push_back({Kind::alive, "", "a line was too long and is dropped"});
      } else if (auto event = stream_event(dialect_, line_)) {
        events.push_back(std::move(*event));
      }
      line_.clear();
    }
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return events;
}

}  // namespace townpost
