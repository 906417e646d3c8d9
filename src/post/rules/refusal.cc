#include "post/rules/refusal.h"

#include <algorithm>

#include "base/text.h"
#include "post/values/shell_words.h"

namespace townpost {

namespace {

constexpr Millis kRefusalWindow = std::chrono::minutes(10);
constexpr int kRefusalsToHold = 3;
constexpr std::string_view kLoopStopped = "Loop stopped: ";

/// One escalation per thread; a loop that opens new threads is told once in ten minutes.
Result<> escalate_loop(Town& town, Ledger& ledger, Posting& posting, const Refused& refused, const Ruling& ruling,
                       bool refused_before) {
  if (refused.thread.empty()) {
    if (refused_before) return {};
  } else {
    TRY(messages, ledger.thread(refused.thread, Parts::headers));
    for (const auto& message : messages)
      if (message.from == Address::system().str() && message.subject.starts_with(kLoopStopped)) return {};
  }
  // The name of a thread is free text: in a command that a person copies it must be a word and no more.
  const std::string where =
      is_plain_word(refused.thread) ? cat("The thread: ", typed(ShellCommand::read_thread, refused.thread), "\n") : "";
  TRY_VOID(posting.store({.to = town.settings.escalation,
                          .subject = cat(kLoopStopped, refused.sender.address.str(), " and ", join(refused.to, ", ")),
                          .body = cat(ruling.reason, ".\n", where),
                          .thread = refused.thread,
                          .type = MessageType::escalation,
                          .priority = Priority::high,
                          .caused_by = refused.sender.address.str()}));
  return {};
}

}  // namespace

Failure refused_by(const Ruling& ruling) {
  auto failure = fail(Code::limited, cat("refused by rule ", ruling.reason),
                      ruling.retry_after_s ? cat("try again in ", *ruling.retry_after_s, " s")
                                           : "wait, or ask a person: " + next("why", {}, " says more"));
  failure.value().retry_after_s = ruling.retry_after_s;
  return failure;
}

Result<> note_refusal(Town& town, Ledger& ledger, Posting& posting, const Refused& refused, const Ruling& ruling) {
  const Instant now = town.clock.now();
  const Agent& sender = refused.sender;
  const bool loop = ruling.rule == "L1";
  const auto kind = loop ? EventKind::refused_by_l1 : EventKind::refused_by_l3;
  TRY(earlier, ledger.events_about(sender.id, kind, {now - kRefusalWindow, now}, kRefusalsToHold));
  TRY_VOID(ledger.add_event({.at = now, .kind = kind, .agent = sender.id, .detail = ruling.reason}));
  if (loop) return escalate_loop(town, ledger, posting, refused, ruling, !earlier.empty());

  TRY(released, ledger.events_about(sender.id, EventKind::sender_freed, {now - kRefusalWindow, now}, 1));
  const auto since_release = std::count_if(earlier.begin(), earlier.end(), [&](const Event& refusal) {
    return released.empty() || refusal.seq > released.front().seq;
  });
  if (since_release + 1 < kRefusalsToHold || sender.held_since) return {};
  Agent held = sender;
  held.held_since = now;
  TRY_VOID(ledger.update_agent(held));
  TRY_VOID(ledger.add_event({.at = now, .kind = EventKind::sender_held, .agent = sender.id, .detail = ruling.reason}));
  TRY_VOID(posting.store({.to = Address::human(),
                          .subject = cat(sender.address.str(), " sends too much; its mail is held"),
                          .body = cat(ruling.reason, ", and ", kRefusalsToHold,
                                      " refusals in ten minutes.\nTo let its mail wake others again: ",
                                      typed(ShellCommand::release_agent, sender.address.str()), "\n"),
                          .thread = "",
                          .type = MessageType::escalation,
                          .priority = Priority::high}));
  return {};
}

}  // namespace townpost
