#pragma once
#include <optional>
#include <set>
#include <string_view>

#include "post/agent.h"
#include "post/caller.h"
#include "post/store.h"

namespace townpost {

/// A message somebody may see, with the viewer's own copy if there is one.
struct OpenedMail {
  Message message;
  std::optional<Delivery> own;
};

/// The message, if `viewer` may see it: sender, recipient, part of its thread, who may claim it, or a
/// person; a post is for everybody. Error: not_found,
/// forbidden.
Result<OpenedMail> open_mail(Ledger& ledger, MessageId id, const Agent& viewer, const Caller& caller);

/// The caller's mailbox; one that has never been written to is empty and has id 0.
Result<Agent> own_mailbox(Ledger& ledger, const Caller& caller);

/// Whether `who` is part of the thread: began it or received a message of it. Writing into a thread opens nothing.
Result<bool> is_in_thread(Ledger& ledger, std::string_view thread, AgentId who);

/// What a reader is not to see now: the words of those in quarantine, unless they are its own or it is a person.
class Withheld {
 public:
  static Result<Withheld> from_reader(Ledger& ledger, const Caller& reader);
  bool covers(const Message& message) const { return quarantined_.contains(message.sender); }
  /// Takes its words out, and says so; it keeps its place.
  void strip(Message& message) const;

 private:
  std::set<AgentId> quarantined_;
};

/// The copy a viewer is shown: its own, else the first recipient's.
Result<std::optional<Delivery>> shown_copy(Ledger& ledger, const OpenedMail& mail);

}  // namespace townpost
