#include "delivery/opencode/opencode_events.h"

#include <array>
#include <utility>

#include "base/json_fields.h"
#include "base/text.h"

namespace townpost {

namespace {

using Kind = SessionEvent::Kind;

std::string_view session_of(const Json& properties, std::string_view type) {
  if (const auto named = text_in(properties, "sessionID"); !named.empty()) return named;
  for (const auto* holder : {"info", "part"})
    if (const auto named = text_in(member_of(properties, holder), "sessionID"); !named.empty()) return named;
  return type.substr(0, 8) == "session." ? text_in(member_of(properties, "info"), "id") : std::string_view();
}

std::string error_text(const Json& error) {
  const auto message = text_in(member_of(error, "data"), "message");
  return std::string(message.empty() ? text_in(error, "name") : message);
}

void read_status(const Json& status, SessionEvent& event) {
  const auto type = text_in(status, "type");
  if (type == "busy") event.kind = Kind::busy;
  if (type == "idle") event.kind = Kind::idle;
  if (type == "retry") event = {Kind::stalled, std::move(event.session), std::string(text_in(status, "message"))};
}

void read_error(const Json& error, SessionEvent& event) {
  // A turn that a person has stopped ends with this "error", and with an idle event of its own.
  if (text_in(error, "name") == "MessageAbortedError") return;
  event.kind = Kind::stalled;
  event.detail = error_text(error);
}

void read_part(const Json& part, SessionEvent& event) {
  // Text that came in has no time of its own; what the model writes has one, from its first character on.
  if (text_in(part, "type") != "text" || !member_of(part, "time").is_null()) return;
  event.kind = Kind::shown;
  event.detail = text_in(part, "text");
}

std::string permission_text(const Json& request) {
  std::string text(text_in(request, "permission"));
  for (const auto& pattern : list_in(request, "patterns"))
    if (const auto* what = pattern.if_string()) text += cat(text.empty() ? "" : ": ", std::string_view(*what));
  return text;
}

}  // namespace

std::optional<SessionEvent> opencode_event(std::string_view data) {
  const auto parsed = parse_json(data);
  if (!parsed) return std::nullopt;
  const Json& wrapped = member_of(*parsed, "payload");
  const Json& told = wrapped.is_object() ? wrapped : *parsed;
  const auto type = text_in(told, "type");
  if (type.empty()) return std::nullopt;
  const Json& properties = member_of(told, "properties");

  SessionEvent event{Kind::alive, std::string(session_of(properties, type)), ""};
  if (type == "session.status") {
    read_status(member_of(properties, "status"), event);
  } else if (type == "session.idle") {
    event.kind = Kind::idle;
  } else if (type == "session.error") {
    read_error(member_of(properties, "error"), event);
  } else if (type == "session.deleted") {
    event.kind = Kind::ended;
  } else if (type == "permission.asked" || type == "permission.updated") {  // .updated: its name in older servers
    event.kind = Kind::blocked;
    event.detail = permission_text(properties);
  } else if (type == "question.asked") {
    event.kind = Kind::blocked;
    event.detail = "a question";
  } else if (type == "permission.replied" || type == "question.replied" || type == "question.rejected") {
    event.kind = Kind::resumed;
  } else if (type == "message.part.updated") {
    read_part(member_of(properties, "part"), event);
  } else if (type == "session.next.prompted") {
    event.kind = Kind::shown;
    event.detail = text_in(member_of(properties, "prompt"), "text");
  }
  return event;
}

}  // namespace townpost
