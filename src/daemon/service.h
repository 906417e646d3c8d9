#pragma once
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "post/town/bell.h"

namespace townpost {

/// Something that goes on in a process that stays. The loop tells it what happened and lets it do what is to be done;
/// it never waits by itself. For one thread: the loop's.
class Service {
 public:
  virtual ~Service() = default;
  /// What else ends the loop's sleep; asked before each.
  virtual std::vector<int> descriptors() const { return {}; }
  virtual void hear(const Heard& heard) = 0;
  enum class Then { go_on, end };
  /// The process was sent a signal.
  virtual Then hear_signal(int number) = 0;
  /// Everything that can be done now. When to come again, at the latest. Error: it is tried again soon.
  virtual Result<Instant> round() = 0;
  /// Whether it has come to its end, and the loop with it.
  virtual bool is_over() const { return false; }
};

}  // namespace townpost
