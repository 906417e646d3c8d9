#include "security/callers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/text.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string text_of(const fs::path& file) { return read_file(file).value_or(""); }

// What a supervisor notes of its child while it runs is its own, and so is what the log says about that. What a call
// leaves in log/ and run/ (who called, what was listed) is no state of the town.
constexpr std::string_view kLook =
    R"({ sqlite3 -cmd '.timeout 10000' .town/town.db .dump | grep -v -E "INTO (presence|watch|log_state) |INTO event VALUES\([0-9]+,[0-9]+,'state'"
  find . -type f -not -path './.town/log/*' -not -path './.town/run/*' -not -path './.town/town.db*' -not -path './.town/write.lock' -not -path './look.*' -not -name .viminfo -exec cksum {} + | sort; })";

}  // namespace

std::string_view name(CallerKind kind) {
  switch (kind) {
    case CallerKind::nameless:
      return "a nameless agent";
    case CallerKind::by_environment:
      return "an agent by environment";
    case CallerKind::marked:
      return "an agent by marks";
    case CallerKind::supervised:
      return "a supervised agent";
    case CallerKind::quarantined:
      return "a quarantined agent";
    case CallerKind::in_anothers_pane:
      return "another agent's pane";
    case CallerKind::script:
      return "a script";
    case CallerKind::person:
      return "a person";
  }
  return "";
}

HostileTown::HostileTown() {
  town_.rigs({"beads"});
  town_.agents({"victim", "evil", "shut"});
  fs::copy_file("/bin/sh", town_.folder() / "claude");
  pane_ = tmux_.start_session("victims-desk");
  town_.json({"agent", "add", "victim", "--session", "tmux:" + pane_}, tmux_.variables());
  const auto sent = town_.json({"mail", "send", "victim", "-s", "Key", "-m", "SECRET-WORDS", "--as", "overseer"});
  mail_ = text_at(sent, "id");
  thread_ = text_at(sent, "thread_id");
  const auto nudged = town_.json({"nudge", "victim", "wake up", "--mode", "queue", "--as", "overseer"});
  nudge_ = text_at(items_of(nudged).at(0), "id");
  town_.json({"queue", "create", "jobs", "--claimers", "victim"});
  town_.json({"mail", "send", "jobs", "-s", "job one", "-m", "SECRET-JOB"});
  town_.json({"mail", "send", "jobs", "-s", "job two", "-m", "SECRET-JOB"});
  job_ = text_at(town_.json({"mail", "claim", "jobs", "--as", "victim"}), "id");
  town_.json({"group", "create", "crowd", "victim", "--as", "victim"});
  town_.json({"channel", "create", "news", "--as", "victim"});
  token_ = text_at(town_.json({"token", "create", "--agent", "victim", "--as", "overseer"}), "id");
  town_.json({"agent", "quarantine", "shut", "--as", "overseer"});
  town_.sql("PRAGMA wal_checkpoint(TRUNCATE);");
  fs::copy_file(town_.store(), town_.folder() / "template.db");
}

ProcessOutput HostileTown::script(CallerKind kind, const std::string& text) {
  const auto file = town_.folder() / "attempt.sh";
  std::ofstream(file) << text;
  switch (kind) {
    case CallerKind::nameless:
      return town_.shell("./claude ./attempt.sh");
    case CallerKind::by_environment:
      return town_.shell("sh ./attempt.sh", {{"MAIL_IDENTITY", "evil"}});
    case CallerKind::quarantined:
      return town_.shell("sh ./attempt.sh", {{"MAIL_IDENTITY", "shut"}});
    case CallerKind::marked:
      return town_.shell("env CLAUDECODE=1 MAIL_IDENTITY=evil sh ./attempt.sh; exit $?");
    case CallerKind::supervised:
      return town_.shell("\"$GT\" agent run --as evil --adapter terminal -- sh ./attempt.sh");
    case CallerKind::in_anothers_pane:
      return tmux_.shell_in_pane(pane_, "sh ./attempt.sh", {{"MAIL_IDENTITY", "evil"}, {"GT", gt_program()}});
    case CallerKind::script:
      return town_.shell("sh ./attempt.sh");
    case CallerKind::person:
      return on_terminal(town_, {"sh", "./attempt.sh"}, {{"GT", gt_program()}});
  }
  throw std::logic_error("no such caller");
}

void HostileTown::restore() {
  for (const auto* rest : {"-wal", "-shm"}) fs::remove(town_.store().string() + rest);
  fs::copy_file(town_.folder() / "template.db", town_.store(), fs::copy_options::overwrite_existing);
  // Nobody slept since, so nothing is put off for that.
  town_.sql("UPDATE watch SET watched_at = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER);");
}

std::vector<HostileTown::Attempt> HostileTown::attempts(CallerKind kind, const std::vector<TestTown::Words>& calls) {
  restore();
  // Whoever has no name gets one first, so that only the attempts themselves can change something.
  std::string text = cat("\"$GT\" whoami >/dev/null 2>&1\n", kLook, " >look.0\n");
  for (std::size_t i = 1; i <= calls.size(); ++i) {
    text += "timeout --foreground 20 \"$GT\"";
    for (const auto& word : calls[i - 1]) text += " " + quoted(word);
    text += cat(" >look.said", i, " 2>&1", kind == CallerKind::person ? "" : " </dev/null",  // a person has a terminal
                "\necho $? >look.code", i, "\n", kLook, " >look.", i, "\n");
  }
  script(kind, text);
  const auto file = [&](const auto&... name) { return text_of(town_.folder() / cat("look.", name...)); };
  std::vector<Attempt> out;
  for (std::size_t i = 1; i <= calls.size(); ++i) {
    const auto code = file("code", i);
    EXPECT_FALSE(code.empty()) << name(kind) << " could not try gt " << join(calls[i - 1], " ");
    out.push_back({std::atoi(code.c_str()), file("said", i), file(i - 1) != file(i)});
  }
  return out;
}

}  // namespace townpost
