#include "net/frame_server.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "net/acceptor.h"
#include "net/give_back.h"
#include "net/loop_core.h"
#include "net/open_ones.h"

namespace townpost {

namespace {

class Link;

using Time = std::chrono::steady_clock;
constexpr int kMostPieces = 4;  // at a time: then others have their turn

}  // namespace

/// What the connections share. For the loop's thread, unless it says otherwise.
struct FrameCore : std::enable_shared_from_this<FrameCore> {
  FrameCore(std::shared_ptr<LoopCore> its_loop, const FrameServer::Limits& its_limits, FrameHandler& its_handler)
      : loop(std::move(its_loop)), limits(its_limits), handler(&its_handler) {}

  void accepted(FileDescriptor fd);
  void sweep();
  void begin_to_stop();
  void end_all();
  /// False if it threw something.
  template <class Ask>
  bool ask_handler(Ask ask) {
    try {
      ask(*handler);
      return true;
    } catch (const std::exception& thrown) {
      loop->tell_trouble(thrown.what());
      return false;
    }
  }

  std::shared_ptr<LoopCore> loop;
  FrameServer::Limits limits;
  FrameHandler* handler;
  std::shared_ptr<Acceptor> listener;
  std::shared_ptr<LoopAlarm> alarm;
  bool is_stopping = false;
  OpenOnes<Link> links;
  std::size_t unread = 0;
  std::vector<char> piece = std::vector<char>(256u << 10);

  // Any thread.
  std::atomic<std::uint64_t> count_accepted = 0, count_turned_away = 0, count_in = 0, count_out = 0;
};

namespace {

class Link final : public FrameConnection, public EndWatcher, public std::enable_shared_from_this<Link> {
 public:
  Link(std::shared_ptr<FrameCore> core, FileDescriptor fd, const Peer& peer)
      : core_(std::move(core)), peer_(peer), fd_(fd.get()) {
    socket_.emplace(*core_->loop, std::move(fd));
  }

  const Peer& peer() const override { return peer_; }
  bool send(std::string frame) override;
  bool send_at_once(std::string_view frame) override { return send_descriptor(frame, -1); }
  bool send_descriptor(std::string_view frame, int descriptor) override;
  void close() override;

  // The loop's thread.
  void readable() override;
  void writable() override;
  void read_on();
  void read_no_further() { reads_ = false; }
  void end();
  /// At the latest when it has had the time for one frame.
  void end_soon();
  const std::optional<Time::time_point>& due() const { return due_; }

 private:
  bool take_frames();
  void note_what_is_held();
  void send_rest() REQUIRES(mutex_);
  /// False if the client has gone.
  bool send_now(std::string_view head, std::string_view bytes) REQUIRES(mutex_);
  void want(void (Link::*work)()) REQUIRES(mutex_);
  void watch_writable();

  std::shared_ptr<FrameCore> core_;
  Peer peer_;
  std::optional<Watched> socket_;
  FrameReader reader_;
  std::size_t held_ = 0;  ///< what is counted in FrameCore::unread
  std::optional<Time::time_point> due_;
  bool reads_ = true;
  bool awaits_readable_ = false;

  Mutex mutex_;
  int fd_ GUARDED_BY(mutex_);  ///< -1: ended
  std::string out_ GUARDED_BY(mutex_);
  std::size_t sent_ GUARDED_BY(mutex_) = 0;  ///< of it
  bool is_closing_ GUARDED_BY(mutex_) = false;
  bool awaits_writable_ GUARDED_BY(mutex_) = false;
};

bool Link::send(std::string frame) {
  const bool can_be_framed = !frame.empty() && frame.size() <= kLongestFrame;
  const auto head = frame_head(can_be_framed ? frame.size() : 1);
  const MutexLock lock(mutex_);
  if (fd_ < 0 || is_closing_) return false;
  core_->count_out.fetch_add(1, std::memory_order_relaxed);  // before the client can have it
  if (!can_be_framed || out_.size() - sent_ + frame.size() > core_->limits.unsent ||
      !send_now({head.data(), head.size()}, frame)) {
    is_closing_ = true;
    want(&Link::end);
    core_->count_out.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  return true;
}

bool Link::send_descriptor(std::string_view frame, int descriptor) {
  const auto head = frame_head(frame.size());
  std::string bytes(head.data(), head.size());
  bytes += frame;
  iovec part{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  if (descriptor >= 0) {
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    auto* along = CMSG_FIRSTHDR(&message);
    along->cmsg_level = SOL_SOCKET;
    along->cmsg_type = SCM_RIGHTS;
    along->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(along), &descriptor, sizeof descriptor);
  }
  const MutexLock lock(mutex_);
  if (fd_ < 0 || is_closing_ || !out_.empty()) return false;
  core_->count_out.fetch_add(1, std::memory_order_relaxed);
  if (::sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size())) return true;
  core_->count_out.fetch_sub(1, std::memory_order_relaxed);
  is_closing_ = true;  // should a part have left, nothing that follows it could be understood
  want(&Link::end);
  return false;
}

bool Link::send_now(std::string_view head, std::string_view bytes) {
  std::size_t done = 0;
  if (out_.empty()) {
    std::array<iovec, 2> parts = {iovec{const_cast<char*>(head.data()), head.size()},
                                  iovec{const_cast<char*>(bytes.data()), bytes.size()}};  // sendmsg only reads them
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const auto sent = ::sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    done = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    if (done == head.size() + bytes.size()) return true;
  }
  if (done < head.size()) out_.append(head.substr(done));
  out_.append(bytes.substr(done > head.size() ? done - head.size() : 0));
  if (!std::exchange(awaits_writable_, true)) want(&Link::watch_writable);
  return true;
}

void Link::close() {
  const MutexLock lock(mutex_);
  if (std::exchange(is_closing_, true) || fd_ < 0) return;
  want(out_.empty() ? &Link::end : &Link::end_soon);
}

void Link::end_soon() {
  if (!socket_) return;
  due_ = Time::now() + core_->limits.frame_time;
  core_->alarm->ring_at(*due_);
}

void Link::want(void (Link::*work)()) {
  core_->loop->post([self = shared_from_this(), work] { ((*self).*work)(); });
}

void Link::watch_writable() {
  if (socket_) socket_->await_writable(shared_from_this());
}

void Link::writable() {
  bool is_over = false;
  {
    const MutexLock lock(mutex_);
    awaits_writable_ = false;
    if (fd_ < 0) return;
    send_rest();
    is_over = is_closing_ && out_.empty();
    awaits_writable_ = !out_.empty();
  }
  if (is_over) return end();
  const MutexLock lock(mutex_);
  if (awaits_writable_) watch_writable();
}

void Link::send_rest() {
  while (sent_ < out_.size()) {
    const auto sent = ::send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      out_.erase(0, std::exchange(sent_, 0));
      return;
    }
    if (sent < 0) {  // gone
      is_closing_ = true;
      break;
    }
    sent_ += static_cast<std::size_t>(sent);
  }
  give_back(out_);
  sent_ = 0;
}

void Link::readable() {
  awaits_readable_ = false;
  const auto self = shared_from_this();
  try {
    for (int i = 0; i < kMostPieces && socket_ && reads_; ++i) {
      const auto got = ::recv(socket_->fd(), core_->piece.data(), core_->piece.size(), MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return end();
      if (got < 0) break;
      reader_.feed({core_->piece.data(), static_cast<std::size_t>(got)});
      if (!take_frames()) return end();
      if (static_cast<std::size_t>(got) < core_->piece.size()) break;  // there is no more for now
    }
  } catch (const std::exception& thrown) {
    core_->loop->tell_trouble(thrown.what());
    return end();
  }
  note_what_is_held();
  read_on();
}

/// False if nothing that follows can be understood.
bool Link::take_frames() {
  while (socket_ && reads_) {
    auto frame = reader_.next();
    if (!frame) return false;
    if (!*frame) break;
    {
      const MutexLock lock(mutex_);
      if (is_closing_) return true;
    }
    due_.reset();
    core_->count_in.fetch_add(1, std::memory_order_relaxed);
    core_->handler->received(shared_from_this(), std::move(**frame));
  }
  return true;
}

void Link::note_what_is_held() {
  core_->unread += reader_.held() - held_;
  held_ = reader_.held();
  if (held_ == 0) {
    due_.reset();
  } else if (core_->unread > core_->limits.unread) {
    end();
  } else if (!due_) {
    due_ = Time::now() + core_->limits.frame_time;
    core_->alarm->ring_at(*due_);
  }
}

void Link::read_on() {
  if (!socket_ || !reads_ || std::exchange(awaits_readable_, true)) return;
  socket_->await_readable(shared_from_this());
}

void Link::end() {
  const auto self = shared_from_this();
  if (!socket_) return;
  {
    const MutexLock lock(mutex_);
    fd_ = -1;
    give_back(out_);
  }
  socket_.reset();
  core_->unread -= std::exchange(held_, 0);
  std::exchange(reader_, {});
  due_.reset();
  core_->links.forget(self);
  core_->ask_handler([&](FrameHandler& handler) { handler.closed(self); });
}

}  // namespace

void FrameCore::accepted(FileDescriptor fd) {
  count_accepted.fetch_add(1, std::memory_order_relaxed);
  const auto peer = peer_of(fd.get());
  const bool is_let_in = peer && (peer->uid == ::geteuid() || peer->uid == 0) && links.size() < limits.connections;
  if (!is_let_in) {
    count_turned_away.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const auto link = std::make_shared<Link>(shared_from_this(), std::move(fd), *peer);
  links.add(link);
  if (ask_handler([&](FrameHandler& asked) { asked.connected(link); }))
    link->read_on();
  else
    link->end();
}

void FrameCore::sweep() {
  if (const auto next = links.sweep([](Link& late) { late.end(); })) alarm->ring_at(*next);
}

void FrameCore::begin_to_stop() {
  if (std::exchange(is_stopping, true)) return;
  if (listener) listener->close();
  listener.reset();
  for (const auto& one : links.all()) {
    one->readable();  // what was sent before is still taken in
    one->read_no_further();
    if (!links.has(one)) continue;
    if (!ask_handler([&](FrameHandler& asked) { asked.ending(one); })) one->end();
  }
}

void FrameCore::end_all() {
  for (const auto& one : links.all()) one->end();
}

FrameServer::FrameServer(std::shared_ptr<FrameCore> core, SocketFile file)
    : core_(std::move(core)), file_(std::move(file)) {}

Result<std::unique_ptr<FrameServer>> FrameServer::listen(ServerLoop& loop, const std::filesystem::path& path,
                                                         const Limits& limits, FrameHandler& handler) {
  TRY(file, SocketFile::listen(path, limits.backlog));
  auto core = std::make_shared<FrameCore>(loop.core(), limits, handler);
  core->alarm = std::make_shared<LoopAlarm>(core->loop, [weak = std::weak_ptr(core)] {
    if (const auto one = weak.lock()) one->sweep();
  });
  core->loop->run_inside([&] {
    core->listener = std::make_shared<Acceptor>(
        core->loop, file.take_socket(),
        Acceptor::Asks{.accepted = [&shared = *core](FileDescriptor one) { shared.accepted(std::move(one)); },
                       .make_room = [] { return false; }});
    core->listener->start();
  });
  return std::unique_ptr<FrameServer>(new FrameServer(std::move(core), std::move(file)));
}

FrameServer::~FrameServer() { stop(Millis(0)); }

void FrameServer::stop(Millis grace) {
  auto& core = *core_;
  CHECK(!core.loop->is_here());
  file_.reset();  // whoever comes now finds nobody, and need not wait for that
  core.loop->run_inside([&] { core.begin_to_stop(); });
  core.links.await_none(Time::now() + grace);
  core.loop->run_inside([&] { core.end_all(); });
}

FrameServer::Counters FrameServer::counters() const {
  const auto& core = *core_;
  return {.accepted = core.count_accepted,
          .turned_away = core.count_turned_away,
          .frames_in = core.count_in,
          .frames_out = core.count_out,
          .connections = core.links.size()};
}

}  // namespace townpost
