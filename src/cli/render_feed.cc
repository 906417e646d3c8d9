#include "cli/render_feed.h"

#include <algorithm>
#include <cstring>

#include "base/display_width.h"
#include "base/local_time.h"
#include "base/text.h"
#include "cli/agent_words.h"
#include "cli/list.h"
#include "cli/render_text.h"

namespace townpost {

namespace {

constexpr std::size_t kWhen = 12;  // "18 Nov 14:02"
constexpr std::size_t kWhat = 11;  // "not running"
constexpr std::size_t kWhoInAPipe = 26;
constexpr std::size_t kLeastText = 12;

/// What one entry says, before it is laid out.
struct Told {
  std::string who;
  std::string whom = {};
  std::string what;
  std::string text;
  std::vector<std::string> notes = {};
  bool needs_somebody = false;
};

std::string whom_of(const JsonObject& entry, const Screen& screen) {
  const auto* to = entry.if_contains("to");
  if (!to || !to->is_array() || to->get_array().empty()) return "";
  const auto& list = to->get_array();
  return cat(name_of(text_of(list.at(0)), screen), list.size() > 1 ? cat(" +", list.size() - 1) : "");
}

/// The queue or channel that it is about.
std::string list_of_entry(const JsonObject& entry) {
  if (const auto queue = text_of(entry, "queue"); !queue.empty()) return cat("queue ", queue);
  if (const auto channel = text_of(entry, "channel"); !channel.empty()) return cat("channel ", channel);
  return "";
}

Told told_of_state(const JsonObject& entry, const Screen& screen) {
  Told out{.who = name_of(text_of(entry, "agent"), screen),
           .what = state_in_words(entry),
           .text = said(entry, "detail", screen)};
  out.needs_somebody = out.what == "blocked" || out.what == "stalled" || out.what == "deaf" || out.what == "dead";
  if (out.what == "blocked") out.notes.push_back(cat("gt attach ", out.who));
  return out;
}

Told told_of_sent(const JsonObject& entry, const Screen& screen) {
  Told out{.who = name_of(text_of(entry, "from"), screen),
           .whom = whom_of(entry, screen),
           .what = text_of(entry, "type"),
           .text = text_of(entry, "text")};
  if (out.who.empty() && out.whom.empty()) out.who = list_of_entry(entry);
  // The deadline first: it stays when there is little room.
  if (const auto by = parse_instant(text_of(entry, "reply_by")))
    out.notes.push_back(cat("by ", local_moment(*by, screen.now)));
  if (const auto priority = text_of(entry, "priority"); priority == "urgent" || priority == "high")
    out.notes.push_back(priority);
  if (flag_of(entry, "ack_required")) out.notes.emplace_back("ack");
  return out;
}

/// "jobs, paused": a list was made, changed or removed, and how it is then.
Told told_of_list(const JsonObject& entry, std::string what) {
  const auto detail = text_of(entry, "detail");
  const auto comma = detail.rfind(", ");
  const bool there = what != "removed" && comma != std::string::npos;
  return {.who = list_of_entry(entry), .what = std::move(what), .text = there ? detail.substr(comma + 2) : ""};
}

Told told(const JsonObject& entry, const Screen& screen) {
  const auto kind = text_of(entry, "kind");
  if (entry.contains("state")) return told_of_state(entry, screen);
  if (kind == "stored" || kind == "queued") return told_of_sent(entry, screen);
  Told out{.who = name_of(text_of(entry, "agent"), screen), .what = kind, .text = text_of(entry, "text")};
  const auto list = list_of_entry(entry);
  if (kind == "dead" && !list.empty()) out.what = "job is dead";  // who worked on it lives
  for (const auto* of : {"queue ", "channel "})
    if (kind.starts_with(of) && !list.empty()) return told_of_list(entry, kind.substr(std::strlen(of)));
  if (out.who.empty()) out.who = list;
  if (out.who.empty() && entry.contains("from")) {
    out.who = name_of(text_of(entry, "from"), screen);
    out.whom = whom_of(entry, screen);
  }
  if (out.who.empty()) out.who = "everybody";
  if (const auto detail = said(entry, "detail", screen); !detail.empty()) {
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

FeedRow feed_row(const JsonObject& entry, const Screen& screen) {
  const auto at = parse_instant(text_of(entry, "at"));
  auto it = told(entry, screen);
  // Of "quarantine lifted" the second word begins the text.
  if (it.what.size() > kWhat)
    if (const auto space = it.what.rfind(' ', kWhat); space != std::string::npos) {
      it.text = cat(it.what.substr(space + 1), it.text.empty() ? "" : ": ", it.text);
      it.what.resize(space);
    }
  return {.at = at ? local_clock(*at, screen.now) : "",
          .who = for_terminal_line(it.who),
          .whom = for_terminal_line(it.whom),
          .what = for_terminal_line(it.what),
          .text = for_terminal_line(it.text),
          .notes = for_terminal_line(join(it.notes, ", ")),
          .needs_somebody = it.needs_somebody};
}

FeedColumns feed_columns(std::size_t width) {
  const auto who = std::clamp<std::size_t>(width * 7 / 25, 12, 28);
  const auto before = kWhen + who + kWhat + 3 * kFeedGap;
  return {kWhen, who, kWhat, std::max(width > before ? width - before : 0, kLeastText)};
}

std::string who_in(const FeedRow& row, std::size_t width) {
  constexpr std::string_view kArrow = " → ";
  constexpr std::size_t kArrowWidth = 3;
  if (row.whom.empty()) return fit_into(row.who, width);
  const auto whole = cat(row.who, kArrow, row.whom);
  if (display_width(whole) <= width) return whole;
  const auto room = width - kArrowWidth;
  const auto half = room / 2;
  const auto who = display_width(row.who), whom = display_width(row.whom);
  const auto left = who <= half ? who : whom <= room - half ? room - whom : half;
  return cat(fit_into(row.who, left), kArrow, fit_into(row.whom, room - left));
}

FeedText text_in(const FeedRow& row, std::size_t width) {
  if (row.notes.empty()) return {fit_into(row.text, width), ""};
  const std::string gap = row.text.empty() ? "" : "  ";
  const auto in_brackets = [](const std::string& notes) { return cat("(", notes, ")"); };
  const auto wanted = gap.size() + display_width(row.notes) + 2;
  const auto text = display_width(row.text);
  if (text + wanted <= width) return {row.text, cat(gap, in_brackets(row.notes))};
  // The text gives way first, down to half; a deadline is shorter than that.
  const auto kept = std::max(wanted < width ? width - wanted : 0, std::min(text, width / 2));
  const auto room = width > kept + gap.size() + 2 ? width - kept - gap.size() - 2 : 1;
  return {fit_into(row.text, kept), cat(gap, in_brackets(fit_into(row.notes, room)))};
}

Shown feed_line(const JsonObject& entry, const Screen& screen) {
  const auto row = feed_row(entry, screen);
  const auto stressed = [&](const std::string& what) {
    return row.needs_somebody ? red(what, screen) : dim(what, screen);
  };
  const auto when = padded(row.at, kWhen);
  if (screen.width == 0) {  // a pipe gets everything
    const auto who = row.whom.empty() ? row.who : cat(row.who, " → ", row.whom);
    const auto notes = row.notes.empty() ? "" : cat(row.text.empty() ? "(" : "  (", row.notes, ")");
    return shown(dim(when, screen), "  ", padded(who, kWhoInAPipe), "  ", stressed(padded(row.what, kWhat)), "  ",
                 row.text, dim(notes, screen), "\n");
  }
  const auto columns = feed_columns(screen.width);
  Shown out = shown(dim(when, screen), "  ", padded(who_in(row, columns.who), columns.who), "  ",
                    stressed(padded(fit_into(row.what, columns.what), columns.what)), "  ");
  if (row.needs_somebody) {  // what a person is asked is told whole
    const auto below = columns.at + columns.who + columns.what + 3 * kFeedGap;
    const auto all = cat(row.text, row.notes.empty() ? "" : cat(row.text.empty() ? "(" : " (", row.notes, ")"));
    bool first = true;
    for (const auto& line : folded(all, columns.text)) {
      if (!first) out += std::string(below, ' ');
      first = false;
      out += shown(in_its_place(line, line, screen), "\n");
    }
    return out;
  }
  const auto [text, notes] = text_in(row, columns.text);
  return shown(out, in_its_place(text, text, screen), dim(notes, screen), "\n");
}

Shown feed_lines(const CommandLine& line, const Answer& answer, const Screen& screen) {
  Shown out;
  for (const auto& entry : answer.json.get_array()) out += feed_line(entry.get_object(), screen);
  if (out.empty() && screen.terminal && !answer.again) {
    const bool all = line.args.empty() || (line.args.size() == 1 && line.args.contains("limit"));
    return all ? "nothing has happened yet\n" : "no event of that kind yet\n";
  }
  return out;
}

}  // namespace townpost
