#include "cli/render_nudges.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "cli/render_mail.h"
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

Shown nudge_receipts(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& list = answer.json.get_array();
  if (list.empty()) return "not sent: your own session is not fresh\n";
  Shown out;
  for (const auto& item : list) {
    const auto& nudge = item.get_object();
    std::string why = said(nudge, "evidence", screen);
    if (why.empty()) why = said(nudge, "note", screen);
    if (why.empty()) why = said(nudge, "last_error", screen);
    out += shown(bold(text_of(nudge, "id"), screen), " ", text_of(nudge, "address"), ": ", text_of(nudge, "state"),
                 in_brackets(why, screen), "\n");
  }
  return out;
}

Shown nudge_shown(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& nudge = answer.json.get_object();
  std::string why = said(nudge, "evidence", screen);
  if (why.empty()) why = said(nudge, "last_error", screen);
  return shown(bold(text_of(nudge, "id"), screen), " from ", text_of(nudge, "sender"), " (",
               speaker(text_of(nudge, "sender"), text_of(nudge, "sender_grade")), ") for ", text_of(nudge, "target"),
               ", ", text_of(nudge, "priority"), ", ", text_of(nudge, "mode"), ": ", text_of(nudge, "state"),
               in_brackets(why, screen), "\n\n", lines_of(nudge, "message"), "\n");
}

Shown nudge_explained(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& history = answer.json.get_object();
  Shown out = nudge_line(history.at("nudge").get_object(), screen);
  for (const auto& item : history.at("events").get_array()) {
    const auto& event = item.get_object();
    out += shown("  ", step_of(event, "at", screen), " ", text_of(event, "kind"),
                 in_brackets(said(event, "detail", screen), screen), "\n");
  }
  for (const auto& item : history.at("in_the_way").get_array()) out += shown("  now: ", said(item, screen), "\n");
  return out;
}

Shown nudges_carried(const CommandLine&, const Answer& answer, const Screen& screen) {
  Shown out;
  for (const auto& item : answer.json.get_array()) {
    const auto& one = item.get_object();
    out += shown(text_of(one, "address"), ": ", flag_of(one, "carried") ? "carried" : "nothing carried",
                 in_brackets(said(one, "note", screen), screen), "\n");
  }
  return out;
}

Shown bare_text(const CommandLine&, const Answer& answer, const Screen&) {
  return lines_of(answer.json.get_object(), "text");
}

}  // namespace townpost
