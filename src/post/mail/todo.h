#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/people/caller.h"
#include "post/town/town.h"
#include "protocol/parsed.h"

namespace townpost {

/// A typed message in somebody's inbox, with what it says.
struct TypedMail {
  Mail mail;
  protocol::Parsed parsed;
};

/// Something to be done, and the command that does it.
struct Action {
  std::string what;
  std::string command;
};

/// How the work on one bead stands, by what was mailed about it.
struct BeadStanding {
  std::string bead;
  std::string state;  ///< "accepted", "progress", "help", "done", "failed", "checkpoint", "silent"
  std::string who;    ///< the sender of the last message about it
  std::optional<Instant> accepted_at;
  std::optional<Instant> last_at;
  std::string step;  ///< of the last progress
  std::optional<std::int64_t> context_usage;
  bool help_open = false;
};

/// What an inbox asks of its owner.
struct Todo {
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
