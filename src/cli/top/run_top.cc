#include "cli/top/run_top.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "base/local_time.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/render.h"
#include "cli/render_feed.h"
#include "cli/screen.h"
#include "cli/spell.h"
#include "cli/top/top_screen.h"
#include "tty/terminal.h"

namespace townpost {

namespace {

using std::chrono::milliseconds;

constexpr Millis kAgesGrow = std::chrono::minutes(1);
/// However often bells ring, the town is looked at once in this time.
constexpr Millis kBetweenLooks = milliseconds(250);
/// So long the rest of a key may take that begins like the escape key.
constexpr Millis kRestOfKey = milliseconds(50);
/// A terminal that takes nothing is tried again.
constexpr Millis kStalled = milliseconds(200);
constexpr std::int64_t kMostMail = 50;

/// `gt top` at work: a screen, a terminal, and the town behind the engine.
class Top {
 public:
  Top(const CommandLine& line, const CliHost& host, TakenTerminal& terminal)
      : line_(line),
        host_(host),
        terminal_(terminal),
        signals_({SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT}),
        colour_(uses_colour(line.colour, true, host.environment)),
        watching_(request()),
        news_(request()) {}

  int run() {
    look();
    while (true) {
      draw();
      wait();
      for (const int number : signals_.read()) {
        if (number == SIGWINCH || number == SIGCONT)
          shown_.reset();
        else
          return 128 + number;
      }
      const auto bytes = terminal_.read();
      if (!bytes || !terminal_.flush()) return kExitDone;  // nobody is there any more
      keys_.add(*bytes);
      if (bytes->empty() && keys_.is_within()) keys_.settle();
      while (const auto key = keys_.next())
        if (!carry_out(screen_.handle(*key))) return kExitDone;
      if (host_.clock.now() >= next_look_) look();
      if (screen_.wanted() != detail_) look_at_detail();
    }
  }

 private:
  Request request() const {
    return {.origin = host_.origin(line_.town, line_.as, Haste::service),
            .haste = Haste::service,
            .started_at = host_.clock.now(),
            .input = [] { return Result<std::string>(std::string()); },
            .tell = [](std::string_view) {}};
  }

  struct Called {
    const Op* op = nullptr;
    Answer answer;
  };
  Result<Called> tried(std::string_view name, const JsonObject& given, Request& request) {
    const Op* op = find_op(name);
    const auto in_words = [&](const Error& error) {
      const auto [message, hint] = spelled(error, op);
      return fail(error.code, with_local_moments(cat(message, hint.empty() ? "" : "; ", hint), host_.clock.now()));
    };
    const auto args = Args::check(op->args, given);
    if (!args) return in_words(args.error());
    auto answer = host_.engine.call(*op, *args, request);
    if (!answer) return in_words(answer.error());
    if (op->effect != Effect::reads) (void)host_.engine.handed_over(request);  // no list of ours moves what `1` means
    return Called{op, std::move(*answer)};
  }
  /// Trouble is said at the foot of the screen.
  std::optional<Called> call(std::string_view name, const JsonObject& given, Request& request) {
    auto called = tried(name, given, request);
    if (called) return std::move(*called);
    screen_.say(called.error().message, TopScreen::Tone::trouble);
    return std::nullopt;
  }
  std::optional<Called> call(std::string_view name, const JsonObject& given) {
    auto fresh = request();
    return call(name, given, fresh);
  }

  Screen as_plain_text() const { return {.terminal = true, .now = host_.clock.now(), .canvas = true}; }
  std::string in_words(const Called& called) const {
    CommandLine line{.op = called.op};
    return render(line, called.answer, as_plain_text()).bytes();
  }

  void look() {
    const Instant now = host_.clock.now();
    next_look_ = now + kAgesGrow;
    looked_at_ = now;
    if (const auto status = call("status", {{"watch", true}}, watching_)) {
      screen_.know_status(status->answer.json.get_object(), town_name(*status), now);
      if (screen_.take_alarm()) terminal_.write(Shown::bell().bytes());
      if (!bells_ && status->answer.again)
        if (auto listening = host_.engine.pause(*status->answer.again, watching_)) {
          bells_ = std::move(*listening);
          next_look_ = now;  // what rang before anybody listened was not heard
        }
    }
    if (const auto news = call("feed", {{"follow", true}}, news_)) {
      std::vector<FeedRow> rows;
      for (const auto& entry : news->answer.json.get_array())
        rows.push_back(feed_row(entry.get_object(), as_plain_text()));
      screen_.add_news(std::move(rows));
    }
    look_at_detail();
  }

  static std::string town_name(const Called& status) {
    const auto* name = status.answer.json.get_object().if_contains("town");
    return name && name->is_string() ? std::string(name->get_string()) : "town";
  }

  void look_at_detail() {
    detail_ = screen_.wanted();
    if (detail_.agent.empty()) return;
    if (!detail_.message.empty()) {
      if (const auto mail = call("mail.read", {{"id", detail_.message}, {"keep_unread", true}}))
        screen_.know_text(in_words(*mail));
      return;
    }
    switch (detail_.view) {
      case TopDetail::View::mail:
        return look_at_mail();
      case TopDetail::View::pane:
        return look_at_pane();
      case TopDetail::View::why:
        if (const auto why = call("why", {{"what", detail_.agent}})) screen_.know_text(in_words(*why));
        return;
    }
  }

  /// An agent without one says where it is instead.
  void look_at_pane() {
    auto fresh = request();
    const auto pane = tried("agent.peek", {{"agent", detail_.agent}}, fresh);
    screen_.know_text(pane ? std::string_view(pane->answer.json.get_object().at("text").as_string())
                           : std::string_view(pane.error().message));
  }

  void look_at_mail() {
    const auto to_me = call("mail.inbox", {{"from", detail_.agent}, {"limit", kMostMail}});
    const auto its_own = call("mail.inbox", {{"address", detail_.agent}, {"unread", true}, {"limit", kMostMail}});
    if (to_me && its_own) screen_.know_mail(to_me->answer.json.get_array(), its_own->answer.json.get_array());
  }

  /// False: it is over.
  bool carry_out(const TopWish& wish) {
    switch (wish.kind) {
      case TopWish::Kind::nothing:
        return true;
      case TopWish::Kind::quit:
        return false;
      case TopWish::Kind::attach: {
        terminal_.lend();
        const auto jump = call("attach", {{"agent", wish.agent}});
        terminal_.take_back();
        shown_.reset();
        if (jump) say_first_line(in_words(*jump));
        break;
      }
      case TopWish::Kind::call:
        if (const auto done = call(wish.op, wish.args)) say_first_line(in_words(*done));
        break;
    }
    next_look_ = host_.clock.now();
    return true;
  }

  void say_first_line(std::string_view text) { screen_.say(text.substr(0, text.find('\n'))); }

  void draw() {
    const auto size = terminal_.size();
    Canvas now(size.columns, size.lines);
    screen_.draw(now, host_.clock.now());
    if (terminal_.has_unwritten()) return;  // what it has not taken yet comes first
    terminal_.write(repaint(shown_ ? &*shown_ : nullptr, now, colour_));
    shown_ = std::move(now);
  }

  void wait() {
    const Instant now = host_.clock.now();
    Instant until = next_look_;
    if (keys_.is_within()) until = std::min(until, now + kRestOfKey);
    if (terminal_.has_unwritten()) until = std::min(until, now + kStalled);
    if (until <= now) return;
    if (bells_) {
      // What rings often is looked at no more often for that.
      if (bells_->wait(until, {terminal_.fd(), signals_.fd()}))
        next_look_ = std::min(next_look_, std::max(host_.clock.now(), looked_at_ + kBetweenLooks));
      return;
    }
    pollfd ends[] = {{.fd = terminal_.fd(), .events = POLLIN, .revents = 0},
                     {.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
    ::poll(ends, 2, static_cast<int>((until - now).count()));
  }

  const CommandLine& line_;
  const CliHost& host_;
  TakenTerminal& terminal_;
  SignalInbox signals_;
  bool colour_;
  Request watching_;  ///< keeps the town open
  Request news_;      ///< and how far its log has been read
  TopScreen screen_;
  TopDetail detail_;
  KeyReader keys_;
  std::optional<Canvas> shown_;
  std::unique_ptr<Engine::Pause> bells_;
  Instant looked_at_;
  Instant next_look_;
};

}  // namespace

bool is_full_screen(const CommandLine& line, const CliHost& host) {
  if (line.op->name != "top" || line.json || line.quiet || !line.args.empty()) return false;
  return host.in_is_terminal && host.out_is_terminal && host.environment.get("TERM").value_or("dumb") != "dumb";
}

int run_top(const CommandLine& line, const CliHost& host) {
  auto terminal = TakenTerminal::open();
  if (!terminal) {
    host.err(Shown::line(cat("gt: ", terminal.error().message)));
    return exit_code(terminal.error().code);
  }
  return Top(line, host, **terminal).run();
}

}  // namespace townpost
