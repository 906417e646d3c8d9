#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/workshop.h"
#include "post/town/town.h"

namespace townpost::bench {

/// What must work where something is measured; else the measurement is given up.
template <class T>
T must(Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}
inline void must(const Result<>& result) {
  if (!result) give_up(result.error().message);
}

constexpr int kWorkers = 64;

/// How much of a queue was claimed and completed, and in what time.
struct Worked {
  int completed = 0;
  double seconds = 0;
  double rate() const { return completed / seconds; }
  std::string str() const;
};

/// The round in the middle.
const Worked& median(std::vector<Worked>& rounds);

/// Makes the queue `work` with so many messages, in one transaction, and the agents worker0 … worker63.
void fill_queue(Town& town, int messages);

/// All workers at once, each in a thread with the town it is given: they claim and complete until nothing is left, or
/// the time is over. `messages` is how many there were; whoever loses count is not measured.
Worked work_off(const std::vector<Town*>& towns, int messages, std::chrono::seconds longest);

}  // namespace townpost::bench
