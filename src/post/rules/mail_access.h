#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "post/people/caller.h"
#include "post/rules/withheld.h"
#include "post/town/store.h"
#include "post/values/agent.h"

namespace townpost {

/// A message somebody may see, with the viewer's own copy if there is one.
struct OpenedMail {
  Message message;
  std::optional<Delivery> own;
  std::string withheld;  ///< whose words were taken out; empty: nobody's
  std::string thread;    ///< the thread that it belongs to, whatever is shown of it
};

/// The message, if `viewer` may see it: sender, recipient, part of its conversation, who may claim it, or a person; a
/// post is for everybody while its channel keeps it, and what was taken back for whoever had it. The words of those in
/// quarantine are taken out here. Error: not_found, forbidden.
Result<OpenedMail> open_mail(Ledger& ledger, MessageId id, const Agent& viewer, const Caller& caller, Instant now,
                             Parts parts = Parts::all);
/// Whether a viewer may read what is in none of its mailboxes, because of where it is.
enum class Openness {
  open,        ///< a post, or work that it may claim or has
  closed,      ///< only those may who talk with each other in its thread
  taken_back,  ///< by a person, before this viewer had it
  too_old,     ///< for its channel, which has not removed it yet
};
Result<Openness> openness_of(Ledger& ledger, const Message& message, const Agent& viewer, Instant now);
/// That there is no such message, or why not any more. Always an error: not_found.
Failure no_message(Ledger& ledger, MessageId id, const Caller& caller);
/// That its words were taken out, as an error, for whoever would show nothing but them.
Result<> check_words(const OpenedMail& mail);

/// Who talks with whom in a thread. Whoever is part of a conversation sees all of it: it began it, or somebody of it
/// wrote to it. Whoever else writes into the thread begins a conversation of its own, with those it writes to: that
/// opens nothing of the others'.
class Conversations {
 public:
  static Result<Conversations> of(Ledger& ledger, std::string_view thread);
  bool has(AgentId who) const;
  bool has(AgentId who, MessageId message) const;
  bool empty() const { return of_message_.empty(); }

 private:
  /// The conversation that a message goes on; a new one if it goes on none.
  std::size_t place_of(const ThreadLink& message, const std::set<AgentId>& to);
  /// Whether a message to people who are not part of the sender's only conversation is meant to go on it. In a thread
  /// whose name anybody could guess, a bead's, somebody may have begun that conversation to listen: then only if nobody
  /// but people and coordinators hears it.
  bool passes_on(std::size_t place, AgentId from, const std::set<AgentId>& to) const;
  bool is_guessable_ = false;
  std::set<AgentId> coordinators_;
  std::vector<std::set<AgentId>> members_;
  std::map<MessageId, std::size_t> of_message_;
};

/// That `sender` may put something into the thread it names: a new one, one it is part of, or the bead it works on.
/// Error: forbidden.
Result<> check_thread(Ledger& ledger, const std::string& thread, const Agent& sender, const Caller& caller);

/// The copy a viewer is shown: its own, else the first recipient's.
Result<std::optional<Delivery>> shown_copy(Ledger& ledger, const OpenedMail& mail);
/// Notes on the mail whose it is, if it is not the viewer's own copy: another's, or work of a queue.
Result<> note_owner(Ledger& ledger, Mail& mail, AgentId viewer);

}  // namespace townpost
