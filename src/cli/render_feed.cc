#include "cli/render_feed.h"

#include <algorithm>

#include "base/display_width.h"
#include "base/local_time.h"
#include "base/text.h"
#include "cli/list.h"
#include "cli/render_text.h"

namespace townpost {

namespace {

constexpr std::size_t kWhen = 11;  // "11-18 14:02"
constexpr std::size_t kWho = 26;
constexpr std::size_t kWhat = 10;

/// What one entry says, before it is laid out.
struct Told {
  std::string who;
  std::string what;
  std::string text;
  std::vector<std::string> notes;
  bool needs_somebody = false;
};

std::string from_and_to(const JsonObject& entry, const Screen& screen) {
  std::string out = name_of(text_of(entry, "from"), screen);
  if (const auto* to = entry.if_contains("to"); to && to->is_array() && !to->get_array().empty()) {
    const auto& list = to->get_array();
    out += cat(" → ", name_of(text_of(list.at(0)), screen), list.size() > 1 ? cat(" +", list.size() - 1) : "");
  }
  return out;
}

/// The queue or channel that it is about.
std::string list_of_entry(const JsonObject& entry) {
  if (const auto queue = text_of(entry, "queue"); !queue.empty()) return cat("queue ", queue);
  if (const auto channel = text_of(entry, "channel"); !channel.empty()) return cat("channel ", channel);
  return "";
}

Told told_of_state(const JsonObject& entry, const Screen& screen) {
  Told out{
      .who = name_of(text_of(entry, "agent"), screen), .what = text_of(entry, "state"), .text = said(entry, "detail")};
  out.needs_somebody = out.what == "blocked" || out.what == "stalled" || out.what == "deaf" || out.what == "dead";
  if (out.what == "blocked") out.notes.push_back(cat("gt attach ", out.who));
  return out;
}

Told told_of_sent(const JsonObject& entry, const Screen& screen) {
  Told out{.who = from_and_to(entry, screen), .what = text_of(entry, "type"), .text = text_of(entry, "text")};
  if (out.who.empty()) out.who = list_of_entry(entry);
  if (const auto priority = text_of(entry, "priority"); priority == "urgent" || priority == "high")
    out.notes.push_back(priority);
  if (flag_of(entry, "ack_required")) out.notes.emplace_back("ack");
  if (const auto by = parse_instant(text_of(entry, "reply_by")))
    out.notes.push_back(cat("by ", local_clock(*by, screen.now)));
  return out;
}

Told told(const JsonObject& entry, const Screen& screen) {
  const auto kind = text_of(entry, "kind");
  if (entry.contains("state")) return told_of_state(entry, screen);
  if (kind == "stored" || kind == "queued") return told_of_sent(entry, screen);
  Told out{.who = name_of(text_of(entry, "agent"), screen), .what = kind, .text = text_of(entry, "text")};
  if (out.who.empty()) out.who = list_of_entry(entry);
  if (out.who.empty()) out.who = entry.contains("from") ? from_and_to(entry, screen) : "everybody";
  if (const auto detail = said(entry, "detail"); !detail.empty()) {
    if (out.text.empty())
      out.text = detail;
    else
      out.notes.push_back(detail);
  }
  return out;
}

std::string padded(std::string text, std::size_t width) {
  const auto has = display_width(text);
  return has < width ? text + std::string(width - has, ' ') : text;
}

}  // namespace

Shown feed_line(const JsonObject& entry, const Screen& screen) {
  const auto at = parse_instant(text_of(entry, "at"));
  const auto it = told(entry, screen);
  const auto when = padded(at ? local_clock(*at, screen.now) : "", kWhen);
  auto who = for_terminal_line(it.who);
  auto text = for_terminal_line(it.text);
  const auto notes =
      it.notes.empty() ? "" : cat(text.empty() ? "(" : "  (", for_terminal_line(join(it.notes, ", ")), ")");
  if (screen.width > 0) {  // a pipe gets everything
    who = fit_into(who, kWho);
    const auto before = display_width(when) + kWho + kWhat + 6;
    const auto room = screen.width > before ? screen.width - before : 0;
    const auto noted = display_width(notes);
    text = fit_into(text, std::max(room > noted ? room - noted : 0, std::size_t{12}));
  }
  const auto what = padded(it.what, kWhat);
  return shown(dim(when, screen), "  ", padded(who, kWho), "  ",
               it.needs_somebody ? red(what, screen) : dim(what, screen), "  ", text, dim(notes, screen), "\n");
}

Shown feed_lines(const CommandLine&, const Answer& answer, const Screen& screen) {
  Shown out;
  for (const auto& entry : answer.json.get_array()) out += feed_line(entry.get_object(), screen);
  if (out.empty() && screen.terminal && !answer.again) return "nothing has happened yet\n";
  return out;
}

}  // namespace townpost
