#include <algorithm>

#include "base/text.h"
#include "bench/workshop.h"

namespace townpost::bench {

namespace {

constexpr std::int64_t kLarge = 1'000'000;
constexpr std::int64_t kSmall = 10'000;

const FilledTown& million(Workshop& workshop) { return workshop.town("million", kLarge); }

}  // namespace

/// `gt mail check` with nothing waiting, as an agent's hook calls it before every turn: the first look leaves a hint,
/// the next ones read it. The measurement is shorter than a hint's life of one minute.
Measured cli_check_1m(Workshop& workshop) {
  constexpr int kNothingWaits = 1;
  const auto& town = million(workshop);
  Command check = workshop.gt(town, town.idle.address, {"mail", "check"}, kNothingWaits);
  Command nothing({.words = {workshop.program("reference_nothing")}, .folder = town.folder});
  const auto [checks, nothings] = alternate(check, nothing, 50, 2000);

  // What it costs to look, with the hint taken away each time.
  std::vector<double> looks;
  for (int i = 0; i < 100; ++i) {
    std::filesystem::remove_all(town.folder / ".town" / "run" / "hint");
    looks.push_back(check.run());
  }
  return {.value = checks.median(),
          .unit = "ms",
          .reference = nothings.median(),
          .remarks = {cat("gt mail check:        ", checks.str()), cat("a program of nothing: ", nothings.str()),
                      cat("check without a hint: ", Times(looks).str())}};
}

/// The list of one mailbox, into a pipe, in a large town and in a small one.
Measured inbox_1m_vs_10k(Workshop& workshop) {
  const auto& large_town = million(workshop);
  const auto& small_town = workshop.town("ten-thousand", kSmall);
  Command large = workshop.gt(large_town, large_town.thousand.address, {"mail", "inbox"});
  Command small = workshop.gt(small_town, small_town.thousand.address, {"mail", "inbox"});
  const auto [in_large, in_small] = alternate(large, small, 20, 500);
  for (const auto* inbox : {&large, &small})
    if (std::count(inbox->output().begin(), inbox->output().end(), '\n') != 21 ||
        inbox->output().find("+980 more") == std::string::npos)
      give_up(cat("that is not the list of a mailbox of 1,000:\n", inbox->output()));
  return {.value = in_large.median(),
          .unit = "ms",
          .reference = in_small.median(),
          .remarks = {cat("of a million:    ", in_large.str()), cat("of ten thousand: ", in_small.str())}};
}

}  // namespace townpost::bench
