#include "daemon/watchman.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "base/child.h"
#include "base/ear.h"
#include "base/files.h"
#include "base/log.h"
#include "base/private_files.h"
#include "base/signals.h"
#include "base/text.h"
#include "daemon/loop.h"
#include "delivery/dispatcher.h"
#include "delivery/orphans.h"
#include "delivery/tmux/session_lock.h"
#include "post/town/listening.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr Millis kTimeToLeave = std::chrono::seconds(15);
constexpr Millis kTimeToStart = std::chrono::seconds(30);

void sleep_for(Millis time) { std::this_thread::sleep_for(time); }

/// Where those wait who started a watcher.
std::filesystem::path ears_for_the_start(const std::filesystem::path& town) {
  return town / "run" / "ear" / watcher_name();
}

/// Says who watches, while it does.
class WatcherNote {
 public:
  static Result<WatcherNote> leave(const std::filesystem::path& town, const std::string& refusal) {
    TRY_VOID(write_file_lightly(watcher_file(town), cat(process_name(::getpid()), "\n", refusal, "\n")));
    tell_ears(ears_for_the_start(town));
    return WatcherNote(town);
  }
  ~WatcherNote() {
    if (!town_.empty()) remove_private_file(watcher_file(town_));
  }
  WatcherNote(WatcherNote&& other) noexcept : town_(std::exchange(other.town_, {})) {}
  WatcherNote& operator=(WatcherNote&&) = delete;

 private:
  explicit WatcherNote(std::filesystem::path town) : town_(std::move(town)) {}
  std::filesystem::path town_;
};

class WatchService final : public Service {
 public:
  WatchService(Dispatcher& dispatcher, const Watching& watching) : dispatcher_(dispatcher), watching_(watching) {}
  std::vector<int> descriptors() const override { return dispatcher_.descriptors(); }
  void hear(const Heard& heard) override { dispatcher_.hear(heard); }
  Then hear_signal(int) override { return Then::end; }
  Result<Instant> round() override {
    watching_.renew_settings();
    TRY(next, dispatcher_.round());
    if (watching_.tell_news) TRY_VOID(watching_.tell_news());
    return next;
  }

 private:
  Dispatcher& dispatcher_;
  const Watching& watching_;
};

class AgentService final : public Service {
 public:
  explicit AgentService(Supervisor& supervisor) : supervisor_(supervisor) {}
  std::vector<int> descriptors() const override { return supervisor_.descriptors(); }
  void hear(const Heard&) override {}  // there is one agent only: every round looks at it
  Then hear_signal(int number) override {
    supervisor_.hear_signal(number);
    return Then::go_on;
  }
  Result<Instant> round() override { return supervisor_.round(); }
  bool is_over() const override { return supervisor_.ended().has_value(); }

 private:
  Supervisor& supervisor_;
};

/// A program that outlived its supervisor: a second one beside it would be one too many. It was asked to end, and may
/// take a moment.
Result<> await_end_of_left_over(const Town& town, const Agent& agent) {
  constexpr Millis kTimeToEnd = std::chrono::seconds(5);
  constexpr Millis kLookAgain(50);
  const auto known = PresenceFiles(town.folder).read(agent.id);
  if (!known || !known->supervised || is_over(known->state) || known->host != host_name()) return {};
  for (Millis left = kTimeToEnd;; left -= kLookAgain) {
    int pid = is_live(*known) ? known->pid : 0;
    if (pid == 0) pid = left_over_process(town, agent.id).value_or(0);
    if (pid == 0) return {};
    if (left <= Millis(0))
      return fail(
          Code::refused,
          cat("process ", pid, ", which an earlier supervisor of ", agent.address.str(), " left behind, still runs"),
          cat("end it: kill ", pid));
    sleep_for(kLookAgain);
  }
}

/// Why a program ended that writes its errors into this log, which had `before` bytes when it began.
std::string last_words(const std::filesystem::path& log, std::uintmax_t before) {
  constexpr std::string_view kError = "gt: ";
  const auto text = read_file(log).value_or("");
  std::string out;
  for (const auto line : split(std::string_view(text).substr(std::min<std::uintmax_t>(before, text.size())), '\n'))
    if (line.starts_with(kError)) out = cat(": ", for_terminal_line(line.substr(kError.size())));
  return out;
}

}  // namespace

void Watchman::hand_over() {
  if (serving_) serving_->hand_over();
}

Result<> Watchman::watch(const Watching& watching) {
  Town& town = watching.town;
  const auto lock = SessionLock::take(town.folder / "run" / "lock", watcher_name(), kTimeToLeave, sleep_for);
  if (!lock) return Failure(lock.error());
  const SignalInbox signals({SIGTERM, SIGINT, SIGHUP});
  Dispatcher dispatcher(town, watching.doors, watching.starter, host_name());
  const auto listener = town.bell.listen_to_all({dispatcher.presences()});
  const Log log(town.folder / "log" / "up.log", town.clock);
  auto warnings = town.settings.warnings;
  if (const auto why = listener->refusal(); !why.empty())
    warnings.push_back(cat(why, "; looking every second instead"));
  for (const auto& warning : warnings) {
    watching.tell(cat("warning: ", warning));
    log.line(cat("warning: ", warning));
  }
  std::unique_ptr<Served> served;
  if (serving_) {
    auto begun = serving_->begin({town.folder, watching.listen, watching.any_port, watching.tell, watching.must_serve});
    if (!begun && watching.must_serve) return Failure(begun.error());
    if (begun) {
      served = std::move(*begun);
    } else {
      watching.tell(cat("warning: ", begun.error().message, "; commands do their work themselves"));
      log.line(cat("warning: ", begun.error().message));
    }
  }
  // Whoever started this process in the background is told once everything is there.
  const auto note = WatcherNote::leave(town.folder, listener->refusal());
  if (!note) return Failure(note.error());
  watching.tell(cat("watching over ", town.settings.town_name, "; Ctrl-C ends it"));
  WatchService service(dispatcher, watching);
  Loop(*listener, signals, town.clock, log).run({&service});
  return {};
}

Result<BackgroundWatch> Watchman::watch_in_background(const std::filesystem::path& town, const std::string& program,
                                                      Other other, const std::string& listen) {
  std::vector<std::string> command = {program, "up", "--quiet", "--town", town.parent_path().string()};
  if (other == Other::replace) command.emplace_back("--replace");
  if (!listen.empty()) command.insert(command.end(), {"--listen", listen});
  const auto log = town / "log" / "up.log";
  std::error_code none;
  const auto logged = std::filesystem::file_size(log, none);
  Ear ear({ears_for_the_start(town)});
  TRY(child, Child::start({.command = command, .ends = ChildPlan::Ends::log, .log = log.string(), .detached = true}));
  const auto until = std::chrono::steady_clock::now() + kTimeToStart;
  while (true) {
    if (child.exit_code())
      return fail(Code::unavailable, cat("the dispatcher did not stay", last_words(log, none ? 0 : logged)),
                  cat("see ", to_utf8(log.string())));
    const auto watcher = watcher_of(town);
    if (watcher && watcher->pid() == child.pid()) return BackgroundWatch{child.pid(), log};
    const auto left = std::chrono::ceil<Millis>(until - std::chrono::steady_clock::now());
    if (left <= Millis(0))
      return fail(Code::timeout, cat("process ", child.pid(), " has not begun to watch yet"),
                  cat("see ", to_utf8(log.string())));
    ear.wait({child.end()}, left);
  }
}

Result<> Watchman::end_watch(const std::filesystem::path& town, const Watcher& watcher, Next next) {
  if (watcher.process.empty())
    return fail(Code::refused, "another dispatcher serves this town, and its process is not visible from here",
                "stop it where it runs, perhaps in another container");
  const int pid = watcher.pid();
  const FileDescriptor end(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!end || !process_runs(watcher.process)) return {};  // it has left already
  if (next == Next::this_process && serving_) serving_->succeed(town);
  ::kill(pid, SIGTERM);
  ::kill(pid, SIGCONT);  // one that was stopped hears it, too
  if (sleep_at({end.get()}, {}, kTimeToLeave) == Woken::by_own) return {};
  return fail(Code::timeout, cat("the dispatcher ", watcher.process, " does not stop"),
              cat("look into it, or end it: kill -9 ", pid));
}

Result<EndedProgram> Watchman::run_agent(Town& town, const Agent& agent, const SupervisorPlan& plan,
                                         const ProcessNotes& notes) {
  // One session at a time: the second of two starts is refused.
  const auto lock = SessionLock::take(town.folder / "run" / "lock", supervisor_lock(agent.id), Millis(0), sleep_for);
  if (!lock) return fail(Code::refused, cat(agent.address.str(), " runs already"), next("status", {}, " shows where"));
  TRY_VOID(await_end_of_left_over(town, agent));
  const SignalInbox signals({SIGTERM, SIGHUP, SIGCHLD, kDrain});
  keep_orphans();
  ::signal(SIGINT, SIG_IGN);  // the terminal sends it to the agent, too
  ::signal(SIGQUIT, SIG_IGN);
  const SupervisionNote note(notes, agent.address.str(), town.folder);
  const auto listener = town.bell.listen({agent.id}, {PresenceFiles(town.folder).ears(agent.id)});
  Supervisor supervisor(town, agent, plan, host_name());
  TRY_VOID(supervisor.begin());
  AgentService service(supervisor);
  const Log log(town.folder / "log" / "up.log", town.clock);
  Loop(*listener, signals, town.clock, log).run({&service});
  return *supervisor.ended();
}

}  // namespace townpost
