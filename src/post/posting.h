#pragma once
#include <string>
#include <vector>

#include "post/limits.h"
#include "post/town.h"

namespace townpost {

/// A recipient of a message that is being stored.
struct Addressee {
  Agent agent;
  bool copy = false;
  std::optional<Ruling> hold;  ///< why it is not woken for
};

/// Puts messages into the store inside one transaction and remembers whose bell is to be rung after the commit.
class Posting {
 public:
  Posting(Town& town, Ledger& ledger) : town_(town), ledger_(ledger) {}

  /// Stores `draft` (its id and, where empty, its thread are filled in) and a copy for each addressee.
  Result<Message> store(Message draft, const std::vector<Addressee>& addressees, bool pinned);

  /// A notice from the town itself.
  struct Notice {
    Address to;
    std::string subject;
    std::string body;
    std::string thread;  ///< empty: a new one
    MessageType type = MessageType::notification;
    Priority priority = Priority::normal;
  };
  Result<Message> store(const Notice& notice);

  const std::vector<AgentId>& rung() const { return rung_; }

 private:
  Town& town_;
  Ledger& ledger_;
  std::vector<AgentId> rung_;
};

/// Runs `work` as one write, carries out a bounded share of what is due, and rings the bells after the commit.
Result<> write_and_ring(Town& town, const std::function<Result<>(Ledger&, Posting&)>& work);

}  // namespace townpost
