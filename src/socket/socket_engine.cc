#include "socket/socket_engine.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/advice.h"
#include "base/number.h"
#include "base/text.h"
#include "net/frame_client.h"
#include "ops/gate.h"
#include "ops/wire.h"
#include "socket/place.h"
#include "socket/speech.h"

namespace townpost {

namespace {

using speech::Kind;

/// A server that says nothing for so long is asked if it still runs, and has as long again to say so. One that runs and
/// has too much to do has five times that to begin.
Millis to_take(const Request& request) { return Millis(request.haste == Haste::hook ? 500 : 2'000); }
/// The same once it has begun.
constexpr Millis kSilence = std::chrono::seconds(5);
/// The same for whoever waits for mail: then a silence is nothing unusual.
constexpr Millis kLongSilence = std::chrono::seconds(30);
/// One that runs and does not answer has something that never ends.
constexpr Millis kToAnswer = std::chrono::minutes(10);
constexpr Millis kLeftAlone = std::chrono::minutes(1);

NextStep replace_it() { return next("up", {{"detach", "true"}, {"replace", "true"}}, " starts another one"); }

bool can_travel(const Op& op, const Environment& environment) {
  return op.where == Where::anywhere && !environment.get("GT_STORE") && environment.get("GT_SERVER") != "off";
}

}  // namespace

/// A connection that serves one request.
class SocketEngine::Line {
 public:
  Line(FrameClient client, Millis to_take) : client_(std::move(client)), to_take_(to_take) {}

  Result<> send(const std::string& frame) { return client_.send(frame, Deadline::in(to_take_)); }
  /// The next frame that answers; of the others it only notes that they came. Error: the server has gone, or does not
  /// answer. Where the call `must_be_taken` and was not, it never will be.
  Result<std::string> answer(bool must_be_taken = false) {
    const auto answered_by = Deadline::in(kToAnswer), taken_by = Deadline::in(to_take_ * 5);
    was_taken_ = false;
    bool is_asked = false, has_come = false;
    while (true) {
      const bool waits_to_be_taken = must_be_taken && !was_taken_;
      const auto& end = waits_to_be_taken ? taken_by : answered_by;
      auto frame = client_.receive(end.or_in(is_asked || !has_come ? to_take_ : kSilence));
      if (frame) {
        is_asked = false;
        has_come = true;
        if (is_answer(*frame)) return frame;
        continue;
      }
      if (frame.error().code != Code::timeout) return frame;
      if (!is_asked && end.left_ms() > 0 && send(speech::frame(Kind::ask_alive))) {
        is_asked = true;
        continue;
      }
      is_silent = is_asked || !waits_to_be_taken;
      if (waits_to_be_taken) call_off();
      return fail(Code::timeout, "the town's server does not answer", replace_it());
    }
  }
  /// Whether what was asked last had begun.
  bool was_taken() const { return was_taken_; }
  /// Whether something rang since the last call; false if there was nothing to read either.
  bool take_ring() {
    if (!std::exchange(rang_, false)) return false;
    return static_cast<bool>(send(speech::frame(Kind::heard)));  // before whoever asks looks again
  }
  /// Takes what came while nobody waited for an answer. False once the server has gone.
  bool hear() {
    while (!has_gone_) {
      const auto frame = client_.receive_now();
      if (frame && !*frame) return true;
      has_come_ = true;
      has_gone_ = !frame || (is_answer(**frame) && speech::kind_of(**frame) == Kind::not_served);
    }
    return false;
  }
  bool has_come() { return std::exchange(has_come_, false); }
  int fd() const { return client_.fd(); }
  /// Has rings told from now on. The server's clock, if it does that; else nothing.
  std::optional<Instant> listen() {
    if (!send(speech::frame(Kind::listen))) return std::nullopt;
    const auto frame = answer();
    if (!frame || speech::kind_of(*frame) != Kind::listening) return std::nullopt;
    const auto now = whole_number(speech::rest_of(*frame));
    return now ? std::optional(Instant{*now}) : std::nullopt;
  }

  bool something_follows = false;
  bool served_last = false;  ///< whether it gave the request's last answer
  bool is_silent = false;    ///< the server is there, but stopped or stuck

 private:
  /// Nothing the server does from here on reaches us, and it begins nothing that it cannot tell us of.
  void call_off() {
    client_.hear_no_more();
    while (true) {
      const auto frame = client_.receive_now();
      if (!frame || !*frame) return;
      (void)is_answer(**frame);
    }
  }
  bool is_answer(const std::string& frame) {
    const auto kind = speech::kind_of(frame);
    rang_ = rang_ || kind == Kind::rang;
    was_taken_ = was_taken_ || kind == Kind::taken;
    return kind != Kind::rang && kind != Kind::taken && kind != Kind::alive;
  }

  FrameClient client_;
  const Millis to_take_;
  bool rang_ = false;
  bool was_taken_ = false;
  bool has_come_ = false;
  bool has_gone_ = false;
};

/// Waits for the server to tell of a ring, for the end of a process, and for being cancelled. If the server goes, it
/// goes on with whoever answers the next look.
class SocketEngine::RemotePause final : public Engine::Pause {
 public:
  RemotePause(SocketEngine& engine, std::shared_ptr<Line> line, Instant now_there, Again again, Request& request)
      : engine_(engine),
        line_(std::move(line)),
        again_(std::move(again)),
        request_(request),
        process_(again_.process > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, again_.process, 0)) : -1) {
    note_clock(now_there);
    engine_.pauses_.emplace(&request_, this);
  }
  ~RemotePause() override {
    std::erase_if(engine_.pauses_, [this](const auto& one) { return one.second == this; });
  }
  RemotePause(const RemotePause&) = delete;
  RemotePause& operator=(const RemotePause&) = delete;

  /// Who answered last: a server, or this process.
  void answered_by(const std::shared_ptr<Line>& line) {
    if (!gone_) return;
    next_ = line;
    has_looked_ = true;
  }

  using Pause::wait;
  bool wait(Instant until, const std::vector<int>& ends) override {
    if (instead_) return instead_->wait(until, ends);
    // What rang before anybody listened again was not heard: look once more.
    if (has_looked_ && goes_on()) return true;
    if (request_.deadline && *request_.deadline < until) until = *request_.deadline;
    std::vector<pollfd> watched = {{.fd = line_->fd(), .events = POLLIN, .revents = 0}};
    for (const int end : ends) watched.push_back({.fd = end, .events = POLLIN, .revents = 0});
    if (process_) watched.push_back({.fd = process_.get(), .events = POLLIN, .revents = 0});
    if (request_.cancellation && request_.cancellation->fd() >= 0)
      watched.push_back({.fd = request_.cancellation->fd(), .events = POLLIN, .revents = 0});
    while (true) {
      if (is_lost() || line_->take_ring()) return true;
      const Millis left = until - (request_.call->host.clock().now() + ahead_);
      if (left <= Millis(0)) return false;
      // Nobody tells us anything any longer: look every second.
      if (gone_) watched.front().fd = -1;
      const Millis most = gone_ ? kLookAgain : is_asked_ ? to_take(request_) : kLongSilence;
      const int ready = ::poll(watched.data(), watched.size(), Deadline::in(std::min(left, most)).left_ms());
      if (ready > 0 && watched.front().revents == 0) return true;
      if (ready < 0 || (ready == 0 && (gone_ || left <= most))) return gone_;
      if (ready > 0) {
        if (is_lost()) return true;
        if (line_->has_come()) is_asked_ = false;
      } else if (is_asked_ || !line_->send(speech::frame(Kind::ask_alive))) {
        line_->is_silent = gone_ = true;
        return true;
      } else {
        is_asked_ = true;
      }
    }
  }

 private:
  static constexpr Millis kLookAgain = std::chrono::seconds(1);
  /// Whether the server has just gone.
  bool is_lost() { return !gone_ && (gone_ = !line_->hear()); }
  void note_clock(Instant now_there) { ahead_ = now_there - request_.call->host.clock().now(); }
  /// With the server that answered last, else in this process. False if neither can have this wait now.
  bool goes_on() {
    has_looked_ = false;
    const auto line = std::exchange(next_, nullptr);
    if (const auto now = line ? line->listen() : std::nullopt) {
      line_ = line;
      note_clock(*now);
      gone_ = is_asked_ = false;
      return true;
    }
    auto here = engine_.pause_here(again_, request_);
    if (here) instead_ = std::move(*here);
    return instead_ != nullptr;
  }

  SocketEngine& engine_;
  std::shared_ptr<Line> line_;
  const Again again_;
  Request& request_;
  FileDescriptor process_;
  Millis ahead_{};              ///< so far the town's clock is ahead of ours
  bool is_asked_ = false;       ///< whether the server still runs
  bool gone_ = false;           ///< nobody tells us of rings at this line any longer
  bool has_looked_ = false;     ///< since then
  std::shared_ptr<Line> next_;  ///< of whoever answered that look
  std::unique_ptr<Pause> instead_;
};

SocketEngine::~SocketEngine() = default;

std::shared_ptr<SocketEngine::Line> SocketEngine::line_for(Call& call) {
  const Request* owner = &call.request;
  const auto known = lines_[owner].lock();
  if (known && !known->is_silent && known->hear()) return newest_ = known;
  if (known) {
    if (known->is_silent) leave_alone(call.request);
    lines_.erase(owner);
  }
  if (std::chrono::steady_clock::now() < ask_again_at_) return nullptr;
  const auto folder = call.town_folder();
  const auto place = folder ? socket_of_town(*folder) : std::filesystem::path();
  if (place.empty()) return nullptr;
  auto client = FrameClient::connect(place, Deadline::in(to_take(call.request)));
  if (!client || !*client) return nullptr;
  newest_ = std::make_shared<Line>(std::move(**client), to_take(call.request));
  std::erase_if(lines_, [](const auto& one) { return one.second.expired(); });
  lines_[owner] = newest_;
  return newest_;
}

std::optional<Result<Answer>> SocketEngine::ask(Line& line, const Op& op, const Args& args, Request& request) {
  const speech::CallHead head{
      .release = TOWNPOST_VERSION, .as = request.origin.identity.flag, .zone = environment_.get("TZ").value_or("")};
  line.served_last = false;
  if (const auto sent = line.send(speech::call_frame(head, wire::call_text(op, args, request))); !sent) {
    line.is_silent = sent.error().code == Code::timeout;
    return std::nullopt;
  }
  const auto frame = line.answer(speech::must_be_taken(op));
  if (!frame) {
    if (!line.was_taken() || speech::may_be_repeated(op, args)) return std::nullopt;
    return fail(Code::unavailable,
                line.is_silent ? "the town's server does not answer, so this may be done or not"
                               : "the town's server ended before it answered, so this may be done or not",
                line.is_silent ? "look before you try again; " + replace_it() : NextStep("look before you try again"));
  }
  const auto kind = speech::kind_of(*frame);
  if (kind != Kind::reply && kind != Kind::reply_more) return std::nullopt;
  line.something_follows = kind == Kind::reply_more;
  line.served_last = true;
  return wire::read_reply(speech::rest_of(*frame), request.kept);
}

void SocketEngine::tell_pause(const Request& request, const std::shared_ptr<Line>& line) {
  const auto [first, last] = pauses_.equal_range(&request);
  for (auto one = first; one != last; ++one) one->second->answered_by(line);
}

Result<Answer> SocketEngine::call(const Op& op, const Args& args, Request& request) {
  const auto call = here_.begin(args, request);
  if (auto quick = answer_without_store(op, *call)) return std::move(*quick);
  if (can_travel(op, environment_))
    if (const auto line = line_for(*call)) {
      if (auto answered = ask(*line, op, args, request)) {
        tell_pause(request, line);
        return std::move(*answered);
      }
      lines_.erase(&request);
      tell_pause(request, nullptr);
      if (line->is_silent) {
        const bool tell = request.haste == Haste::none;
        leave_alone(request);
        auto answer = here_.answer_with_store(op, *call);
        if (answer && tell)
          answer->warnings.push_back(cat("the town's server does not answer, so this command did its own work; ",
                                         called("up", {{"detach", "true"}, {"replace", "true"}}),
                                         " starts another one"));
        if (!answer && answer.error().code == Code::unavailable)
          return fail(Code::unavailable, cat("the town's server does not answer, and ", answer.error().message),
                      replace_it());
        return answer;
      }
    }
  tell_pause(request, nullptr);
  return here_.answer_with_store(op, *call);
}

void SocketEngine::leave_alone(Request& request) {
  ask_again_at_ = std::chrono::steady_clock::now() + kLeftAlone;
  // It may have stopped in the middle of a write, which nobody can pass.
  if (request.haste == Haste::none) request.haste = Haste::service;
}

Result<> SocketEngine::handed_over(Request& request) {
  const auto found = lines_.find(&request);
  const auto line = found == lines_.end() ? nullptr : found->second.lock();
  if (!line || !line->served_last) return here_.handed_over(request);
  if (!std::exchange(line->something_follows, false)) return {};
  const auto sent = line->send(speech::frame(Kind::handed_over));
  const auto frame = sent ? line->answer() : Result<std::string>(fail(sent.error()));
  // Where the server has gone it is not noted that the answer was seen, so what was shown may be shown once more. That
  // is no reason to say that the command failed.
  if (!frame || speech::kind_of(*frame) != Kind::done) return {};
  const auto followed = wire::read_reply(speech::rest_of(*frame));
  return followed ? Result<>() : Result<>(fail(followed.error()));
}

Result<std::unique_ptr<Engine::Pause>> SocketEngine::pause(const Again& again, Request& request) {
  const auto found = lines_.find(&request);
  const auto line = found == lines_.end() ? nullptr : found->second.lock();
  if (!line || !line->served_last) return here_.pause(again, request);
  if (const auto now = line->listen())
    return std::unique_ptr<Pause>(std::make_unique<RemotePause>(*this, line, *now, again, request));
  return pause_here(again, request);  // it cannot have one more wait there
}

Result<std::unique_ptr<Engine::Pause>> SocketEngine::pause_here(const Again& again, Request& request) {
  TRY_VOID(request.call->town());
  return here_.pause(again, request);
}

}  // namespace townpost
