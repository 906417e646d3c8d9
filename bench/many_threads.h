#pragma once
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace townpost::bench {

/// Runs `work(number)` in so many threads at once; the seconds from the first's start to the last's end. The first
/// exception of any of them is thrown on.
inline double run_in_threads(int threads, const std::function<void(int)>& work) {
  std::vector<std::exception_ptr> troubles(static_cast<std::size_t>(threads));
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i)
      running.emplace_back([&work, &trouble = troubles[static_cast<std::size_t>(i)], i] {
        try {
          work(i);
        } catch (...) {
          trouble = std::current_exception();
        }
      });
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  for (const auto& trouble : troubles)
    if (trouble) std::rethrow_exception(trouble);
  return took.count();
}

}  // namespace townpost::bench
