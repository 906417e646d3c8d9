#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "cli/render_feed.h"
#include "tty/canvas.h"
#include "tty/keys.h"

namespace townpost {

/// An agent as `gt top` lists it.
struct TopAgent {
  std::string address;
  std::string state;  ///< in words for people
  std::string asks;   ///< what it needs a person for, or what else is to be known of it
  std::string where;
  std::optional<Instant> since;
  std::int64_t unread = 0;
  std::int64_t nudges = 0;
  bool needs_somebody = false;
  bool held = false;
  bool quarantined = false;
};

/// What the screen wants to be done: whoever drives it does it, and tells it what came of it.
struct TopWish {
  enum class Kind { nothing, quit, attach, call };
  Kind kind = Kind::nothing;
  std::string agent;  ///< to attach to
  std::string op;     ///< to call…
  JsonObject args;
};

/// What the part of the screen beside the list shows, for driving it: another value means other data.
struct TopDetail {
  enum class View { mail, pane, why };
  View view = View::mail;
  std::string agent;
  std::string message;  ///< the one that is open; empty: the lists
  friend bool operator==(const TopDetail&, const TopDetail&) = default;
};

/// The screen of `gt top` as a value: what is known, what is selected, what is being typed. It changes by answers and
/// keys, and is drawn on a canvas; it knows neither terminal nor town.
class TopScreen {
 public:
  // What is known: answers of `status`, `feed`, and of the operations behind wanted().
  void know_status(const JsonObject& status, std::string_view town, Instant now);
  void add_news(std::vector<FeedRow> rows);
  void know_mail(const JsonArray& to_me, const JsonArray& its_own);
  void know_text(std::string_view text);
  /// A word about what was done, or what is wrong; it stays until the next key.
  enum class Tone { news, trouble };
  void say(std::string_view text, Tone tone = Tone::news);

  TopWish handle(const Key& key);
  TopDetail wanted() const;
  /// Of whom no more than a look is wanted, as long as nobody is selected.
  const TopAgent* selected() const;
  /// Whether somebody needs a person since the last call who did not before.
  bool take_alarm() { return std::exchange(alarm_, false); }
  bool is_typing() const { return mode_ == Mode::prompt; }

  void draw(Canvas& canvas, Instant now) const;

 private:
  enum class Mode { browse, prompt, confirm, help };
  enum class Focus { agents, detail, news };
  enum class Prompt { filter, reply, nudge, subject, body };
  struct MailLine {
    std::string id;
    std::string from;
    std::string subject;
    bool unread = false;
    bool urgent = false;
    bool to_me = false;
  };

  std::vector<const TopAgent*> listed() const;
  void select(std::ptrdiff_t step);
  void select_at(std::size_t place);
  void close_mail();
  void move(std::ptrdiff_t step);
  TopWish browse(const Key& key);
  TopWish letter(char32_t point);
  TopWish type(const Key& key);
  TopWish enter();
  TopWish submit();
  void ask(Prompt prompt);
  const MailLine* mail_at_cursor() const;
  TopWish call(std::string_view op, JsonObject args) const;

  void draw_head(Canvas& canvas) const;
  void draw_agents(Canvas& canvas, const Area& area, Instant now) const;
  void draw_detail(Canvas& canvas, const Area& area) const;
  void draw_mail(Canvas& canvas, const Area& area) const;
  void draw_text(Canvas& canvas, const Area& area) const;
  void draw_news(Canvas& canvas, const Area& area) const;
  void draw_foot(Canvas& canvas) const;
  void draw_help(Canvas& canvas) const;

  std::string town_;
  bool all_held_ = false;
  bool watching_ = true;
  bool alarm_ = false;
  bool knows_somebody_ = false;
  std::vector<TopAgent> agents_;
  std::string selected_;  ///< the address; it stays selected wherever it moves to
  std::string filter_;
  std::deque<FeedRow> news_;
  std::size_t news_back_ = 0;  ///< how many of the newest lines are below the screen

  TopDetail::View view_ = TopDetail::View::mail;
  std::string open_;  ///< the message that is read
  std::vector<MailLine> mail_;
  std::size_t mail_cursor_ = 0;
  std::vector<std::string> text_;  ///< of the message, the pane, or why
  std::size_t text_from_ = 0;
  bool detail_known_ = false;

  Mode mode_ = Mode::browse;
  Focus focus_ = Focus::agents;
  Prompt prompt_ = Prompt::filter;
  std::string typed_;
  std::string about_;  ///< the agent or message that the prompt is about
  std::string subject_;
  std::string said_;
  Tone tone_ = Tone::news;
};

}  // namespace townpost
