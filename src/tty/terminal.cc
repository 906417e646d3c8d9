#include "tty/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace townpost {

namespace {

// The other screen, no cursor, marks around what is pasted; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[0m\x1b[2J";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?2004l\x1b[?25h\x1b[?1049l";

/// What a signal that ends us by our own fault needs to give the terminal back: plain values only.
struct Rescue {
  volatile int fd = -1;
  termios before{};
};
Rescue& rescue() {
  static Rescue it;
  return it;
}

constexpr std::array kFatal = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// Nothing but calls of the system; then the signal does what it would have done.
void give_back_and_die(int number) {
  auto& it = rescue();
  if (it.fd >= 0) {
    (void)!::write(it.fd, kLeave.data(), kLeave.size());
    ::tcsetattr(it.fd, TCSANOW, &it.before);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

FileDescriptor open_device() {
  std::array<char, 256> name{};
  if (::ttyname_r(STDIN_FILENO, name.data(), name.size()) != 0) return FileDescriptor();
  // A descriptor of our own: that it never waits is not to be seen by whoever shares the terminal.
  return FileDescriptor(::open(name.data(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

Result<std::unique_ptr<TakenTerminal>> TakenTerminal::open() {
  termios before{};
  auto device = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 ? open_device() : FileDescriptor();
  if (!device || ::tcgetattr(device.get(), &before) != 0)
    return fail(Code::refused, "there is no terminal to draw on", "run it in one");
  std::unique_ptr<TakenTerminal> out(new TakenTerminal(std::move(device), before));
  auto& it = rescue();
  it.before = before;
  it.fd = out->device_.get();
  for (const int number : kFatal) ::signal(number, give_back_and_die);
  out->make_raw();
  out->write(kEnter);
  return out;
}

TakenTerminal::~TakenTerminal() {
  lend();
  rescue().fd = -1;
  for (const int number : kFatal) ::signal(number, SIG_DFL);
}

void TakenTerminal::make_raw() const {
  termios raw = before_;
  ::cfmakeraw(&raw);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(device_.get(), TCSANOW, &raw);
}

void TakenTerminal::lend() {
  unwritten_.clear();
  // A terminal that takes nothing now is not waited for.
  (void)!::write(device_.get(), kLeave.data(), kLeave.size());
  ::tcsetattr(device_.get(), TCSANOW, &before_);
}

void TakenTerminal::take_back() {
  make_raw();
  write(kEnter);
}

TakenTerminal::Size TakenTerminal::size() const {
  winsize now{};
  if (::ioctl(device_.get(), TIOCGWINSZ, &now) != 0 || now.ws_col == 0 || now.ws_row == 0) return {80, 24};
  return {now.ws_col, now.ws_row};
}

std::optional<std::string> TakenTerminal::read() {
  std::string out;
  std::array<char, 4096> part{};
  while (true) {
    const auto got = ::read(device_.get(), part.data(), part.size());
    if (got > 0) {
      out.append(part.data(), static_cast<std::size_t>(got));
      if (static_cast<std::size_t>(got) < part.size()) return out;
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return out;
    if (got < 0) return out.empty() ? std::nullopt : std::optional(out);
    // With VMIN 0 nothing has come, or it is gone: its other end tells.
    pollfd state{.fd = device_.get(), .events = POLLIN, .revents = 0};
    ::poll(&state, 1, 0);
    const bool gone = (state.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
    return gone && out.empty() ? std::nullopt : std::optional(out);
  }
}

void TakenTerminal::write(std::string_view bytes) {
  unwritten_ += bytes;
  flush();
}

bool TakenTerminal::flush() {
  while (!unwritten_.empty()) {
    const auto written = ::write(device_.get(), unwritten_.data(), unwritten_.size());
    if (written > 0) {
      unwritten_.erase(0, static_cast<std::size_t>(written));
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    return written < 0 && errno == EAGAIN;
  }
  return true;
}

}  // namespace townpost
