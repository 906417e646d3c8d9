#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <thread>

#include "base/text.h"
#include "bench/workshop.h"

namespace townpost::bench {

namespace {

constexpr int kSenders = 16;
constexpr int kSendsEach = 250;
constexpr std::int64_t kMessagesBefore = 10'000;

struct Load {
  Times times;
  double seconds;
};

/// So many senders at once, each running one process after the other.
Load run_load(const std::function<Command(int sender)>& command_of) {
  std::vector<std::vector<double>> times(kSenders);
  std::vector<std::exception_ptr> troubles(kSenders);
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> senders;
    for (std::size_t i = 0; i < kSenders; ++i)
      senders.emplace_back([&command_of, &mine = times[i], &trouble = troubles[i], i] {
        try {
          Command command = command_of(static_cast<int>(i));
          for (int n = 0; n < kSendsEach; ++n) mine.push_back(command.run());
        } catch (...) {
          trouble = std::current_exception();
        }
      });
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  for (const auto& trouble : troubles)
    if (trouble) std::rethrow_exception(trouble);
  std::vector<double> all;
  for (const auto& some : times) all.insert(all.end(), some.begin(), some.end());
  return {Times(std::move(all)), took.count()};
}

double unfairness(const Load& load) { return load.times.slowest() / load.times.median(); }

std::string remark(const char* who, const Load& load) {
  std::array<char, 64> rate{};
  std::snprintf(rate.data(), rate.size(), ", %.0f messages/s", static_cast<double>(load.times.count()) / load.seconds);
  return cat(who, load.times.str(), rate.data());
}

}  // namespace

/// How much longer the unluckiest sender waits than the usual one when 16 processes send to one mailbox at once: `gt
/// mail send`, whose writers queue, and the same commit by programs that leave the waiting to SQLite's busy timeout.
Measured direct_fairness_16(Workshop& workshop) {
  const auto& ours = workshop.town("crowd", kMessagesBefore);
  const auto& theirs = workshop.town("crowd-reference", kMessagesBefore);
  auto subject = [](int sender) { return cat("From sender ", sender); };
  const Load queued = run_load([&](int sender) {
    return workshop.gt(ours, "", {"mail", "send", ours.worker.address, "-s", subject(sender), "-m", "all at once"});
  });
  const Load busy = run_load([&](int sender) {
    return Command(
        {.words = {workshop.program("reference_contended"), theirs.store().string(),
                   std::to_string(theirs.worker.id.key), theirs.worker.address, subject(sender), "all at once"},
         .folder = theirs.folder});
  });
  for (const auto* town : {&ours, &theirs}) {
    const auto stored = stored_messages(*town);
    if (!stored || *stored != kMessagesBefore + kSenders * kSendsEach) give_up("the sends were not all stored");
  }
  return {.value = unfairness(queued),
          .unit = "slowest/median",
          .reference = unfairness(busy),
          .remarks = {remark("gt mail send: ", queued), remark("busy timeout: ", busy)}};
}

}  // namespace townpost::bench
