#include "cli/top/top_screen.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/agent_words.h"
#include "cli/render_text.h"

namespace townpost {

namespace {

constexpr std::size_t kMostNews = 500;
constexpr std::size_t kMostTyped = 2000;
constexpr std::ptrdiff_t kPage = 10;
constexpr std::ptrdiff_t kFar = 1'000'000;

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> out;
  for (const auto line : split(text, '\n')) out.emplace_back(line);
  while (!out.empty() && trim(out.back()).empty()) out.pop_back();
  return out;
}

std::size_t moved(std::size_t from, std::ptrdiff_t step, std::size_t size) {
  if (size == 0) return 0;
  const auto at = static_cast<std::ptrdiff_t>(std::min(from, size - 1)) + step;
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, static_cast<std::ptrdiff_t>(size) - 1));
}

/// More than a text ever takes when it is wrapped: where it really ends is known when it is drawn.
std::size_t most_rows(const std::vector<std::string>& lines) {
  std::size_t out = 0;
  for (const auto& line : lines) out += line.size() / 10 + 1;
  return out;
}

void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

void TopScreen::know_status(const JsonObject& status, std::string_view town, Instant now) {
  const Screen screen{.terminal = true, .now = now};
  town_ = town;
  all_held_ = flag_of(status, "held");
  watching_ = flag_of(status, "watching");
  const auto before = std::exchange(agents_, {});
  const auto needed = [&](const std::string& address) {
    return std::any_of(before.begin(), before.end(),
                       [&](const TopAgent& one) { return one.address == address && one.needs_somebody; });
  };
  for (const auto& item : status.at("agents").get_array()) {
    const auto& agent = item.get_object();
    agents_.push_back({.address = text_of(agent, "address"),
                       .state = state_in_words(agent),
                       .asks = note_of_agent(agent, screen),
                       .where = place_of_agent(agent),
                       .since = parse_instant(text_of(agent, "since")),
                       .unread = number_of(agent, "unread"),
                       .nudges = number_of(agent, "pending"),
                       .needs_somebody = needs_somebody(agent),
                       .held = agent.contains("held_until"),
                       .quarantined = agent.contains("quarantined_at")});
  }
  const bool new_need = std::any_of(agents_.begin(), agents_.end(),
                                    [&](const TopAgent& one) { return one.needs_somebody && !needed(one.address); });
  // Whoever opens the screen sees it.
  alarm_ = alarm_ || (new_need && knows_somebody_ && flag_of(status, "bell"));
  knows_somebody_ = true;
  if (!selected() && !agents_.empty()) select_at(0);
}

void TopScreen::add_news(std::vector<FeedRow> rows) {
  for (auto& row : rows) {
    news_.push_back(std::move(row));
    if (news_back_ > 0) ++news_back_;  // whoever reads further up stays there
  }
  while (news_.size() > kMostNews) news_.pop_front();
  news_back_ = std::min(news_back_, news_.empty() ? 0 : news_.size() - 1);
}

void TopScreen::know_mail(const JsonArray& to_me, const JsonArray& its_own) {
  const auto before = mail_at_cursor() ? mail_at_cursor()->id : std::string();
  mail_.clear();
  for (const auto* list : {&to_me, &its_own})
    for (const auto& item : *list) {
      const auto& mail = item.get_object();
      mail_.push_back({.id = text_of(mail, "id"),
                       .from = text_of(mail, "from"),
                       .subject = text_of(mail, "subject"),
                       .unread = !flag_of(mail, "read"),
                       .urgent = number_of(mail, "priority_level") == 0,
                       .to_me = list == &to_me});
    }
  const auto same = std::find_if(mail_.begin(), mail_.end(), [&](const MailLine& one) { return one.id == before; });
  mail_cursor_ = same == mail_.end() ? 0 : static_cast<std::size_t>(same - mail_.begin());
  detail_known_ = true;
}

void TopScreen::know_text(std::string_view text) {
  text_ = lines_in(text);
  text_from_ = moved(text_from_, 0, most_rows(text_));
  detail_known_ = true;
}

void TopScreen::say(std::string_view text, Tone tone) {
  said_ = one_line(text);
  tone_ = tone;
}

std::vector<const TopAgent*> TopScreen::listed() const {
  std::vector<const TopAgent*> out;
  const auto wanted = lower_ascii(filter_);
  for (const auto& agent : agents_)
    if (wanted.empty() || lower_ascii(agent.address).find(wanted) != std::string::npos ||
        agent.state.find(wanted) != std::string::npos)
      out.push_back(&agent);
  return out;
}

const TopAgent* TopScreen::selected() const {
  for (const auto& agent : agents_)
    if (agent.address == selected_) return &agent;
  return nullptr;
}

TopDetail TopScreen::wanted() const { return {view_, selected() ? selected_ : std::string(), open_}; }

void TopScreen::select_at(std::size_t place) {
  const auto all = listed();
  if (place >= all.size() || all[place]->address == selected_) return;
  selected_ = all[place]->address;
  open_.clear();
  mail_.clear();
  text_.clear();
  mail_cursor_ = 0;
  text_from_ = 0;
  detail_known_ = false;
}

void TopScreen::select(std::ptrdiff_t step) {
  const auto all = listed();
  const auto now = std::find_if(all.begin(), all.end(), [&](const TopAgent* one) { return one->address == selected_; });
  if (now == all.end()) return select_at(0);
  select_at(moved(static_cast<std::size_t>(now - all.begin()), step, all.size()));
}

void TopScreen::move(std::ptrdiff_t step) {
  switch (focus_) {
    case Focus::agents:
      return select(step);
    case Focus::detail:
      if (view_ == TopDetail::View::mail && open_.empty())
        mail_cursor_ = moved(mail_cursor_, step, mail_.size());
      else
        text_from_ = moved(text_from_, step, most_rows(text_));
      return;
    case Focus::news:
      news_back_ = moved(news_back_, -step, news_.size());
      return;
  }
}

const TopScreen::MailLine* TopScreen::mail_at_cursor() const {
  return view_ == TopDetail::View::mail && mail_cursor_ < mail_.size() ? &mail_[mail_cursor_] : nullptr;
}

TopWish TopScreen::call(std::string_view op, JsonObject args) const {
  return {.kind = TopWish::Kind::call, .agent = "", .op = std::string(op), .args = std::move(args)};
}

TopWish TopScreen::handle(const Key& key) {
  said_.clear();
  if (key.name == Key::Name::control && key.point == 'c') return {.kind = TopWish::Kind::quit};
  switch (mode_) {
    case Mode::help:
      mode_ = Mode::browse;
      return {};
    case Mode::prompt:
      return type(key);
    case Mode::confirm:
      mode_ = Mode::browse;
      if (key.name != Key::Name::character || key.pasted || (key.point != 'y' && key.point != 'Y')) {
        say("nothing was changed");
        return {};
      }
      return call("agent.quarantine", {{"agent", about_}});
    case Mode::browse:
      return browse(key);
  }
  return {};
}

void TopScreen::close_mail() {
  open_.clear();
  detail_known_ = false;
}

TopWish TopScreen::browse(const Key& key) {
  if (key.pasted) return {};  // text that was meant for somebody else
  switch (key.name) {
    case Key::Name::up:
      return move(-1), TopWish();
    case Key::Name::down:
      return move(1), TopWish();
    case Key::Name::page_up:
      return move(-kPage), TopWish();
    case Key::Name::page_down:
      return move(kPage), TopWish();
    case Key::Name::home:
      return move(-kFar), TopWish();
    case Key::Name::end:
      return move(kFar), TopWish();
    case Key::Name::tab:
      focus_ = focus_ == Focus::agents ? Focus::detail : focus_ == Focus::detail ? Focus::news : Focus::agents;
      return {};
    case Key::Name::back_tab:
      focus_ = focus_ == Focus::agents ? Focus::news : focus_ == Focus::news ? Focus::detail : Focus::agents;
      return {};
    case Key::Name::escape:
      if (open_.empty())
        filter_.clear();
      else
        close_mail();
      return {};
    case Key::Name::enter:
      return enter();
    case Key::Name::character:
      return key.alt ? TopWish() : letter(key.point);
    default:
      return {};
  }
}

TopWish TopScreen::enter() {
  if (focus_ == Focus::detail && view_ == TopDetail::View::mail && open_.empty()) {
    if (const auto* mail = mail_at_cursor()) {
      open_ = mail->id;
      text_.clear();
      text_from_ = 0;
      detail_known_ = false;
    }
    return {};
  }
  if (!selected()) return {};
  return {.kind = TopWish::Kind::attach, .agent = selected_};
}

TopWish TopScreen::letter(char32_t point) {
  const auto* agent = selected();
  switch (point) {
    case 'q':
      if (open_.empty()) return {.kind = TopWish::Kind::quit};
      return close_mail(), TopWish();
    case 'k':
      return move(-1), TopWish();
    case 'j':
      return move(1), TopWish();
    case '?':
      mode_ = Mode::help;
      return {};
    case '/':
      return ask(Prompt::filter), TopWish();
    case 'v':
      view_ = view_ == TopDetail::View::mail   ? TopDetail::View::pane
              : view_ == TopDetail::View::pane ? TopDetail::View::why
                                               : TopDetail::View::mail;
      open_.clear();
      text_.clear();
      text_from_ = 0;
      detail_known_ = false;
      return {};
    default:
      break;
  }
  if (!agent) return {};
  const auto* mail = mail_at_cursor();
  switch (point) {
    case 'r':
      if (!mail || !mail->to_me) return say("there is no mail to you here to reply to"), TopWish();
      about_ = mail->id;
      return ask(Prompt::reply), TopWish();
    case 'a':
      if (!mail || !mail->to_me) return say("there is no mail to you here to acknowledge"), TopWish();
      return call("mail.ack", {{"id", JsonArray{Json(mail->id)}}});
    case 'm':
      about_ = selected_;
      return ask(Prompt::subject), TopWish();
    case 'n':
      about_ = selected_;
      return ask(Prompt::nudge), TopWish();
    case 'h':
      return call(agent->held ? "release" : "hold", {{"agent", selected_}});
    case 'x':
      if (agent->quarantined) return call("agent.quarantine", {{"agent", selected_}, {"lift", true}});
      about_ = selected_;
      mode_ = Mode::confirm;
      return {};
    default:
      return {};
  }
}

void TopScreen::ask(Prompt prompt) {
  mode_ = Mode::prompt;
  prompt_ = prompt;
  typed_ = prompt == Prompt::filter ? filter_ : std::string();
}

TopWish TopScreen::type(const Key& key) {
  switch (key.name) {
    case Key::Name::escape:
      mode_ = Mode::browse;
      if (prompt_ == Prompt::filter) filter_.clear();
      return {};
    case Key::Name::enter:
      return submit();
    case Key::Name::backspace:
      drop_last_character(typed_);
      break;
    case Key::Name::control:
      if (key.point == 'u') typed_.clear();
      break;
    case Key::Name::character:
      if (!key.alt && typed_.size() < kMostTyped) append_utf8(typed_, key.point);
      break;
    default:
      break;
  }
  if (prompt_ == Prompt::filter) {
    filter_ = typed_;
    const auto all = listed();
    const bool shown =
        std::any_of(all.begin(), all.end(), [&](const TopAgent* one) { return one->address == selected_; });
    if (!shown) select_at(0);
  }
  return {};
}

TopWish TopScreen::submit() {
  mode_ = Mode::browse;
  const auto text = std::string(trim(typed_));
  if (prompt_ == Prompt::filter) return {};
  if (text.empty()) return say("nothing was sent"), TopWish();
  switch (prompt_) {
    case Prompt::reply:
      return call("mail.reply", {{"id", about_}, {"body", text}});
    case Prompt::nudge:
      return call("nudge", {{"target", about_}, {"body", text}});
    case Prompt::subject:
      subject_ = text;
      return ask(Prompt::body), TopWish();
    case Prompt::body:
      return call("mail.send", {{"to", JsonArray{Json(about_)}}, {"subject", subject_}, {"body", text}});
    case Prompt::filter:
      break;
  }
  return {};
}

}  // namespace townpost
