#include "delivery/stream/stream_session.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/deadline.h"
#include "base/text.h"
#include "post/values/presence.h"

namespace townpost {

namespace {

using Kind = SessionEvent::Kind;
using Outcome = Injected::Outcome;

constexpr std::size_t kRemembered = 1u << 20;
constexpr const char* kWritten = "written to its input";

SessionLook first_look(StreamDialect dialect) {
  // Claude Code says nothing before its first prompt, and reads that whenever it comes.
  if (dialect == StreamDialect::claude) return {SessionState::idle, ""};
  return {SessionState::starting, "it has not said yet that it is idle"};
}

}  // namespace

StreamSession::StreamSession(int input, StreamDialect dialect, Millis longest_write)
    : input_(input), dialect_(dialect), longest_write_(longest_write), state_(first_look(dialect)) {
  fcntl(input_, F_SETFL, fcntl(input_, F_GETFL) | O_NONBLOCK);
}

void StreamSession::take(const SessionEvent& event) {
  switch (event.kind) {
    case Kind::busy:
    case Kind::resumed:
      state_ = {SessionState::busy, "a turn is running"};
      break;
    case Kind::idle:
      state_ = {SessionState::idle, ""};
      break;
    case Kind::blocked:
      state_ = {SessionState::blocked,
                cat("a person must decide", event.detail.empty() ? "" : ": ", in_its_words(event.detail))};
      break;
    case Kind::stalled:
      state_ = {SessionState::unknown,
                cat("the model does not answer", event.detail.empty() ? "" : ": ", in_its_words(event.detail))};
      break;
    case Kind::ended:
      state_ = {SessionState::gone, "the agent has ended"};
      break;
    case Kind::shown:
      remember(event.detail);
      break;
    case Kind::alive:
      break;
  }
}

void StreamSession::remember(const std::string& text) {
  shown_.push_back(text);
  shown_bytes_ += text.size();
  while (shown_bytes_ > kRemembered && shown_.size() > 1) {
    shown_bytes_ -= shown_.front().size();
    shown_.pop_front();
    forgot_some_ = true;
  }
}

std::optional<bool> StreamSession::shows(std::string_view id) {
  const bool found = std::any_of(shown_.begin(), shown_.end(),
                                 [&](const std::string& text) { return text.find(id) != std::string::npos; });
  if (found) return true;
  // An agent that never showed anything may be one that does not tell.
  return shown_.empty() || forgot_some_ ? std::nullopt : std::optional(false);
}

/// Takes off `bytes` what could be written.
StreamSession::Written StreamSession::write_line(std::string& bytes) const {
  const auto deadline = Deadline::in(longest_write_);
  while (!bytes.empty()) {
    const auto written = ::write(input_, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.erase(0, static_cast<std::size_t>(written));
    else if (errno == EAGAIN && !wait_for(input_, POLLOUT, deadline))
      return Written::late;
    else if (errno != EAGAIN && errno != EINTR)
      return Written::broken;
  }
  return Written::whole;
}

Injected StreamSession::inject(const Injection& injection) {
  const auto state = state_.state;
  const bool ready = state == SessionState::idle || state == SessionState::unknown;
  if (state == SessionState::gone || (injection.at == Injection::At::idle && !ready))
    return {Outcome::not_started, state_.detail};

  if (unfinished_) {
    const auto same = unfinished_->ids == injection.ids ? Begun::yes : Begun::no;
    if (const auto first = write_line(unfinished_->rest); first != Written::whole) return not_taken(first, same);
    unfinished_.reset();
    state_ = {SessionState::busy, "an earlier line has just reached it"};
    if (same == Begun::yes) return {Outcome::handed, kWritten};
    if (injection.at == Injection::At::idle) return {Outcome::not_started, state_.detail};
  }

  std::string line = stream_message(dialect_, injection);
  const auto whole = line.size();
  const auto written = write_line(line);
  const auto begun = line.size() < whole ? Begun::yes : Begun::no;
  if (written == Written::late && begun == Begun::yes) unfinished_ = Unfinished{injection.ids, std::move(line)};
  if (written != Written::whole) return not_taken(written, begun);
  state_ = {SessionState::busy, "a line has just reached it"};
  return {Outcome::handed, kWritten};
}

Injected StreamSession::not_taken(Written how, Begun begun) {
  if (how == Written::late) return {Outcome::failed, "it does not read its input"};
  state_ = {SessionState::gone, "it has closed its input"};
  return {begun == Begun::yes ? Outcome::failed : Outcome::not_started, state_.detail};
}

}  // namespace townpost
