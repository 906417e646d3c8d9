#include "net/acceptor.h"

#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <utility>

namespace townpost {

namespace {

constexpr Millis kBreath{50};
constexpr int kMostAtOnce = 64;  // then others have their turn
constexpr int kMostAtTheEnd = 4096;

bool is_lack(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

}  // namespace

Acceptor::Acceptor(std::shared_ptr<LoopCore> core, FileDescriptor socket, Asks asks)
    : core_(std::move(core)), asks_(std::move(asks)) {
  socket_.emplace(*core_, std::move(socket));
}

void Acceptor::start() {
  if (socket_) socket_->await_readable(shared_from_this());
}

void Acceptor::close() {
  if (!socket_) return;
  take_in(kMostAtTheEnd);
  socket_.reset();
  asks_ = {};  // they may hold whoever holds this
}

void Acceptor::readable() {
  if (!socket_) return;
  take_in(kMostAtOnce);
}

void Acceptor::take_in(int most) {
  for (int i = 0; i < most; ++i) {
    FileDescriptor one(::accept4(socket_->fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (one) {
      try {
        asks_.accepted(std::move(one));
      } catch (const std::exception& thrown) {  // for this one it is over, and not for those behind it
        core_->tell_trouble(thrown.what());
      }
      continue;
    }
    if (is_lack(errno)) {
      if (asks_.make_room()) continue;
      core_->after(kBreath, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->readable();
      });
      return;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EBADF || errno == EINVAL) break;
    // Whatever else went wrong went wrong with that one connection (accept(2)).
  }
  start();
}

}  // namespace townpost
