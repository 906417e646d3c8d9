#include "cli/render_status.h"

#include <algorithm>

#include "base/display_width.h"
#include "base/text.h"
#include "cli/agent_words.h"
#include "cli/card.h"
#include "cli/list.h"
#include "cli/render_text.h"
#include "cli/text_table.h"

namespace townpost {

namespace {

constexpr std::size_t kMostQuestions = 5;

std::string age_since(const JsonObject& object, const char* key, const Screen& screen) {
  const auto at = parse_instant(text_of(object, key));
  return at ? age(screen.now - *at) : "";
}

std::string count_of(const JsonObject& agent, const char* key) {
  const auto number = number_of(agent, key);
  return number == 0 ? "" : std::to_string(number);
}

std::vector<const JsonObject*> those_in_need(const JsonObject& status) {
  std::vector<const JsonObject*> out;
  for (const auto& item : status.at("agents").get_array())
    if (needs_somebody(item.get_object())) out.push_back(&item.get_object());
  return out;
}

std::string need(std::size_t many) { return cat(many, many == 1 ? " needs you" : " need you"); }

/// One short line for the status line of tmux, which reads #[…] in it: only names, states and numbers stand there.
Shown status_line(const JsonObject& status, const Screen& screen) {
  std::vector<std::string> out;
  const auto needy = those_in_need(status);
  if (!needy.empty()) {
    std::vector<std::string> who;
    for (const auto* agent : needy)
      if (who.size() < 2)
        who.push_back(
            cat(text_of(*agent, "address"), " ", state_in_words(*agent), " ", age_since(*agent, "since", screen)));
    out.push_back(cat(need(needy.size()), ": ", join(who, ", "), needy.size() > who.size() ? " …" : ""));
  } else {
    out.push_back(counted(static_cast<std::int64_t>(status.at("agents").get_array().size()), "agent"));
  }
  if (const auto unread = number_of(status, "unread"); unread > 0) out.push_back(cat(unread, " unread"));
  if (flag_of(status, "held")) out.emplace_back("held");
  std::string text;
  for (const char c : join(out, " · ")) text += c == '#' ? "##" : std::string(1, c);
  return Shown::line(text);
}

Shown headline(const JsonObject& status, const Screen& screen) {
  const auto agents = static_cast<std::int64_t>(status.at("agents").get_array().size());
  const auto needy = those_in_need(status).size();
  Shown out = shown(bold(text_of(status, "town"), screen), " · ", counted(agents, "agent"));
  if (needy > 0) out += shown(" · ", red(need(needy), screen));
  if (const auto unread = number_of(status, "unread"); unread > 0) out += shown(" · ", unread, " unread for you");
  if (flag_of(status, "held")) out += shown(" · ", red("the whole town is held: gt release --all", screen));
  if (!flag_of(status, "watching")) out += dim(" · dispatcher off (gt up --detach)", screen);
  if (const auto url = text_of(status, "url"); !url.empty()) out += dim(cat(" · ", url), screen);
  return out += "\n";
}

Table agents_in_columns(const JsonArray& agents, const Screen& screen) {
  using Align = TableColumn::Align;
  using Room = TableColumn::Room;
  Table out({{"", Align::left, Room::all},
             {"AGENT", Align::left, Room::less},
             {"STATE", Align::left, Room::all},
             {"FOR", Align::right, Room::all},
             {"UNREAD", Align::right, Room::all},
             {"NUDGES", Align::right, Room::all},
             {"WHERE", Align::left, Room::less},
             {"NOTE", Align::left, Room::first}});
  for (const auto& item : agents) {
    const auto& agent = item.get_object();
    const bool alarm = needs_somebody(agent);
    const auto state = state_in_words(agent);
    out.add({{alarm ? "!" : "", Stress::red},
             {name_of(text_of(agent, "address"), screen), alarm ? std::optional(Stress::bold) : std::nullopt},
             {state, state == "not running" ? std::optional(Stress::dim) : stress_of_state(state)},
             {age_since(agent, "since", screen)},
             {count_of(agent, "unread")},
             {count_of(agent, "pending")},
             {place_of_agent(agent)},
             {note_of_agent(agent, screen)}});
  }
  return out;
}

/// Beside the one that receives, whose line is the agent's own.
Shown other_sessions(const JsonArray& agents, const Screen& screen) {
  Shown out;
  for (const auto& item : agents) {
    const auto* sessions = item.get_object().if_contains("sessions");
    if (!sessions) continue;
    for (const auto& one : sessions->as_array()) {
      const auto& session = one.get_object();
      if (flag_of(session, "receives")) continue;
      const auto place = place_of_agent(session);
      out += dim(cat(name_of(text_of(item.get_object(), "address"), screen), " is also in ",
                     place.empty() ? "a session" : place, ", ", state_in_words(session), " ",
                     age_since(session, "since", screen), "; what waits goes to the one above\n"),
                 screen);
    }
  }
  return out;
}

/// What those who need a person ask, whole: their line above has room for its beginning only.
Shown questions(const std::vector<const JsonObject*>& needy, const Screen& screen) {
  Shown out;
  for (std::size_t i = 0; i < needy.size() && i < kMostQuestions; ++i) {
    const auto detail = said(*needy[i], "detail", screen);
    if (detail.empty()) continue;
    const auto text = for_terminal_line(
        cat(name_of(text_of(*needy[i], "address"), screen), " is ", state_in_words(*needy[i]), ": ", detail));
    bool first = true;
    for (const auto& line : folded(text, screen.width - std::min<std::size_t>(screen.width, 3))) {
      out += shown(first ? red("!  ", screen) : Shown("   "), in_its_place(line, line, screen), "\n");
      first = false;
    }
  }
  return out;
}

Shown troubles(const JsonObject& status, const Screen& screen) {
  Shown out;
  if (const auto why = text_of(status, "cannot_watch"); !why.empty())
    out += red(cat("gt up looks every second: ", why, "\n"), screen);
  if (const auto* undone = status.if_contains("undone"))
    for (const auto& what : undone->as_array()) out += shown("left undone: ", said(what, screen), "\n");
  if (const auto* warnings = status.if_contains("warnings"))
    for (const auto& warning : warnings->as_array()) out += shown("warning: ", said(warning, screen), "\n");
  if (const auto errors = number_of(status, "hook_errors"); errors > 0)
    out += shown(errors, errors == 1 ? " hook call" : " hook calls", " had trouble: .town/log/signal.log\n");
  if (const auto* refused = status.if_contains("refused")) {
    const auto count = number_of(refused->as_object(), "count");
    const auto last = said(refused->as_object(), "last", screen);
    out += shown(count, count == 1 ? " call was" : " calls were", " refused in the last day (.town/log/refused.log)",
                 last.empty() ? "" : ", the last: ", shorten(last, 160), "\n");
  }
  return out;
}

}  // namespace

Shown town_status(const CommandLine& line, const Answer& answer, const Screen& screen) {
  const auto& status = answer.json.get_object();
  if (line.args.contains("line")) return status_line(status, screen);
  const auto& agents = status.at("agents").get_array();
  Shown out = headline(status, screen);
  if (agents.empty()) out += "no agents yet: gt start NAME, or gt agent add NAME\n";
  if (!agents.empty()) out += agents_in_columns(agents, screen).drawn(screen);
  out += other_sessions(agents, screen);
  if (const auto* sessions = status.if_contains("sessions"))
    for (const auto& item : sessions->as_array())
      out += shown(text_of(item.get_object(), "address"), " is not registered",
                   dim(cat(" (", text_of(item.get_object(), "description"), ")"), screen), "\n");
  const auto needy = those_in_need(status);
  if (screen.terminal && screen.width > 0) out += questions(needy, screen);
  if (!needy.empty() && screen.terminal)
    out += dim(cat("gt attach ", text_of(*needy.front(), "address"), " goes there; gt why ",
                   text_of(*needy.front(), "address"), " says more\n"),
               screen);
  return out += troubles(status, screen);
}

}  // namespace townpost
