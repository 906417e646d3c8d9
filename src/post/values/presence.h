#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "post/values/awake.h"
#include "post/values/harness.h"
#include "post/values/message.h"

namespace townpost {

enum class AgentState {
  unknown,
  starting,
  running,
  idle,
  waiting,   ///< idle, and available until its timeout
  blocked,   ///< a person must decide something: a permission, a question
  stalled,   ///< the model did not answer: rate limit, overload
  draining,  ///< told to finish
  exited,
  dead,  ///< stopped by force
  deaf,  ///< its hooks had to be refused
};
constexpr AgentState last_value(AgentState) { return AgentState::deaf; }
std::string_view name(AgentState state);
std::optional<AgentState> find_agent_state(std::string_view text);
/// Whether a turn may begin there now.
inline bool is_idle(AgentState state) { return state == AgentState::idle || state == AgentState::waiting; }
/// Whether its session is over.
inline bool is_over(AgentState state) { return state == AgentState::exited || state == AgentState::dead; }
/// That it is over, in the words that people get everywhere.
inline std::string over_text(AgentState state) {
  return state == AgentState::dead ? "it is dead" : "it is not running";
}

/// Whether this may be what a harness calls a session: `[A-Za-z0-9_.-]{1,128}`. It comes from outside, and goes into
/// commands.
bool is_session_id(std::string_view text);

/// What is known of an agent's live session. It is no mail: the newest word stands in a small file without fsync, and
/// whoever watches folds it into the store. Losing it costs one look.
struct Presence {
  AgentId agent;
  AgentState state = AgentState::unknown;
  std::string incarnation;  ///< the harness's own id of the session
  Harness harness;
  std::string session;  ///< how to reach it: a session URI, or empty where its hooks ask by themselves
  std::string host;
  int pid = 0;
  std::string transcript;
  std::string detail;  ///< for people: what it is blocked by
  Instant started_at;  ///< of this incarnation
  Instant since;       ///< of this state
  Instant last_activity;
  // What only the file has, see stored_part():
  std::string process;       ///< the process that `pid` was, see process_name()
  Instant draft_since;       ///< since when a person's draft is in the way there
  Instant triggered_at;      ///< when its hooks were called by a few typed words, and none has answered yet
  bool hooks_leave = false;  ///< they answered, and left what they were called for: calling them again is of no use

  bool tool_running = false;
  bool supervised = false;
  int continuations = 0;  ///< how often its turn was made longer by a nudge
  AwakeTime active_at;    ///< last_activity as the town's own time; in the store only

  friend bool operator==(const Presence&, const Presence&) = default;
};

/// The same without what only this host's file has.
Presence stored_part(Presence presence);

/// What a session says of itself, as a detail: in quotes, or nothing. It is an agent's text, not ours.
std::string in_its_words(std::string_view told);

/// What an agent works on, as far as anybody told: one bead, nothing, or it was never told.
class HeldBead {
 public:
  HeldBead() = default;
  /// `bead`: empty for nothing.
  static HeldBead told(std::string bead) { return HeldBead(std::move(bead)); }
  bool is_told() const { return bead_.has_value(); }
  /// Empty if there is none.
  std::string bead() const { return bead_.value_or(""); }
  bool is(std::string_view bead) const { return !bead.empty() && bead_ == bead; }

  /// As it is kept.
  static HeldBead of_word(std::string word);
  std::string word() const;
  friend bool operator==(const HeldBead&, const HeldBead&) = default;

 private:
  explicit HeldBead(std::string bead) : bead_(std::move(bead)) {}
  std::optional<std::string> bead_;
};

/// What people and rules decided about an agent.
struct Care {
  AgentId agent;
  std::optional<Instant> dnd_until;
  std::optional<Instant> held_since;  ///< gt hold: nothing is injected from then…
  std::optional<Instant> hold_until;  ///< …until then
  std::optional<Instant> quarantined_at;
  HeldBead holds;
  std::optional<Instant> blocked_told_at;
  int warned = 0;  ///< how far the ladder of warnings has come
  std::optional<AwakeTime> warned_at;

  bool dnd(Instant now) const { return dnd_until && *dnd_until > now; }
  bool held(Instant now) const { return hold_until && *hold_until > now; }
  friend bool operator==(const Care&, const Care&) = default;
};

/// What holds for `care.agent` when it is also whom `other` was decided about: whatever keeps more from it, or from it
/// to others. The bead it works on is its own, if it has one.
Care stricter(const Care& care, const Care& other);

/// The presence files of this host, one an agent: `run/presence/KEY`. An agent may have several windows here; then that
/// is the session which receives, and each other one has its file `run/session/KEY.INCARNATION`. Any thread may read
/// and write: nobody sees half a line (base/sealed_line.h).
class PresenceFiles {
 public:
  explicit PresenceFiles(const std::filesystem::path& town)
      : folder_(town / "run" / "presence"), others_(town / "run" / "session") {}
  const std::filesystem::path& folder() const { return folder_; }
  std::optional<Presence> read(AgentId agent) const;
  /// Of whoever has this session; a look into every file, for when nothing else tells who it is.
  std::optional<Presence> read_by_incarnation(std::string_view incarnation) const;
  /// Never fails: what cannot be written is looked at again. Whoever waits for this agent's presence is told.
  void write(const Presence& presence) const;
  /// Where those wait who wait for it (base/ear.h).
  std::filesystem::path ears(AgentId agent) const;

  /// The sessions of an agent that do not receive, the newest first.
  std::vector<Presence> others(AgentId agent) const;
  std::optional<Presence> other(AgentId agent, const std::string& incarnation) const;
  void write_other(const Presence& presence) const;
  void forget_other(AgentId agent, const std::string& incarnation) const;

 private:
  std::filesystem::path file_of_other(AgentId agent, const std::string& incarnation) const;
  std::filesystem::path folder_;
  std::filesystem::path others_;
};

/// As its file holds it.
std::string to_line(const Presence& presence);
std::optional<Presence> presence_from(std::string_view text);

}  // namespace townpost
