#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "post/lists/queues.h"
#include "post/people/caller.h"
#include "post/town/town.h"
#include "protocol/parsed.h"

namespace townpost {

/// A message in somebody's inbox, with what it says to programs, if it does.
struct TypedMail {
  Mail mail;
  protocol::Parsed parsed;

  /// Of the protocol, else of the mail: "DONE", "task".
  std::string_view type_name() const { return parsed.type() ? parsed.type_name() : name(mail.message.type); }
};

/// Something to be done, and the call that does it.
struct Action {
  std::string what;
  NextCall next;
};

/// What the last word about a bead was.
enum class BeadState { silent, accepted, progress, help, checkpoint, done, failed };
constexpr BeadState last_value(BeadState) { return BeadState::failed; }
std::vector<std::string_view> bead_state_names();
std::string_view name(BeadState state);

/// How the work on one bead stands, by what was mailed about it.
struct BeadStanding {
  std::string bead;
  BeadState state = BeadState::silent;
  std::string who;  ///< the sender of the last message about it
  std::optional<Instant> accepted_at;
  std::optional<Instant> last_at;
  std::string step;  ///< of the last progress
  std::optional<std::int64_t> context_usage;
  bool help_open = false;
};

/// What an inbox asks of its owner.
struct Todo {
  std::int64_t unread = 0;         ///< mail that is offered to it
  std::vector<QueuedMail> claims;  ///< work that it has claimed and not finished; what ends first comes first
  std::vector<TypedMail> pending;  ///< an acknowledgement is asked for and not given
  struct Help {
    TypedMail mail;
    bool late = false;  ///< nobody answered for more than five minutes
  };
  std::vector<Help> help;              ///< requests that nobody has answered
  std::vector<TypedMail> completions;  ///< of the last day, newest first
  struct Overdue {
    Message message;
    std::vector<std::string> by;  ///< who is late with an answer to the owner; empty: the owner is
  };
  std::vector<Overdue> overdue;
  std::vector<Action> actions;
  std::vector<BeadStanding> beads;  ///< of the beads that were asked about, in that order
};

/// Reads the inbox (what is not archived) and, for `beads`, everything to or from the caller about them.
Result<Todo> todo(Town& town, const std::vector<std::string>& beads, const Caller& caller);

}  // namespace townpost
