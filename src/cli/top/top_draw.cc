// What `gt top` looks like.
#include <algorithm>

#include "base/display_width.h"
#include "base/text.h"
#include "cli/top/top_screen.h"

namespace townpost {

namespace {

constexpr int kLeastColumns = 40;
constexpr int kLeastLines = 10;

constexpr Look kPlain;
constexpr Look kTitle{.bold = true};
constexpr Look kQuiet{.dim = true};
constexpr Look kAlarm{.colour = Look::Colour::red, .bold = true};
constexpr Look kBar{.reverse = true};

constexpr std::pair<const char*, const char*> kKeys[] = {
    {"↑ ↓  j k", "select; PgUp PgDn Home End"},
    {"Tab", "go on to the next part: agents, detail, stream"},
    {"Enter", "attach the agent's pane; in the detail: read the mail"},
    {"v", "detail: mail, the agent's pane, why it is stuck"},
    {"r  a", "reply to, acknowledge the mail under the cursor"},
    {"m  n", "mail, nudge the agent"},
    {"h", "hold the agent; again: release it"},
    {"x", "quarantine it (asks first); again: lift it"},
    {"/", "filter by name or state"},
    {"Esc", "close the mail; end the filter"},
    {"q", "close the mail; quit"},
    {"Ctrl-C", "quit"},
};

Look state_look(const TopAgent& agent) {
  if (agent.needs_somebody) return kAlarm;
  if (agent.state == "running") return {.colour = Look::Colour::green};
  if (agent.state == "not running") return kQuiet;
  return kPlain;
}

/// Numbers that fit into three columns.
std::string small(std::int64_t number) { return number == 0 ? "" : number > 999 ? "1k+" : std::to_string(number); }

/// The first row of a part that is still shown, so that `at` is among `rows` of them.
std::size_t first_shown(std::size_t at, std::size_t rows) { return at < rows ? 0 : at - rows + 1; }

void draw_title(Canvas& canvas, const Area& area, std::string_view title, bool focused) {
  for (int x = 0; x < area.width; ++x) canvas.put(area.x + x, area.y, "─", 1, kQuiet);
  const auto text = cat(focused ? "▸ " : " ", title, " ");
  canvas.put(area.x + 1, area.y, text, area.width - 2, focused ? kTitle : kQuiet);
}

/// What is below the title.
Area within(const Area& area) { return {area.x, area.y + 1, area.width, area.height - 1}; }

}  // namespace

void TopScreen::draw(Canvas& canvas, Instant now) const {
  if (canvas.width() < kLeastColumns || canvas.height() < kLeastLines) {
    canvas.put(0, 0, cat("gt top needs ", kLeastColumns, " × ", kLeastLines), canvas.width(), kTitle);
    return;
  }
  if (mode_ == Mode::help) return draw_help(canvas);
  const int news = std::max(4, (canvas.height() - 2) / 3);
  const int upper = canvas.height() - 2 - news;
  const bool narrow = canvas.width() < 70;  // one above the other would be too little of each
  const int left = narrow ? canvas.width() : std::clamp(canvas.width() * 45 / 100, 34, 60);
  draw_head(canvas);
  if (!narrow || focus_ != Focus::detail) draw_agents(canvas, {0, 1, left, upper}, now);
  if (!narrow) draw_detail(canvas, {left + 1, 1, canvas.width() - left - 1, upper});
  if (narrow && focus_ == Focus::detail) draw_detail(canvas, {0, 1, left, upper});
  draw_news(canvas, {0, 1 + upper, canvas.width(), news});
  draw_foot(canvas);
}

void TopScreen::draw_head(Canvas& canvas) const {
  const auto needy =
      std::count_if(agents_.begin(), agents_.end(), [](const TopAgent& one) { return one.needs_somebody; });
  const auto count = agents_.size();
  canvas.paint(0, 0, canvas.width(), kBar);
  int x = canvas.put(0, 0, cat(" ", town_, " · ", count, count == 1 ? " agent" : " agents"), canvas.width(), kBar);
  if (needy > 0)
    x += canvas.put(x, 0, cat(" · ", needy, needy == 1 ? " needs you" : " need you"), canvas.width() - x,
                    {.colour = Look::Colour::red, .bold = true, .reverse = true});
  if (all_held_) x += canvas.put(x, 0, " · the whole town is held", canvas.width() - x, kBar);
  if (!watching_) canvas.put(x, 0, " · dispatcher off (gt up)", canvas.width() - x, kBar);
}

void TopScreen::draw_agents(Canvas& canvas, const Area& area, Instant now) const {
  const auto all = listed();
  draw_title(canvas, area, filter_.empty() ? "agents" : cat("agents: ", filter_), focus_ == Focus::agents);
  const Area inner = within(area);
  if (all.empty())
    canvas.put(inner.x + 1, inner.y, agents_.empty() ? "no agents yet: gt start NAME" : "none fits the filter",
               inner.width - 1, kQuiet);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const TopAgent* one) { return one->address == selected_; });
  const auto at = found == all.end() ? 0 : static_cast<std::size_t>(found - all.begin());
  const auto rows = static_cast<std::size_t>(std::max(inner.height, 0));
  const auto first = first_shown(at, rows);
  const int numbers = 8;  // unread and nudges
  const int state = 12;
  const int age_room = 4;
  const int name = std::max(inner.width - state - age_room - numbers - 2, 8);
  for (std::size_t row = 0; row < rows && first + row < all.size(); ++row) {
    const auto& agent = *all[first + row];
    const int y = inner.y + static_cast<int>(row);
    int x = inner.x;
    canvas.put(x, y,
               agent.needs_somebody ? "!"
               : agent.quarantined  ? "x"
               : agent.held         ? "h"
                                    : " ",
               1, agent.needs_somebody ? kAlarm : kPlain);
    x += 1;
    canvas.put(x, y, agent.address, name, agent.needs_somebody ? kTitle : kPlain);
    x += name + 1;
    canvas.put(x, y, agent.state, state - 1, state_look(agent));
    x += state;
    if (agent.since) canvas.put(x, y, age(now - *agent.since), age_room, kQuiet);
    x += age_room;
    canvas.put(x, y, agent.unread > 0 ? cat(small(agent.unread), "u") : "", 4, kPlain);
    canvas.put(x + 4, y, agent.nudges > 0 ? cat(small(agent.nudges), "n") : "", 4, kPlain);
    if (first + row == at && found != all.end())
      canvas.paint(inner.x, y, inner.width, focus_ == Focus::agents ? kBar : kTitle);
  }
}

void TopScreen::draw_detail(Canvas& canvas, const Area& area) const {
  const auto* agent = selected();
  const char* what = view_ == TopDetail::View::mail   ? (open_.empty() ? "mail" : "message")
                     : view_ == TopDetail::View::pane ? "pane"
                                                      : "why";
  draw_title(canvas, area, agent ? cat(what, " · ", agent->address) : std::string(what), focus_ == Focus::detail);
  Area inner = within(area);
  if (!agent) return;
  const auto head = [&](const std::string& line, const Look& look) {
    if (line.empty() || inner.height < 2) return;
    canvas.put(inner.x, inner.y, line, inner.width, look);
    ++inner.y;
    --inner.height;
  };
  // What it asks is told whole, and leaves room for what is below.
  const auto asks = folded(for_terminal_line(agent->asks), static_cast<std::size_t>(std::max(inner.width, 1)));
  const auto most = static_cast<std::size_t>(std::max(inner.height / 2, 1));
  for (std::size_t i = 0; i < asks.size() && i < most; ++i)
    head(i + 1 == most && asks.size() > most ? cat(asks[i], " …") : asks[i], agent->needs_somebody ? kAlarm : kPlain);
  head(agent->where, kQuiet);
  if (!detail_known_) return;
  if (view_ == TopDetail::View::mail && open_.empty()) return draw_mail(canvas, inner);
  draw_text(canvas, inner);
}

void TopScreen::draw_mail(Canvas& canvas, const Area& area) const {
  if (mail_.empty()) {
    canvas.put(area.x, area.y, "no mail to you, and nothing unread", area.width, kQuiet);
    return;
  }
  struct Row {
    std::string text;
    std::optional<std::size_t> mail;
  };
  std::vector<Row> rows;
  std::size_t at = 0;
  for (std::size_t i = 0; i < mail_.size(); ++i) {
    const auto& mail = mail_[i];
    if (i == 0 || mail_[i - 1].to_me != mail.to_me)
      rows.push_back({mail.to_me ? "to you:" : "unread, waiting for it:", std::nullopt});
    if (i == mail_cursor_) at = rows.size();
    rows.push_back({cat(mail.unread ? "●" : " ", mail.urgent ? "!" : " ", " ", mail.to_me ? "" : cat(mail.from, ": "),
                        mail.subject),
                    i});
  }
  const auto first = first_shown(at, static_cast<std::size_t>(std::max(area.height, 1)));
  for (int line = 0; line < area.height && first + static_cast<std::size_t>(line) < rows.size(); ++line) {
    const auto& row = rows[first + static_cast<std::size_t>(line)];
    const bool here = row.mail == mail_cursor_;
    const Look look = !row.mail ? kQuiet : mail_[*row.mail].unread ? kTitle : kPlain;
    canvas.put(area.x, area.y + line, row.text, area.width, look);
    if (here && focus_ == Focus::detail) canvas.paint(area.x, area.y + line, area.width, kBar);
  }
}

void TopScreen::draw_text(Canvas& canvas, const Area& area) const {
  const bool is_pane = view_ == TopDetail::View::pane;
  std::vector<std::string> all;  // a pane is as wide as it is; what was written to be read is wrapped
  for (const auto& line : text_) {
    const auto rows = is_pane ? line : wrapped(for_terminal_line(line), static_cast<std::size_t>(area.width), 0);
    for (const auto row : split(rows, '\n')) all.emplace_back(row);
  }
  // Of a pane the end is of interest, as long as nobody has moved.
  const auto rows = static_cast<std::size_t>(std::max(area.height, 0));
  const auto last = all.size() > rows ? all.size() - rows : 0;
  const auto first = is_pane && focus_ != Focus::detail ? last : std::min(text_from_, last);
  for (std::size_t row = 0; row < rows && first + row < all.size(); ++row)
    canvas.put(area.x, area.y + static_cast<int>(row), all[first + row], area.width, kPlain);
}

void TopScreen::draw_news(Canvas& canvas, const Area& area) const {
  draw_title(canvas, area, news_back_ > 0 ? cat("stream, ", news_back_, " newer below") : std::string("stream"),
             focus_ == Focus::news);
  const Area inner = within(area);
  const auto rows = static_cast<std::size_t>(std::max(inner.height, 0));
  const auto end = news_.size() - std::min(news_back_, news_.size());
  const auto first = end > rows ? end - rows : 0;
  const auto columns = feed_columns(static_cast<std::size_t>(inner.width));
  for (std::size_t i = 0; first + i < end; ++i) {
    const auto& row = news_[first + i];
    const int y = inner.y + static_cast<int>(i);
    int x = inner.x;
    const auto next = [&](const std::string& text, std::size_t room, const Look& look) {
      canvas.put(x, y, text, std::min(static_cast<int>(room), inner.x + inner.width - x), look);
      x += static_cast<int>(room + kFeedGap);
    };
    next(row.at, columns.at, kQuiet);
    next(who_in(row, columns.who), columns.who, kPlain);
    next(row.what, columns.what, row.needs_somebody ? kAlarm : kQuiet);
    const auto [text, notes] = text_in(row, columns.text);
    x += canvas.put(x, y, text, inner.x + inner.width - x, kPlain);
    canvas.put(x, y, notes, inner.x + inner.width - x, kQuiet);
  }
}

void TopScreen::draw_foot(Canvas& canvas) const {
  const int y = canvas.height() - 1;
  if (mode_ == Mode::confirm) {
    canvas.put(0, y, cat("quarantine ", about_, "? (y/n) nothing it sends is delivered from then on"), canvas.width(),
               kAlarm);
    return;
  }
  if (mode_ == Mode::prompt) {
    const auto label = prompt_ == Prompt::filter    ? std::string("filter: ")
                       : prompt_ == Prompt::reply   ? cat("reply to ", about_, ": ")
                       : prompt_ == Prompt::nudge   ? cat("nudge ", about_, ": ")
                       : prompt_ == Prompt::subject ? cat("mail to ", about_, ", subject: ")
                                                    : cat("mail to ", about_, ", text: ");
    const int x = canvas.put(0, y, label, canvas.width() / 2, kTitle);
    // Of what is longer than the line its end is shown, where the typing goes on.
    std::string_view shown = typed_;
    const int room = canvas.width() - x - 1;
    while (display_width(shown) > static_cast<std::size_t>(std::max(room, 1)))
      shown.remove_prefix(first_characters(shown, 1).size());
    const int end = x + canvas.put(x, y, shown, room, kPlain);
    canvas.put(end, y, " ", 1, kBar);
    return;
  }
  if (!said_.empty()) {
    canvas.put(0, y, said_, canvas.width(), tone_ == Tone::trouble ? kAlarm : kTitle);
    return;
  }
  canvas.put(0, y, "? keys  q quit  ↵ attach  v view  r reply  a ack  n nudge  h hold  / filter", canvas.width(),
             kQuiet);
}

void TopScreen::draw_help(Canvas& canvas) const {
  canvas.put(0, 0, " gt top: keys", canvas.width(), kTitle);
  int y = 2;
  for (const auto& [key, what] : kKeys) {
    canvas.put(2, y, key, 12, kTitle);
    canvas.put(15, y++, what, canvas.width() - 15, kPlain);
  }
  canvas.put(2, y + 1, "any key goes back", canvas.width() - 2, kQuiet);
}

}  // namespace townpost
