#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "post/nudge/nudge_block.h"
#include "post/people/caller.h"
#include "post/rules/limits.h"
#include "post/rules/posting.h"
#include "post/town/town.h"

namespace townpost {

/// The moments at which text can reach an agent.
enum class Boundary {
  start,     ///< a session begins, is resumed or was compacted
  prompt,    ///< its user speaks to it
  tool,      ///< between two tools
  turn_end,  ///< it would stop now
  idle,      ///< it waits for a prompt: showing something wakes it
  busy,      ///< it works, and the harness takes text nevertheless
  asked,     ///< it asks by itself, at whatever moment: nobody has spoken to it
};
std::string_view name(Boundary boundary);
/// Whether a nudge of this mode may be shown at this moment.
bool fits(NudgeMode mode, Boundary boundary);
/// Whether the agent got there by itself: what is held back by a rule may be shown, too.
inline bool is_natural(Boundary boundary) {
  return boundary == Boundary::start || boundary == Boundary::prompt || boundary == Boundary::asked;
}

/// What somebody wants to nudge others with, as they wrote it.
struct NudgeDraft {
  std::vector<std::string> to;
  std::string text;
  std::optional<NudgeMode> mode;  ///< nothing: what the target's role prefers
  bool urgent = false;
  std::optional<Millis> ttl;
  Millis delay{0};
  std::string coalesce_key;
  bool ephemeral = false;
  bool forced = false;
  std::optional<Millis> if_fresh;  ///< only if the caller's own session is younger than this
  std::string thread;
  std::vector<std::string> refs;
  std::string bead;
};

/// What became of a nudge for one of its targets.
struct NudgeReceipt {
  Agent target;
  Nudge nudge;
  bool duplicate = false;  ///< the same text waits for it already: this is that one
  std::string note;        ///< why it waits, for people
};

/// Everything that is to be shown to an agent at one boundary, leased to whoever carries it there.
struct Parcel {
  AgentId agent;
  std::string incarnation;
  Boundary boundary = Boundary::idle;
  std::vector<Nudge> nudges;
  Announcement mail;
  std::string text;
  std::optional<Ruling> held;            ///< something is due, and a rule holds it back
  std::optional<Instant> look_again_at;  ///< something will be due then

  bool empty() const { return nudges.empty() && mail.offered.empty() && mail.channels.empty(); }
  std::vector<std::string> ids() const;
};

/// Nudges: taken in, waiting in line, carried to agents, and ended.
class Nudges {
 public:
  explicit Nudges(Town& town) : town_(town) {}

  /// One nudge for each target; a target that cannot take one gives an error for all. Nothing: the caller is not fresh.
  Result<std::vector<NudgeReceipt>> send(const NudgeDraft& draft, const Caller& caller);

  /// Leases what is due for an agent at this boundary: nudges in their order and, where it may be told, mail. Empty
  /// while another carrier holds a lease.
  Result<Parcel> take(AgentId id, const std::string& incarnation, Boundary boundary, Frame frame = Frame::reminder);
  /// Whether take() may find something, now or later: a look that writes nothing.
  Result<bool> anything_for(AgentId id, Boundary boundary);
  /// What take() would give it to read, as far as nobody else carries it: changes nothing.
  Result<std::string> preview(AgentId id, Boundary boundary, Frame frame);
  /// The session has it; its next event will be the proof.
  Result<> handed(const Parcel& parcel, std::string_view how);
  Result<> delivered(const Parcel& parcel, std::string_view evidence);
  /// Whoever took it says that the agent has it; the second time, too. Only the agent it is for. Error: forbidden;
  /// refused, if it was not taken, or has ended otherwise.
  Result<Nudge> confirm(NudgeId id, const Caller& caller);
  enum class Tried { no, yes };  ///< only an injection that began is an attempt
  Result<> give_back(const Parcel& parcel, std::string_view reason, Tried tried);

  /// Whether text with an id is to be seen in the session; nothing if that cannot be told.
  using Shows = std::function<std::optional<bool>(std::string_view id)>;
  enum class Since { next_event, new_session };
  /// An event of this incarnation came: what was handed to it has arrived. What was handed to another one, or leased by
  /// a process that is gone, is looked for first and otherwise waits again under its own id.
  Result<> settle(AgentId agent, const std::string& incarnation, Since since, const Shows& shows,
                  std::string_view event);
  /// Whether settle() would have something to do.
  Result<bool> is_unsettled(AgentId agent);

  /// Agents see the words of what they sent or get; of other nudges only the rest.
  Result<std::vector<Nudge>> list(const NudgeQuery& query, const Caller& reader = {});
  /// How many there are, whatever the query's limit; counted up to 10,000.
  Result<std::int64_t> count(NudgeQuery query);
  Result<Nudge> show(NudgeId id, const Caller& reader = {});
  struct History {
    Nudge nudge;
    std::vector<Event> events;
    std::vector<std::string> in_the_way;  ///< what holds it now
  };
  Result<History> explain(NudgeId id, const Caller& reader = {});
  /// What holds one that waits, whoever could carry it: somebody's decision, a rule, or a session that takes nothing.
  /// Empty if nothing does.
  Result<std::string> held_by(NudgeId id, const Caller& reader = {});
  Result<Nudge> drop(NudgeId id, const std::string& reason, const Caller& caller);
  /// A dead one begins anew; a waiting one is tried at once.
  Result<Nudge> retry(NudgeId id, const Caller& caller);

  /// Ends what outlived its time and tells those who should know: a bounded share. When to look again.
  Result<std::optional<Instant>> tend();

 private:
  struct Look {
    bool something = false;   ///< take() may find something, now or later
    std::vector<Nudge> line;  ///< as it was then
  };
  Result<Look> look(AgentId id, Boundary boundary);
  Town& town_;
};

/// The part of tend() that every write of the town carries out; `awake` is the time it is. What is leased is left to
/// its carrier until the lease runs out.
Result<> end_outlived(Town& town, Ledger& ledger, Posting& posting, AwakeTime awake);

/// Mail to whoever sent the nudge that it ended otherwise than delivered; of an urgent one the escalation target is
/// told, too. Such mail wakes nobody.
Result<> tell_sender(Town& town, Ledger& ledger, Posting& posting, const Nudge& nudge, std::string_view state);

/// The rule, if one now keeps everything in the agent's `line` from waking it.
Result<std::optional<Ruling>> wakes_held(WakeRule& wakes, AgentId agent, std::vector<Nudge> line);

}  // namespace townpost
