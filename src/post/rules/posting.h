#pragma once
#include <map>
#include <string>
#include <vector>

#include "post/rules/limits.h"
#include "post/town/town.h"

namespace townpost {

/// Whether mail may wake whoever it is for.
enum class Waking { no, yes };

/// A recipient of a message that is being stored.
struct Addressee {
  Agent agent;
  bool copy = false;
  std::optional<Ruling> hold;  ///< why it is not woken for
  Waking wake = Waking::yes;
  std::string bead;       ///< for its holder only; empty: decided by the thread, if that is the bead the agent works on
  std::string caused_by;  ///< who wakes it, if that is not the sender
};

/// Where else than in mailboxes a message goes.
struct Lists {
  std::optional<Queue> queue;
  std::optional<Channel> channel;
  std::vector<Agent> followers;  ///< whom the post is to wake: they asked for that
  std::optional<Ruling> hold;    ///< why it wakes none of them
};

/// Puts messages into the store inside one transaction and has the right bells rung after the commit.
class Posting {
 public:
  Posting(Town& town, Ledger& ledger) : town_(town), ledger_(ledger) {}

  /// Stores `draft` (its id and, where empty, its thread are filled in), a copy for each addressee, and its place in a
  /// queue or on a channel.
  Result<Message> store(Message draft, const std::vector<Addressee>& addressees, bool pinned, const Lists& lists = {});
  /// The entries in the addressees' lines that tell of what was stored last.
  const std::map<AgentId, NudgeId>& raised() const { return raised_; }

  /// A notice from the town itself.
  struct Notice {
    Address to;
    std::string subject;
    std::string body;
    std::string thread;  ///< empty: a new one
    MessageType type = MessageType::notification;
    Priority priority = Priority::normal;
    Waking wake = Waking::yes;
    std::string caused_by;  ///< whose doing it is; an agent's wakes others only as the agent's own mail would
    std::optional<AgentId> quotes = {};  ///< whose words are in it: while that one is in quarantine it is withheld
  };
  /// Into the mailbox of whoever has that address, also if it was removed: nobody is registered by a notice.
  Result<Message> store(const Notice& notice);

 private:
  Result<> enqueue(const Message& message, const Queue& queue);
  Result<> publish(const Message& message, const Lists& lists);
  Result<Agent> mailbox_for(const Address& address, Instant now);
  Town& town_;
  Ledger& ledger_;
  std::map<AgentId, NudgeId> raised_;
};

/// Runs `work` as one write and carries out a bounded share of what is due.
Result<> write_with_duties(Town& town, const std::function<Result<>(Ledger&, Posting&)>& work);

}  // namespace townpost
