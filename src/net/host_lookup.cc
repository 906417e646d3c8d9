#include "net/host_lookup.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <string_view>

#include "base/child.h"
#include "base/text.h"
#include "net/socket.h"

namespace townpost {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kMostPrinted = 64u << 10;

bool is_number(std::string_view text) {
  // Asio takes it for a C string: what stands behind a NUL, it does not see.
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; })) return false;
  error_code error;
  asio::ip::make_address(text, error);
  return !error;
}

/// What the program prints up to its end, or as much as anybody needs.
error_code read_to_end(int fd, std::string& into, const Deadline& deadline) {
  AsioLoop loop;
  asio::posix::stream_descriptor pipe(loop.context(), fd);
  AsioLoop::Ended ended;
  while (!ended.error && into.size() < kMostPrinted)
    read_piece(into, [&](char* data, std::size_t size) {
      ended = loop.run(
          deadline, [&](auto handler) { pipe.async_read_some(asio::buffer(data, size), handler); },
          [&] { pipe.cancel(); });
      return ended.bytes;
    });
  pipe.release();  // it is the child's
  return ended.error;
}

Result<std::string> asked_of_getent(const std::string& host, const Deadline& deadline) {
  auto child = Child::start({.command = {"getent", "ahosts", "--", host}, .ends = ChildPlan::Ends::pipes});
  if (!child)
    return fail(Code::unavailable, cat("the host ", host, " cannot be looked up: ", child.error().message),
                "write its number instead");
  child->close_input();
  std::string printed;
  const auto error = read_to_end(child->output(), printed, deadline);
  child->signal(SIGKILL);  // it has said all it will
  while (::waitpid(child->pid(), nullptr, 0) < 0 && errno == EINTR) {
  }
  if (deadline.is_called_off()) return fail(Code::unavailable, cat("called off before the host ", host, " was found"));
  if (error == asio::error::timed_out)
    return fail(Code::unavailable, cat("nobody said in time where the host ", host, " is"), "check the address");
  return printed;
}

}  // namespace

std::vector<std::string> numbers_in(std::string_view printed) {
  std::vector<std::string> out;
  for (const auto line : split(printed, '\n')) {
    const auto number = line.substr(0, line.find_first_of(" \t"));
    if (is_number(number) && std::find(out.begin(), out.end(), number) == out.end()) out.emplace_back(number);
  }
  return out;
}

Result<std::vector<std::string>> numbers_of_host(const std::string& host, const Deadline& deadline) {
  if (host == "localhost") return std::vector<std::string>{"127.0.0.1", "::1"};
  if (is_number(host)) return std::vector{host};
  TRY(printed, asked_of_getent(host, deadline));
  auto numbers = numbers_in(printed);
  if (numbers.empty()) return fail(Code::unavailable, cat("there is no host ", host), "check the address");
  return numbers;
}

}  // namespace townpost
