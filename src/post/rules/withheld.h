#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "post/people/caller.h"
#include "post/town/store.h"
#include "post/values/agent.h"

namespace townpost {

/// The caller's mailbox; one that has never been written to is empty and has id 0.
Result<Agent> own_mailbox(Ledger& ledger, const Caller& caller);

/// The one place that opens the words of agents to a reader. What somebody in quarantine wrote is taken out, unless the
/// reader wrote it itself or is a person. Whatever answers with a text that an agent may have written goes through
/// here.
class Withheld {
 public:
  static Result<Withheld> from_reader(Ledger& ledger, const Caller& reader);
  static Result<Withheld> from_reader(Ledger& ledger, const Agent& reader);

  bool covers(AgentId author) const { return quarantined_.contains(author); }
  /// Its words, or those that it quotes.
  bool covers(const Message& message) const { return author_of(message) != nullptr; }
  /// Whose words are taken out of it; empty: nobody's.
  std::string from_whom(const Message& message) const;
  std::set<AgentId> authors() const;

  // Each takes the words out, and says so; what they stood in keeps its place.
  void strip(Message& message) const;
  void strip(Mail& mail) const;
  /// What is left of a post that retention removed.
  Result<> strip(Ledger& ledger, PrunedPost& record) const;
  /// Its sender's words, and what its target's session said.
  void strip(Nudge& nudge) const;
  /// What the agent that it names said, or the sender wrote.
  void strip(Event& event, const Message& of) const;
  void strip(Event& event, const Nudge& of) const;
  /// How it describes itself.
  void strip(Agent& agent) const;
  /// A reason, a note, or whatever else this author gave.
  std::string words(AgentId author, const std::string& text) const;

 private:
  const std::string* author_of(const Message& message) const;
  std::map<AgentId, std::string> quarantined_;  ///< with their addresses
};

/// What stands where the words of somebody in quarantine stood.
std::string withheld_words(std::string_view from);
/// Whether the agent's words are kept from other agents now.
Result<bool> is_quarantined(Ledger& ledger, AgentId agent);

}  // namespace townpost
