#pragma once
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "post/town/town.h"
#include "post/values/presence.h"

namespace townpost {

class FileDescriptor;

// What this host shows of agents' sessions stands in files and in /proc: it is looked at before a transaction or after
// it, never inside (base/seclusion.h). So what the store has is read first, and then compared. Any thread may look.

/// The name of the host we run on.
const std::string& this_host();

/// What the store knows of an agent's session.
struct StoredPresence {
  AgentId agent;
  std::optional<Presence> presence;
  bool quarantined = false;  ///< of such an agent there are no words
};
Result<StoredPresence> stored_presence(Ledger& ledger, AgentId agent);

/// The newest word on an agent's session: its file, else what was folded into the store.
std::optional<Presence> newest_presence(const Town& town, AgentId agent, const std::optional<Presence>& stored);

/// The same for telling others, as it is now though nobody has noted it yet: a session whose process is gone from this
/// host is over, and another window of the agent goes on; one whose hooks do not answer is deaf. Of somebody in
/// quarantine there are no words.
std::optional<Presence> seen_presence(const Town& town, const StoredPresence& stored);

/// Which agents' sessions have left word on this host: of most there is none, and whoever asks about many need not go
/// to each one's file by its whole path. For one thread.
class LeftWords {
 public:
  explicit LeftWords(const Town& town) : town_(town) {}
  bool of(AgentId agent);

 private:
  const Town& town_;
  std::shared_ptr<const FileDescriptor> folder_;  ///< opened by the first question
};

/// Whether its process is gone from this host. Of a session without one, or of another host's, that is not known.
bool is_gone(const Presence& presence);
/// Whether it can still be spoken to, as far as that is known.
bool is_live(const Presence& presence);

/// The agent's sessions that live and do not receive, the newest first.
std::vector<Presence> other_sessions(const Town& town, AgentId agent);
/// The same for telling others: all but the one that was `seen`.
std::vector<Presence> sessions_beside(const Town& town, const StoredPresence& stored,
                                      const std::optional<Presence>& seen);
/// The session that receives has ended: the newest other one does from now on, if one lives.
std::optional<Presence> let_succeed(const Town& town, AgentId agent);

/// So long a hook may take to answer.
constexpr Millis kAnswerTime = std::chrono::seconds(10);
/// Whether its hooks were called and have not answered in that time.
bool is_unanswered(const Presence& presence, Instant now);
/// It is deaf from then on, until a hook speaks.
void make_deaf(Presence& presence, Instant now);

/// Whether somebody watches over this host's agents (`gt up`), and which process. That it lives is told by the lock
/// that it holds: a file that was left behind, or is another host's, tells nothing.
struct Watcher {
  std::string process;  ///< as process_name(); empty if it is not known here: then nobody may signal it
  std::string refusal;  ///< why the system does not tell it what changes: it looks every second

  int pid() const { return std::atoi(process.c_str()); }
};
std::optional<Watcher> watcher_of(const std::filesystem::path& town);
/// The files of this host's watcher in `run` and `run/lock` are called so.
std::string watcher_name();
std::filesystem::path watcher_file(const std::filesystem::path& town);

/// Where the processes that wait beside agents' idle sessions, to wake them, leave their names: a file for each
/// session.
std::filesystem::path waiter_file(const std::filesystem::path& town, AgentId agent, const std::string& incarnation);
/// Whether one waits beside this session.
bool has_waiter(const Town& town, AgentId agent, const std::string& incarnation);

/// The lock that an agent's `gt agent run` holds.
std::string supervisor_lock(AgentId agent);
/// The variable that everything has which an agent's `gt agent run` starts, however deep, and its value.
constexpr const char* kRunVariable = "TOWNPOST_RUN";
std::string run_mark(const Town& town, AgentId agent);
/// What a `gt agent run` of the agent left behind when it was killed: the oldest process that still has its mark. For
/// when none of them runs, or for the one that does, before it starts its program.
std::optional<int> left_over_process(const Town& town, AgentId agent);
/// If the supervisor of this session is gone, nobody keeps it available any more, and its process is what still runs.
void mind_lost_supervisor(const Town& town, Presence& presence);

/// How often hooks had trouble: lines of their log.
std::int64_t hook_errors(const std::filesystem::path& town);

}  // namespace townpost
