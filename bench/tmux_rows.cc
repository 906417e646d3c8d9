#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/process.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/companion.h"
#include "bench/workshop.h"
#include "delivery/tmux/tmux_session.h"

namespace townpost::bench {

namespace {

using namespace std::chrono_literals;
using Timer = std::chrono::steady_clock;

constexpr int kWarmUp = 10;
constexpr int kPairs = 200;
constexpr int kSameLookPairs = 50;
constexpr int kHarnessRuns = 50;
constexpr Millis kHarnessWait(20);

double ms_since(Timer::time_point start) {
  return std::chrono::duration<double, std::milli>(Timer::now() - start).count();
}

/// A tmux server of our own, in the foreground so that it ends with us.
class OwnTmux {
 public:
  OwnTmux()
      : folder_(own_folder()),
        server_({.words = {"tmux", "-u", "-f", "/dev/null", "-S", socket(), "-D"},
                 .folder = folder_.path(),
                 .environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh"},
                 .log = folder_.path() / "log"}) {
    const auto until = Timer::now() + 30s;
    while (!tmux({"-N"}, {"list-sessions"})) {
      if (Timer::now() > until) give_up("tmux does not start");
      std::this_thread::sleep_for(10ms);
    }
  }

  std::string socket() const { return (folder_.path() / "tmux").string(); }
  const std::filesystem::path& folder() const { return folder_.path(); }
  /// One tmux process; whether it succeeded.
  bool tmux(const std::vector<std::string>& options, const std::vector<std::string>& words,
            const std::string& input = "") {
    std::vector<std::string> command = {"tmux", "-u", "-S", socket()};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), words.begin(), words.end());
    const auto output = processes_.run({.command = command, .input = input});
    return output && output->exit_code == 0;
  }
  void start(const std::string& session, const std::vector<std::string>& command) {
    std::vector<std::string> words = {"new-session", "-d", "-s", session, "-x", "100", "-y", "30"};
    words.insert(words.end(), command.begin(), command.end());
    if (!tmux({"-N"}, words)) give_up(cat("tmux does not start ", session));
  }
  /// A program that reads lines, below a screen and a history that are full.
  void start_reader(const std::string& session) {
    start(session, {"sh", "-c", cat("seq 600; exec cat >'", read_by(session).string(), "'")});
  }
  std::filesystem::path read_by(const std::string& session) const { return folder() / (session + ".read"); }

  Processes& processes() { return processes_; }

 private:
  SystemProcesses processes_;
  TemporaryFolder folder_;
  Companion server_;
};

/// Injects as a new process does: nothing is known of the pane.
double inject(OwnTmux& tmux, const std::string& session, std::string_view harness, const TmuxWaits& waits,
              const std::string& text) {
  SystemRandom random;
  const auto profile = harness_profile(harness);
  if (!profile) give_up(profile.error().message);
  const auto start = Timer::now();
  TmuxSession target(tmux.processes(), random,
                     {.target = {.pane = "", .session = session},
                      .server = {.socket_path = tmux.socket(), .socket_name = ""},
                      .profile = *profile,
                      .locks = tmux.folder() / "lock"},
                     waits);
  const auto injected = target.inject({.text = text, .ids = {}});
  const double took = ms_since(start);
  if (injected.outcome != Injected::Outcome::shown) give_up(cat("not shown: ", injected.detail));
  return took;
}

using Words = std::vector<std::string>;
const Words kScreen;
const Words kAsWeLook = {"-e", "-S", "-500"};

/// What somebody would write by hand, without any care: four processes, the last of which looks.
double inject_by_hand(OwnTmux& tmux, const std::string& session, const std::string& text, const Words& look) {
  const auto pane = cat("=", session, ":");
  Words capture = {"capture-pane", "-p", "-t", pane};
  capture.insert(capture.end(), look.begin(), look.end());
  const auto start = Timer::now();
  const bool done = tmux.tmux({}, {"load-buffer", "-b", "by-hand", "-"}, text) &&
                    tmux.tmux({}, {"paste-buffer", "-p", "-r", "-d", "-b", "by-hand", "-t", pane}) &&
                    tmux.tmux({}, {"send-keys", "-t", pane, "Enter"}) && tmux.tmux({}, capture);
  const double took = ms_since(start);
  if (!done) give_up("tmux refuses");
  return took;
}

void check_all_were_read(const OwnTmux& tmux, const std::string& session, int lines) {
  const auto until = Timer::now() + 10s;
  while (true) {
    const auto read = read_file(tmux.read_by(session)).value_or("");
    if (std::count(read.begin(), read.end(), '\n') == lines) return;
    if (Timer::now() > until) give_up(cat(session, " did not read ", lines, " lines:\n", read));
    std::this_thread::sleep_for(10ms);
  }
}

/// Into something that looks like an agent, with short waits in the prescribed places, which are then subtracted.
Times in_harness(OwnTmux& tmux, const std::string& program) {
  tmux.start("harness", {program, (tmux.folder() / "harness.log").string()});
  const TmuxWaits waits{.between_looks = kHarnessWait,
                        .settle = kHarnessWait,
                        .first_look = kHarnessWait,
                        .next_look = kHarnessWait,
                        .looks = 100};
  std::vector<double> times;
  for (int i = -3; i < kHarnessRuns; ++i) {
    const double took = inject(tmux, "harness", "claude", waits, cat("the build is red since change ", i + 10));
    if (i >= 0) times.push_back(took - 3 * static_cast<double>(kHarnessWait.count()));
  }
  return Times(std::move(times));
}

}  // namespace

/// Typing into a terminal, with every check, against the bare commands. The prescribed waits are set to nothing.
Measured tmux_inject(Workshop& workshop) {
  OwnTmux tmux;
  for (const auto* session : {"ours", "bare"}) tmux.start_reader(session);
  // With no wait at all the first look would come before tmux has seen the echo, and cost another process.
  const TmuxWaits waits{
      .between_looks = Millis(0), .settle = Millis(0), .first_look = Millis(1), .next_look = Millis(0), .looks = 1000};
  int number = 0;
  const auto text = [&number] {
    return cat("Nudge from mill/witness: the build is red since change ", ++number,
               ", please look at the parser first. To read more: gt nudge show hq-n-3f2a9c71. To reply: gt nudge "
               "mill/witness \"...\"");
  };
  const auto by_us = [&] { return inject(tmux, "ours", "raw", waits, text()); };
  const auto by_hand = [&](const Words& look) { return inject_by_hand(tmux, "bare", text(), look); };
  const auto [ours, bare] = alternate(
      by_us, [&] { return by_hand(kScreen); }, kWarmUp, kPairs);
  const auto [again, same_look] = alternate(
      by_us, [&] { return by_hand(kAsWeLook); }, 0, kSameLookPairs);
  for (const auto* session : {"ours", "bare"}) check_all_were_read(tmux, session, kWarmUp + kPairs + kSameLookPairs);
  const auto harness = in_harness(tmux, workshop.program("bench_harness"));
  return {.value = ours.median(),
          .unit = "ms",
          .reference = bare.median(),
          .remarks = {cat("an injection:                  ", ours.str()),
                      cat("four bare commands:            ", bare.str()),
                      cat("an injection, again:           ", again.str()),
                      cat("four that look as far as ours: ", same_look.str()),
                      cat("in a harness, its waits of ", 3 * kHarnessWait.count(), " ms subtracted: ", harness.str())}};
}

}  // namespace townpost::bench
