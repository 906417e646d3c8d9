#include "base/text.h"
#include "bench/workshop.h"

namespace townpost::bench {

namespace {

constexpr std::int64_t kMessages = 10'000;
constexpr int kWarmUp = 20;
constexpr int kPairs = 400;
constexpr const char* kSubject = "Build is red on main";
constexpr const char* kBody =
    "The parser test fails since the last merge: expected 3 nodes, found 2.\n"
    "It fails on both machines and with both compilers, so it is not the weather.\n"
    "Please look at the change of the tokenizer first, and answer when you know more.\n";

}  // namespace

/// One `gt mail send` process against a static program that commits the same rows and does nothing else. Each has a
/// town of its own, alike to the byte, so that neither clears up behind the other. The sender is the human: an agent
/// may send 120 an hour.
Measured cli_send_direct(Workshop& workshop) {
  const auto& ours = workshop.town("send", kMessages);
  const auto& theirs = workshop.town("send-reference", kMessages);
  Command send = workshop.gt(ours, "", {"mail", "send", ours.worker.address, "-s", kSubject, "-m", kBody});
  Command reference({.words = {workshop.program("reference_send"), theirs.store().string(),
                               std::to_string(theirs.worker.id.key), theirs.worker.address, kSubject, kBody},
                     .folder = theirs.folder});
  const auto [sends, references] = alternate(send, reference, kWarmUp, kPairs);
  for (const auto* town : {&ours, &theirs}) {
    const auto stored = stored_messages(*town);
    if (!stored || *stored != kMessages + kWarmUp + kPairs) give_up("the sends were not all stored");
  }
  return {.value = sends.median(),
          .unit = "ms",
          .reference = references.median(),
          .remarks = {cat("gt mail send: ", sends.str()), cat("reference:    ", references.str())}};
}

}  // namespace townpost::bench
