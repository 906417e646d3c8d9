#include "base/text.h"
#include "bench/workshop.h"

namespace townpost::bench {

namespace {

namespace fs = std::filesystem;

constexpr int kPairs = 1000;  // few enough to end before the hint does, which lives for a minute

/// A Claude Code session of the town's idle agent, as its hooks report it.
class HookedSession {
 public:
  HookedSession(const Workshop& workshop, const FilledTown& town)
      : town_(town),
        begins_(hook(workshop, "SessionStart", R"("source":"startup","model":"claude-opus-5-5")")),
        tool_(hook(workshop, "PostToolUse",
                   R"("prompt_id":"1db47c1e-52d3-4a43-9c0e-8c1f54b0a7d2","permission_mode":"default",)"
                   R"("tool_name":"Bash","tool_input":{"command":"ninja -C build","description":"Builds"},)"
                   R"("tool_response":{"stdout":"[118/118] Linking CXX executable gt","stderr":"",)"
                   R"("interrupted":false,"isImage":false},"tool_use_id":"toolu_2","duration_ms":3812)")) {
    begins_.run();
    if (begins_.output().find(town.idle.address) == std::string::npos) give_up("the session was not welcomed");
    look();
  }

  Command& tool() { return tool_; }
  /// An event that must look into the store, because the hint was taken away.
  double look() {
    fs::remove_all(town_.folder / ".town" / "run" / "hint");
    const double took = tool_.run();
    if (!tool_.output().empty()) give_up(cat("something waits: ", tool_.output()));
    return took;
  }

 private:
  Command hook(const Workshop& workshop, const std::string& event, const std::string& fields) const {
    const auto input = town_.folder / (event + ".json");
    const auto written = write_file_durably(
        input, cat(R"({"session_id":"07314f0c-6a55-4c5e-9b0a-0d3a5f1c2b11","transcript_path":")",
                   (town_.folder / "transcript.jsonl").string(), R"(","cwd":")", town_.folder.string(),
                   R"(","hook_event_name":")", event, R"(",)", fields, "}\n"));
    if (!written) give_up(written.error().message);
    return Command({.words = {workshop.program("gt"), "signal", "claude", event},
                    .folder = town_.folder,
                    .environment = {"PATH=/usr/bin:/bin", cat("HOME=", town_.folder.string()),
                                    cat("MAIL_IDENTITY=", town_.idle.address), "CLAUDECODE=1"},
                    .input = input});
  }

  const FilledTown& town_;
  Command begins_;
  Command tool_;
};

/// While it lives, the town's store is not where it should be. A hook that wants it is not stopped by that, but says so
/// in its log.
class StoreAway {
 public:
  explicit StoreAway(const FilledTown& town) : town_(town), complaints_(complaints()) {
    fs::rename(town.store(), elsewhere());
  }
  ~StoreAway() {
    std::error_code ignored;
    fs::rename(elsewhere(), town_.store(), ignored);
  }
  StoreAway(const StoreAway&) = delete;
  StoreAway& operator=(const StoreAway&) = delete;
  bool was_missed() const { return complaints() != complaints_; }

 private:
  fs::path elsewhere() const { return town_.store().string() + ".away"; }
  std::string complaints() const { return read_file(town_.folder / ".town" / "log" / "signal.log").value_or(""); }
  const FilledTown& town_;
  std::string complaints_;
};

}  // namespace

/// What every tool call of an agent costs: `gt signal` with nothing waiting. The store is away meanwhile, so that no
/// measured run can have opened it.
Measured signal_idle_1m(Workshop& workshop) {
  const auto& million = workshop.town("million", 1'000'000);
  const auto& empty = workshop.town("no-mail", 0);
  HookedSession session(workshop, million);
  HookedSession in_empty(workshop, empty);
  Command nothing({.words = {workshop.program("reference_nothing")},
                   .folder = million.folder,
                   .input = million.folder / "PostToolUse.json"});

  session.look();
  std::optional<StoreAway> away(million);
  const auto [signals, nothings] = alternate(session.tool(), nothing, 50, kPairs);
  if (!session.tool().output().empty() || away->was_missed()) give_up("a signal wanted the store");
  session.look();
  if (!away->was_missed()) give_up("nobody would notice if a signal wanted the store");
  away.reset();

  std::vector<double> looks;
  for (int i = 0; i < 100; ++i) looks.push_back(session.look());
  in_empty.look();
  const auto [large, small] = alternate(session.tool(), in_empty.tool(), 20, 300);
  return {.value = signals.median(),
          .unit = "ms",
          .reference = nothings.median(),
          .remarks = {cat("gt signal:             ", signals.str()), cat("a program of nothing:  ", nothings.str()),
                      cat("signal without a hint: ", Times(looks).str()), cat("beside an empty town:  ", large.str()),
                      cat("the empty town:        ", small.str())}};
}

}  // namespace townpost::bench
