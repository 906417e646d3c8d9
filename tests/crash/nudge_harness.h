#pragma once
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/random.h"
#include "support/test_town.h"

namespace townpost {

/// Everything in a text that looks like the id of a nudge, each once.
std::set<std::string> nudge_ids(const std::string& text);

/// Moments to kill at, from a seed that is printed; CRASH_SEED in the environment repeats it.
class Chance {
 public:
  Chance();
  /// Less than `end`.
  int below(int end) { return static_cast<int>(random_->bits() % static_cast<std::uint64_t>(end)); }
  std::chrono::microseconds within(std::chrono::microseconds longest);

 private:
  std::unique_ptr<SeededRandom> random_;
};

/// A `gt` that may be killed at any moment.
class Victim {
 public:
  Victim(const TestTown& town, const TestTown::Words& words, const TestTown::Variables& variables = {},
         const std::string& input = "");
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  ~Victim();

  struct End {
    bool killed = false;
    int exit_code = 0;
    std::string out;
  };
  bool is_running() { return !child_.exit_code(); }
  /// Kills it after `delay`, unless it was faster.
  End kill_after(std::chrono::microseconds delay);
  End end();

 private:
  Child child_;
};

/// Claude Code as far as its hooks know it: events go to `gt signal`, what a hook that ended well printed goes before
/// the model and into the transcript, and nothing else does.
class HookedSession {
 public:
  HookedSession(const TestTown& town, std::string agent);
  ~HookedSession() { program_.signal(SIGKILL); }
  HookedSession(const HookedSession&) = delete;
  HookedSession& operator=(const HookedSession&) = delete;

  /// One event; its hook is killed after `delay` if there is one. Whether it was.
  bool event(const std::string& name, std::optional<std::chrono::microseconds> delay = std::nullopt,
             int seconds_later = 0);
  /// The session is idle, and a hook waits to wake it; `nudge` is called, and the waiter is killed after `delay`.
  bool wait_for(const std::function<void()>& nudge, std::optional<std::chrono::microseconds> delay);
  /// How often the model was shown each id.
  const std::map<std::string, int>& shown() const { return shown_; }

 private:
  std::string json(const std::string& name, const std::string& prompt = "") const;
  TestTown::Variables surroundings() const;
  void show(const std::string& text);
  void write(JsonObject line);  ///< into the transcript: it follows the one before

  const TestTown& town_;
  std::string agent_;
  std::filesystem::path transcript_;
  Child program_;  ///< stands for the harness: hooks ask whether it lives
  int lines_ = 0;
  std::map<std::string, int> shown_;
};

}  // namespace townpost
