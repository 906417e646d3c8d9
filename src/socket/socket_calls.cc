#include "socket/socket_calls.h"

#include <deque>

#include "base/text.h"
#include "ops/wire.h"

namespace townpost {

using speech::Kind;

/// What one connection asks, one thing after another, whichever thread does it.
class SocketCalls::Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  Conversation(const Parts& parts, std::shared_ptr<FrameConnection> connection)
      : parts_(parts), connection_(std::move(connection)), gone_(std::make_shared<Cancellation>()) {}

  /// In the loop's thread.
  void received(std::string frame) {
    const auto kind = speech::kind_of(frame);
    if (kind == Kind::heard) return heard();
    if (kind == Kind::ask_alive) {
      connection_->send(speech::frame(Kind::alive));
      return;
    }
    if (kind != Kind::call && kind != Kind::handed_over && kind != Kind::listen && kind != Kind::succeed)
      return connection_->close();
    {
      const MutexLock lock(mutex_);
      if (is_leaving_) return;  // it is told already
      if (is_busy_) {           // a command waits for its answer before it asks again
        connection_->close();
        return;
      }
      is_busy_ = true;
    }
    auto work = [self = shared_from_this(), frame = std::move(frame)] { self->work(frame); };
    if (!parts_.workers.give(std::move(work))) answer(speech::frame(Kind::not_served, "the server has too much to do"));
  }
  /// Says that nothing more is done, once what is asked now is answered.
  void leave() {
    const MutexLock lock(mutex_);
    if (std::exchange(is_leaving_, true)) return;
    if (!is_busy_) connection_->send(not_served("the server ends"));
  }
  /// In the loop's thread: nobody waits for the answer any more.
  void closed() {
    gone_->cancel();
    heard();
  }

 private:
  void answer(const std::string& frame) {
    const MutexLock lock(mutex_);
    is_busy_ = false;
    connection_->send(frame);
    if (is_leaving_) connection_->send(not_served("the server ends"));
  }

  void work(const std::string& frame) {
    switch (*speech::kind_of(frame)) {
      case Kind::call:
        return answer(answer_to(speech::rest_of(frame)));
      case Kind::handed_over:
        return answer(speech::frame(Kind::done, wire::reply_text(followed())));
      case Kind::succeed:
        return give_socket();
      default:
        return begin_to_listen();
    }
  }

  static std::string not_served(std::string_view why) { return speech::frame(Kind::not_served, why); }

  std::string answer_to(std::string_view rest) {
    const auto received = speech::read_call_frame(rest);
    if (!received) return not_served(received.error().message);
    const auto& head = received->head;
    if (head.spoken < speech::kOldest || head.oldest > speech::kSpoken) return not_served("another release");
    if (head.zone != parts_.zone) return not_served("another time zone");
    auto call = wire::read_call(received->call);
    if (!call || call->op->where != Where::anywhere) return not_served("not done here");
    const auto args = Args::check(call->op->args, call->args);
    if (!args) return not_served("other arguments");  // the command checked them by its own rows
    if (!peer_) {
      auto peer = parts_.origin_of(connection_->peer(), head.as, call->haste);
      if (!peer) return not_served(peer.error().message);
      peer_ = std::move(*peer);
      request_.origin = peer_->origin;
      request_.origin.town = parts_.town;
      request_.cancellation = gone_;
      request_.input = [] { return Result<std::string>(std::string()); };
      request_.tell = [](std::string_view) {};
    }
    request_.haste = call->haste;
    request_.started_at = call->started_at;
    request_.deadline = call->deadline;
    request_.kept = std::move(call->kept);
    if (speech::must_be_taken(*call->op) && !connection_->send_at_once(speech::frame(Kind::taken)))
      return not_served("nobody waits for it");
    const auto reply = parts_.engine.call(*call->op, *args, request_);
    again_ = reply && reply->again ? reply->again : std::nullopt;
    const auto kind = request_.after_handover.empty() ? Kind::reply : Kind::reply_more;
    return speech::frame(kind, wire::reply_text(reply, request_.kept));
  }

  Result<Answer> followed() {
    if (!request_.call) return fail(Code::usage, "nothing was asked yet");
    TRY_VOID(parts_.engine.handed_over(request_));
    return Answer{};
  }

  void give_socket() {
    const auto peer = parts_.origin_of(connection_->peer(), std::nullopt, Haste::none);
    const auto socket = peer ? parts_.give_socket(*peer) : Result<FileDescriptor>(fail(peer.error()));
    if (!socket) return answer(not_served(socket.error().message));
    const MutexLock lock(mutex_);
    is_busy_ = false;
    connection_->send_descriptor(speech::frame(Kind::given), socket->get());
  }

  void begin_to_listen() {
    auto pause = again_ && request_.call ? parts_.engine.pause(*again_, request_)
                                         : Result<std::unique_ptr<Engine::Pause>>(fail(Code::usage, "no wait"));
    if (!pause) return answer(not_served(pause.error().message));
    const auto now = request_.call->clock().now();
    auto waiting = [self = shared_from_this(), pause = std::shared_ptr<Engine::Pause>(std::move(*pause))] {
      self->tell_rings(*pause);
    };
    if (!parts_.waiters.give(std::move(waiting))) return answer(not_served("too many wait"));
    answer(speech::frame(Kind::listening, std::to_string(now.ms)));
  }

  /// One ring at a time: what rings before it was heard of is told then.
  void tell_rings(Engine::Pause& pause) {
    while (!gone_->is_cancelled()) {
      pause.wait(kForever);
      MutexLock lock(mutex_);
      if (gone_->is_cancelled()) return;
      is_heard_ = false;
      connection_->send(speech::frame(Kind::rang));
      while (!is_heard_ && !gone_->is_cancelled()) heard_.wait(lock);
    }
  }
  void heard() {
    const MutexLock lock(mutex_);
    is_heard_ = true;
    heard_.notify_all();
  }

  const Parts& parts_;
  const std::shared_ptr<FrameConnection> connection_;
  const std::shared_ptr<Cancellation> gone_;
  // Of whichever thread does what was asked last.
  std::optional<PeerOrigin> peer_;
  Request request_;
  std::optional<Again> again_;

  Mutex mutex_;
  Signal heard_;
  bool is_busy_ GUARDED_BY(mutex_) = false;
  bool is_leaving_ GUARDED_BY(mutex_) = false;
  bool is_heard_ GUARDED_BY(mutex_) = false;
};

SocketCalls::~SocketCalls() = default;

void SocketCalls::connected(const std::shared_ptr<FrameConnection>& connection) {
  auto conversation = std::make_shared<Conversation>(parts_, connection);
  const MutexLock lock(mutex_);
  conversations_[connection.get()] = conversation;
  if (leaving_) conversation->leave();
}

void SocketCalls::leave() {
  const MutexLock lock(mutex_);
  leaving_ = true;
  for (const auto& [connection, conversation] : conversations_) conversation->leave();
}

void SocketCalls::received(const std::shared_ptr<FrameConnection>& connection, std::string frame) {
  std::shared_ptr<Conversation> conversation;
  {
    const MutexLock lock(mutex_);
    const auto found = conversations_.find(connection.get());
    if (found == conversations_.end()) return;
    conversation = found->second;
  }
  conversation->received(std::move(frame));
}

void SocketCalls::closed(const std::shared_ptr<FrameConnection>& connection) {
  std::shared_ptr<Conversation> conversation;
  {
    const MutexLock lock(mutex_);
    const auto found = conversations_.find(connection.get());
    if (found == conversations_.end()) return;
    conversation = std::move(found->second);
    conversations_.erase(found);
  }
  conversation->closed();
}

}  // namespace townpost
