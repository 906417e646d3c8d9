#include "net/server_loop.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <utility>

#include "base/check.h"
#include "net/loop_core.h"

namespace townpost {

namespace asio = boost::asio;
using boost::system::error_code;

void LoopCore::begin() {
  const MutexLock lock(mutex_);
  CHECK(state_ == State::before);
  state_ = State::running;
}

void LoopCore::run() {
  thread_ = std::this_thread::get_id();
  const auto stay = asio::make_work_guard(*context_);
  while (!context_->stopped()) {
    try {
      context_->run();
    } catch (const std::exception& thrown) {
      tell_trouble(thrown.what());
    } catch (...) {
      tell_trouble("something unknown was thrown");
    }
  }
  thread_ = std::thread::id();
}

void LoopCore::end() {
  const MutexLock lock(mutex_);
  state_ = State::over;
  context_->stop();
}

bool LoopCore::is_running() {
  const MutexLock lock(mutex_);
  return state_ == State::running;
}

bool LoopCore::post(std::function<void()> work) {
  const MutexLock lock(mutex_);
  if (state_ == State::over) return false;
  asio::post(*context_, std::move(work));
  return true;
}

void LoopCore::after(Millis wait, std::function<void()> work) {
  const MutexLock lock(mutex_);
  if (state_ == State::over) return;
  auto timer = std::make_unique<asio::steady_timer>(*context_, wait);
  auto& begun = *timer;
  begun.async_wait([timer = std::move(timer), work = std::move(work)](const error_code& error) {
    if (!error) work();
  });
}

void LoopCore::run_inside(const std::function<void()>& work) {
  if (is_here() || !is_running()) return work();
  Mutex mutex;
  Signal done;
  bool is_done = false;
  const bool will_run = post([&] {
    try {
      work();
    } catch (const std::exception& thrown) {
      tell_trouble(thrown.what());
    }
    const MutexLock lock(mutex);
    is_done = true;
    done.notify_all();
  });
  if (!will_run) return work();
  MutexLock lock(mutex);
  while (!is_done) done.wait(lock);
}

void LoopCore::tell_trouble(std::string_view what) noexcept {
  if (!trouble_) return;
  try {
    trouble_(what);
  } catch (...) {  // there is nobody left to tell
  }
}

void LoopAlarm::ring_at(Time::time_point at) {
  constexpr Millis kTick{5};  // those who want it so soon after each other hear it together
  if (at_ && *at_ <= at) return;
  at_ = at;
  const auto wait = std::max(std::chrono::ceil<Millis>(at - Time::now()), kTick);
  loop_->after(wait, [weak = weak_from_this(), at] {
    const auto self = weak.lock();
    if (!self || self->at_ != at) return;  // an earlier one was wanted meanwhile
    self->at_.reset();
    self->ring_();
  });
}

Watched::Watched(LoopCore& core, FileDescriptor fd) : fd_(std::move(fd)), descriptor_(core.context(), fd_.get()) {}

void Watched::await_readable(std::shared_ptr<EndWatcher> watcher) {
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [watcher = std::move(watcher)](const error_code& error) {
                           if (error != asio::error::operation_aborted) watcher->readable();
                         });
}

void Watched::await_writable(std::shared_ptr<EndWatcher> watcher) {
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_write,
                         [watcher = std::move(watcher)](const error_code& error) {
                           if (error != asio::error::operation_aborted) watcher->writable();
                         });
}

ServerLoop::ServerLoop(Trouble trouble) : core_(std::make_shared<LoopCore>(std::move(trouble))) {}

ServerLoop::~ServerLoop() {
  stop();
  core_->drop_all();  // what waits there may hold the core
}

void ServerLoop::start() {
  core_->begin();
  // Signals are for others: an interrupt is not to be lost here, and a write to whoever has hung up is only an error.
  sigset_t every;
  sigset_t before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  thread_ = std::thread([core = core_] { core->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ServerLoop::stop() {
  CHECK(!is_here());
  core_->end();
  if (thread_.joinable()) thread_.join();
}

void ServerLoop::post(std::function<void()> work) { core_->post(std::move(work)); }
void ServerLoop::after(Millis wait, std::function<void()> work) { core_->after(wait, std::move(work)); }
bool ServerLoop::is_here() const { return core_->is_here(); }

}  // namespace townpost
