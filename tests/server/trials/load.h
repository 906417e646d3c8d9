#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "net/event_stream.h"

namespace townpost {

/// Where the server is now, for threads that go on while it is killed and begins again elsewhere.
class Whereabouts {
 public:
  void set(const std::string& url) {
    const std::lock_guard lock(mutex_);
    url_ = url;
  }
  std::string url() const {
    const std::lock_guard lock(mutex_);
    return url_;
  }

 private:
  mutable std::mutex mutex_;
  std::string url_;
};

/// Many who send over HTTP, each with a thread, to one of these agents after the other, until they are ended. Each
/// message has a subject of its own. Turned away for now (429, 503), they come again; where nobody knows if it was
/// sent, they go on with the next.
class Senders {
 public:
  Senders(const Whereabouts& where, std::string token, std::vector<std::string> to, int number);
  ~Senders() { end(); }
  void end();
  /// How many were acknowledged, so far.
  std::size_t count() const { return count_; }
  /// How many were neither acknowledged nor turned away for now.
  std::size_t unanswered() const { return unanswered_; }
  /// The subjects of what was acknowledged.
  std::set<std::string> acknowledged() const;

 private:
  void send_until_ended(int sender);

  const Whereabouts& where_;
  const std::string token_;
  const std::vector<std::string> to_;
  std::atomic<bool> ends_ = false;
  std::atomic<std::size_t> count_ = 0, unanswered_ = 0;
  mutable std::mutex mutex_;
  std::set<std::string> acknowledged_;
  std::vector<std::jthread> threads_;
};

/// Many streams of events (mail that comes), each gone on with behind its last number whenever it ends. One thread.
class Followers {
 public:
  /// Each knows of everything up to `after`.
  Followers(const Whereabouts& where, const std::vector<std::string>& tokens, std::int64_t after);
  ~Followers();
  /// Whether each has come to its number.
  bool have_come_to(const std::vector<std::int64_t>& ends) const;
  /// How many streams were opened.
  std::size_t opened() const { return opened_; }
  /// After it has ended: the numbers that each was told, in order.
  std::vector<std::vector<std::int64_t>> end();

 private:
  struct One {
    One(std::string whose, std::int64_t after) : token(std::move(whose)), last(after) {}
    std::string token;
    std::atomic<std::int64_t> last;
    std::vector<std::int64_t> told;
    std::optional<EventStream> stream;
  };
  void follow_until_ended();
  void open(One& one);

  const Whereabouts& where_;
  std::deque<One> all_;
  std::atomic<bool> ends_ = false;
  std::atomic<std::size_t> opened_ = 0;
  std::jthread thread_;
};

}  // namespace townpost
