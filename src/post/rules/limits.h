#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/town/settings.h"
#include "post/town/store.h"
#include "post/values/agent.h"

namespace townpost {

/// A rule that applied, told in the answer and in explain.
struct Ruling {
  std::string rule;    ///< "L1", "L2", …
  std::string reason;  ///< one line for people
  std::optional<std::int64_t> retry_after_s;
};

// The rules of loops and storms for mail. They count in the store and apply to agents only; people and patrols are
// exempt. Each answers with a ruling or nothing.

/// How many messages deep in a chain of answers a new one is: 1 + the deepest among its parent and what was shown to
/// its sender in this turn. Without word from the harness a turn ends an hour after the last message was shown.
int hops_of(const Agent& sender, const std::optional<Message>& parent, Instant now);

/// Whether something an agent wrote was shown to it in this turn.
bool was_shown_something(const Agent& agent, Instant now);
/// Notes on `reader` that something so deep was shown to it now, in this turn.
void note_shown(Agent& reader, int hops, Instant now);
enum class Showing { first_time, again };
/// The same of a message. A person's word begins a new chain, once.
void note_shown(Agent& reader, const Message& message, Showing shown, Instant now);

std::optional<Ruling> hops_hold(const Limits& limits, int hops);
std::optional<Ruling> hops_refusal(const Limits& limits, int hops);

/// L2: whether one more from `sender` to a recipient is held. For any number of recipients in one transaction: who sent
/// little to all of them together sent too much to none.
class PairRule {
 public:
  PairRule(Ledger& ledger, const Limits& limits, const Agent& sender, Instant now)
      : ledger_(ledger), limits_(limits), sender_(sender), now_(now) {}
  Result<std::optional<Ruling>> hold(AgentId recipient);

 private:
  Ledger& ledger_;
  const Limits& limits_;
  const Agent& sender_;
  Instant now_;
  std::optional<std::size_t> sent_;  ///< in the last hour to all together, if it was counted
};

/// L3: whether `sender` has sent its share. A refusal carries when the next one will pass.
Result<std::optional<Ruling>> sender_refusal(Ledger& ledger, const Limits& limits, const Agent& sender, Instant now);

/// L4 and L6: whether agents may wake a recipient once more now. `retry_after_s` says when to ask again. For any number
/// of recipients in one transaction: what concerns the whole town is counted once.
class WakeRule {
 public:
  WakeRule(Ledger& ledger, const Limits& limits, Instant now) : ledger_(ledger), limits_(limits), now_(now) {}
  Result<std::optional<Ruling>> hold(AgentId recipient, bool urgent);
  /// Whether mail that is not urgent may interrupt a recipient now, whoever wrote it; else, from when on.
  Result<std::optional<Instant>> hold_mail(AgentId recipient);
  const Limits& limits() const { return limits_; }
  Instant now() const { return now_; }

 private:
  Result<> count_town();
  Ledger& ledger_;
  const Limits& limits_;
  Instant now_;
  std::optional<std::int64_t> wakes_;        ///< by agents in the last hour, if they were counted
  std::optional<std::vector<Wake>> newest_;  ///< of everybody, if they were looked for
  std::int64_t most_ = 0;                    ///< so many of them are allowed
};

/// Whom a message is for, once its addresses are looked up.
struct Destinations {
  std::vector<AgentId> mailboxes;
  std::optional<QueueId> queue;
  std::optional<ChannelId> channel;
};

/// L5: the earlier message that `draft` would only repeat: same sender, recipients, subject and body, and unread or
/// young. One that somebody of `all` was never sent, or that was taken away before they had it, repeats nothing.
Result<std::optional<Message>> duplicate_of(Ledger& ledger, const Limits& limits, const Message& draft,
                                            const Destinations& all, Instant now);

/// Of recipients, subject, body and the message that is answered: "yes" to another question is another answer. Equal
/// content has equal digests.
std::int64_t content_digest(const Message& draft);
bool same_content(const Message& a, const Message& b);

}  // namespace townpost
