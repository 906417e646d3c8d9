#include "cli/render_nudges.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "cli/render_text.h"

namespace townpost {

namespace {

Shown in_brackets(const std::string& text, const Screen& screen) {
  return text.empty() ? Shown() : dim(cat(" (", text, ")"), screen);
}

std::string age_since(const JsonObject& object, const char* key, const Screen& screen) {
  const auto at = parse_instant(text_of(object, key));
  return at ? age(screen.now - *at) : "";
}

}  // namespace

Shown nudge_line(const JsonObject& nudge, const Screen& screen) {
  return shown(dim(text_of(nudge, "id"), screen), " ", text_of(nudge, "state"), " ",
               text_of(nudge, "priority") == "urgent" ? red("urgent ", screen) : Shown(), text_of(nudge, "target"), " ",
               age_since(nudge, "created_at", screen), " ", text_of(nudge, "sender"), ": ",
               shorten(text_of(nudge, "message"), 80), "\n");
}

Shown session_lines(const JsonObject& agent, const Screen& screen) {
  Shown out;
  const auto* sessions = agent.if_contains("sessions");
  if (!sessions) return out;
  for (const auto& item : sessions->as_array()) {
    const auto& session = item.get_object();
    out += shown("  session ", text_of(session, "session"), text_of(session, "session").empty() ? "" : " ",
                 text_of(session, "state"), " ", age_since(session, "since", screen),
                 session.contains("pid") ? cat(", process ", number_of(session, "pid")) : "",
                 flag_of(session, "receives") ? ": what waits is for this one" : "",
                 in_brackets(said(session, "detail"), screen), "\n");
  }
  return out;
}

Shown nudge_receipts(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& list = answer.json.get_array();
  if (list.empty()) return "not sent: your own session is not fresh\n";
  Shown out;
  for (const auto& item : list) {
    const auto& nudge = item.get_object();
    std::string why = said(nudge, "evidence");
    if (why.empty()) why = said(nudge, "note");
    if (why.empty()) why = said(nudge, "last_error");
    out += shown(bold(text_of(nudge, "id"), screen), " ", text_of(nudge, "address"), ": ", text_of(nudge, "state"),
                 in_brackets(why, screen), "\n");
  }
  return out;
}

Shown nudge_shown(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& nudge = answer.json.get_object();
  std::string why = said(nudge, "evidence");
  if (why.empty()) why = said(nudge, "last_error");
  return shown(bold(text_of(nudge, "id"), screen), " from ", text_of(nudge, "sender"), " (",
               text_of(nudge, "sender_grade"), ") for ", text_of(nudge, "target"), ", ", text_of(nudge, "priority"),
               ", ", text_of(nudge, "mode"), ": ", text_of(nudge, "state"), in_brackets(why, screen), "\n\n",
               lines_of(nudge, "message"), "\n");
}

Shown nudge_explained(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& history = answer.json.get_object();
  Shown out = nudge_line(history.at("nudge").get_object(), screen);
  for (const auto& item : history.at("events").get_array()) {
    const auto& event = item.get_object();
    out += shown("  ", step_of(event, "at", screen), " ", text_of(event, "kind"),
                 in_brackets(said(event, "detail"), screen), "\n");
  }
  for (const auto& item : history.at("in_the_way").get_array()) out += shown("  now: ", said(item), "\n");
  return out;
}

Shown nudges_carried(const CommandLine&, const Answer& answer, const Screen& screen) {
  Shown out;
  for (const auto& item : answer.json.get_array()) {
    const auto& one = item.get_object();
    out += shown(text_of(one, "address"), ": ", flag_of(one, "carried") ? "carried" : "nothing carried",
                 in_brackets(said(one, "note"), screen), "\n");
  }
  return out;
}

Shown town_status(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& status = answer.json.get_object();
  Shown out;
  if (flag_of(status, "held")) out += red("the whole town is held: gt release --all\n", screen);
  for (const auto& item : status.at("agents").get_array()) {
    const auto& agent = item.get_object();
    const auto state = text_of(agent, "state");
    const bool needs_somebody = state == "blocked" || state == "stalled" || state == "dead" || state == "deaf";
    out += shown(text_of(agent, "address"), " ", needs_somebody ? red(state, screen) : Shown(state));
    if (const auto age = age_since(agent, "since", screen); !age.empty()) out += shown(" ", age);
    out += in_brackets(said(agent, "detail"), screen);
    if (const auto pending = number_of(agent, "pending"); pending > 0)
      out += shown(", ", pending, pending == 1 ? " nudge waits" : " nudges wait");
    if (const auto unread = number_of(agent, "unread"); unread > 0) out += shown(", ", unread, " unread");
    if (agent.contains("draft_since"))
      out += shown(", a draft stands in its input line since ", moment_of(agent, "draft_since", screen));
    if (flag_of(agent, "dnd")) out += ", does not want to be disturbed";
    if (agent.contains("held_until")) out += ", held";
    if (agent.contains("quarantined_at")) out += ", quarantined";
    out += "\n";
    out += session_lines(agent, screen);
  }
  if (const auto* sessions = status.if_contains("sessions"))
    for (const auto& item : sessions->as_array())
      out += shown(text_of(item.get_object(), "address"), " not registered",
                   in_brackets(text_of(item.get_object(), "description"), screen), "\n");
  if (!flag_of(status, "watching") && !out.empty())
    out += dim("nobody watches: gt up --detach carries what has to wait for its moment\n", screen);
  if (const auto why = text_of(status, "cannot_watch"); !why.empty())
    out += red(cat("gt up looks every second: ", why, "\n"), screen);
  if (const auto* undone = status.if_contains("undone"))
    for (const auto& what : undone->as_array()) out += shown("left undone: ", said(what), "\n");
  if (const auto* warnings = status.if_contains("warnings"))
    for (const auto& warning : warnings->as_array()) out += shown("warning: ", said(warning), "\n");
  if (const auto errors = number_of(status, "hook_errors"); errors > 0)
    out += shown(errors, errors == 1 ? " hook call" : " hook calls", " had trouble: .town/log/signal.log\n");
  if (const auto* refused = status.if_contains("refused")) {
    const auto count = number_of(refused->as_object(), "count");
    const auto last = text_of(refused->as_object(), "last");
    out += shown(count, count == 1 ? " call was" : " calls were", " refused (.town/log/refused.log)",
                 last.empty() ? "" : ", the last: ", shorten(last, 160), "\n");
  }
  return out.empty() ? "no agents yet: gt agent add NAME\n" : out;
}

Shown bare_text(const CommandLine&, const Answer& answer, const Screen&) {
  return lines_of(answer.json.get_object(), "text");
}

}  // namespace townpost
