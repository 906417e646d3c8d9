#include "socket/socket_engine.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/// A server that does not take a call within this time is not there for us.
constexpr Millis kToTake = std::chrono::seconds(2);
/// What it has taken, it answers; it may wait for others first.
const Millis kToAnswer = std::chrono::hours(24);

bool can_travel(const Op& op, const Environment& environment) {
  return op.where == Where::anywhere && !environment.get("GT_STORE") && environment.get("GT_SERVER") != "off";
}

}  // namespace

/// A connection that serves one request.
class SocketEngine::Line {
 public:
  explicit Line(FrameClient client) : client_(std::move(client)) {}

  Result<> send(const std::string& frame) { return client_.send(frame, Deadline::in(kToTake)); }
  /// The next frame that answers; of rings, and of word that a call has begun, it only notes that they came.
  Result<std::string> answer() {
    was_taken_ = false;
    while (true) {
      TRY(frame, client_.receive(Deadline::in(kToAnswer)));
      const auto kind = speech::kind_of(frame);
      if (kind != Kind::rang && kind != Kind::taken) return std::move(frame);
      rang_ = rang_ || kind == Kind::rang;
      was_taken_ = was_taken_ || kind == Kind::taken;
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
    while (true) {
      const auto frame = client_.receive_now();
      if (!frame) return false;
      if (!*frame) return true;
      rang_ = rang_ || speech::kind_of(**frame) == Kind::rang;
      if (speech::kind_of(**frame) == Kind::not_served) return false;
    }
  }
  int fd() const { return client_.fd(); }

  bool something_follows = false;
  bool served_last = false;  ///< whether it gave the request's last answer

 private:
  FrameClient client_;
  bool rang_ = false;
  bool was_taken_ = false;
};

/// Waits for the server to tell of a ring, for the end of a process, and for being cancelled.
class SocketEngine::RemotePause final : public Engine::Pause {
 public:
  /// `ahead`: so far the town's clock is ahead of ours.
  RemotePause(std::shared_ptr<Line> line, const Again& again, Request& request, Millis ahead)
      : line_(std::move(line)),
        request_(request),
        ahead_(ahead),
        process_(again.process > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, again.process, 0)) : -1) {}

  using Pause::wait;
  bool wait(Instant until, const std::vector<int>& ends) override {
    gone_ = gone_ || !line_->hear();
    if (line_->take_ring()) return true;
    if (request_.deadline && *request_.deadline < until) until = *request_.deadline;
    std::vector<pollfd> watched = {{.fd = gone_ ? -1 : line_->fd(), .events = POLLIN, .revents = 0}};
    for (const int end : ends) watched.push_back({.fd = end, .events = POLLIN, .revents = 0});
    if (process_) watched.push_back({.fd = process_.get(), .events = POLLIN, .revents = 0});
    if (request_.cancellation && request_.cancellation->fd() >= 0)
      watched.push_back({.fd = request_.cancellation->fd(), .events = POLLIN, .revents = 0});
    const Millis left = until - (request_.call->host.clock().now() + ahead_);
    if (left <= Millis(0)) return false;
    // Nobody tells us anything any more: look every second.
    if (::poll(watched.data(), watched.size(), Deadline::in(gone_ ? std::min(left, kLookAgain) : left).left_ms()) <= 0)
      return false;
    if (watched.front().revents == 0) return true;
    gone_ = gone_ || !line_->hear();
    return line_->take_ring();
  }

 private:
  static constexpr Millis kLookAgain = std::chrono::seconds(1);
  std::shared_ptr<Line> line_;
  Request& request_;
  const Millis ahead_;
  FileDescriptor process_;
  bool gone_ = false;
};

SocketEngine::~SocketEngine() = default;

std::shared_ptr<SocketEngine::Line> SocketEngine::line_for(Call& call) {
  const Request* owner = &call.request;
  if (const auto known = lines_[owner].lock()) return newest_ = known;
  const auto folder = call.town_folder();
  const auto place = folder ? socket_of_town(*folder) : std::filesystem::path();
  if (place.empty()) return nullptr;
  auto client = FrameClient::connect(place, Deadline::in(kToTake));
  if (!client || !*client) return nullptr;
  newest_ = std::make_shared<Line>(std::move(**client));
  std::erase_if(lines_, [](const auto& one) { return one.second.expired(); });
  lines_[owner] = newest_;
  return newest_;
}

std::optional<Result<Answer>> SocketEngine::ask(Line& line, const Op& op, const Args& args, Request& request) {
  const speech::CallHead head{
      .release = TOWNPOST_VERSION, .as = request.origin.identity.flag, .zone = environment_.get("TZ").value_or("")};
  line.served_last = false;
  if (!line.send(speech::call_frame(head, wire::call_text(op, args, request)))) return std::nullopt;
  const auto frame = line.answer();
  if (!frame) {
    if (!line.was_taken()) return std::nullopt;
    return fail(Code::unavailable, "the town's server ended before it answered, so this may be done or not",
                "look before you try again");
  }
  const auto kind = speech::kind_of(*frame);
  if (kind != Kind::reply && kind != Kind::reply_more) return std::nullopt;
  line.something_follows = kind == Kind::reply_more;
  line.served_last = true;
  return wire::read_reply(speech::rest_of(*frame));
}

Result<Answer> SocketEngine::call(const Op& op, const Args& args, Request& request) {
  const auto call = here_.begin(args, request);
  if (auto quick = answer_without_store(op, *call)) return std::move(*quick);
  if (can_travel(op, environment_))
    if (const auto line = line_for(*call)) {
      if (auto answered = ask(*line, op, args, request)) return std::move(*answered);
      lines_.erase(&request);
    }
  return here_.answer_with_store(op, *call);
}

Result<> SocketEngine::handed_over(Request& request) {
  const auto found = lines_.find(&request);
  const auto line = found == lines_.end() ? nullptr : found->second.lock();
  if (!line || !line->served_last) return here_.handed_over(request);
  if (!std::exchange(line->something_follows, false)) return {};
  TRY_VOID(line->send(speech::frame(Kind::handed_over)));
  TRY(frame, line->answer());
  if (speech::kind_of(frame) != Kind::done)
    return fail(Code::unavailable, "the town's server did not note that you have the answer", "");
  const auto followed = wire::read_reply(speech::rest_of(frame));
  return followed ? Result<>() : Result<>(fail(followed.error()));
}

Result<std::unique_ptr<Engine::Pause>> SocketEngine::pause(const Again& again, Request& request) {
  const auto found = lines_.find(&request);
  const auto line = found == lines_.end() ? nullptr : found->second.lock();
  if (!line || !line->served_last) return here_.pause(again, request);
  if (line->send(speech::frame(Kind::listen)))
    if (const auto frame = line->answer(); frame && speech::kind_of(*frame) == Kind::listening) {
      const auto now = whole_number(speech::rest_of(*frame));
      const Millis ahead = now ? Instant{*now} - request.call->host.clock().now() : Millis(0);
      return std::unique_ptr<Pause>(std::make_unique<RemotePause>(line, again, request, ahead));
    }
  // It cannot have one more wait there: this process does.
  TRY_VOID(request.call->town());
  return here_.pause(again, request);
}

}  // namespace townpost
