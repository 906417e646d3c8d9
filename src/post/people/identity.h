#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "post/people/caller.h"
#include "post/town/process_notes.h"
#include "post/town/town.h"
#include "post/values/token.h"

namespace townpost {

/// The variables that say who somebody is.
struct NamingVariables {
  std::optional<std::string> role, rig, polecat, crew, dog;
  std::optional<std::string> mail_identity, actor;

  static NamingVariables from(const Environment& environment);
  bool empty() const { return !role && !mail_identity && !actor; }
  /// The one of them that counts.
  std::string source() const;
};

/// How somebody is known whom only a file names.
constexpr const char* kKnownByFile = "a file .gt-agent";

/// The agent's session that the caller runs in. It is told by the processes above the caller, or by the variables that
/// an agent program sets; never by the caller's own word.
struct SessionAround {
  std::string harness;  ///< "claude"; "agent" if its program is not known
  std::string process;  ///< of the session (see process_name); where only variables tell, of whoever leads the terminal
  std::string sign;     ///< what tells, for people: "claude, process 4711" or "CLAUDECODE is set"
  bool is_proven = false;           ///< by a process; nothing that runs below it can shake it off
  std::optional<std::string> flag;  ///< --as of the `gt agent run` that started it
  NamingVariables started_with;     ///< what its process was told when it was started
  std::string started_in;           ///< the folder it was started in; empty if that is not known
};

enum class Terminal { none, attended };  ///< whether a person may be sitting there

/// Everything that says who is calling, before anybody is looked up.
struct IdentityInputs {
  /// Of a caller that the town's server knows by its token: then nothing else says who it is. What is around the server
  /// is not around its caller.
  std::optional<TokenHolder> token;
  std::optional<std::string> flag;  ///< --as
  bool flag_may_be_new = false;     ///< whoever is named so is registered now
  NamingVariables named;
  std::optional<std::string> pane;        ///< TMUX_PANE
  std::optional<std::string> agent_file;  ///< text of the nearest .gt-agent
  std::vector<std::string> above;         ///< the processes above the caller, the nearest first; see process_name()
  std::optional<SessionAround> around;
  std::optional<SessionAround> beyond;  ///< a session around that one, of which only variables tell
  Terminal terminal = Terminal::none;

  static IdentityInputs collect(const std::optional<std::string>& flag, const Environment& environment);
  /// The same inputs have the same key: what a hint is filed under.
  std::string key() const;
  /// The human, where nothing points to anybody else: for what is done without a town or a store to look names up in.
  std::optional<Caller> human_by_default() const;
};

/// Who is calling, and whether that session was given its name just now.
struct Identified {
  Caller caller;
  std::string how;  ///< what said so, for people: "MAIL_IDENTITY", "tmux pane %5"
  bool is_newly_named = false;
};

/// In an agent's session: its agent and nobody else; a session without a name is given one and registered. Elsewhere
/// the first of --as, GT_ROLE, MAIL_IDENTITY, BD_ACTOR, the tmux pane, .gt-agent, the human. With a token: whom that is
/// for; of several, the one that --as names. Error: not_found for an unknown --as, usage for an incomplete environment
/// or a token of several without --as, forbidden where an agent would speak as another or as the human.
Result<Identified> identify(const IdentityInputs& inputs, Town& town, const ProcessNotes& notes);

}  // namespace townpost
