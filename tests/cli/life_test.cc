// gt dnd, hold, release, status, top, agent quarantine and hook, harness, up and down.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/child.h"
#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class LifeCommands : public testing::Test {
 protected:
  LifeCommands() { town.agents({"coder", "tester"}); }
  std::string drained(const std::string& who) const { return town.gt({"nudge", "drain", "--as", who}).out; }
  void nudge(const Words& more = {}) const { town.json(with({"nudge", "coder", "look"}, more)); }
  TestTown town;
};

TEST_F(LifeCommands, WhoDoesNotWantToBeDisturbedIsNotUnlessForced) {
  EXPECT_TRUE(flag_at(town.json({"dnd", "on", "--for", "1h", "--as", "coder"}), "dnd"));
  nudge();
  EXPECT_EQ(drained("coder"), "");
  town.json({"nudge", "coder", "fire", "--force"});
  EXPECT_NE(drained("coder").find("fire"), std::string::npos);
  EXPECT_FALSE(flag_at(town.json({"dnd", "off", "--as", "coder"}), "dnd"));
  EXPECT_NE(drained("coder").find("look"), std::string::npos);
  expect_refused_untouched(town, {"dnd", "on", "coder", "--as", "tester"},
                           {5, "forbidden", "the owner of the mailbox, and people"});
}

TEST_F(LifeCommands, NothingIsHeldOrLeftAloneForNoTime) {
  expect_refused_untouched(town, {"hold", "coder", "--for", "0s", "--as", "overseer"}, {2, "usage", "--for"});
  expect_refused_untouched(town, {"dnd", "on", "coder", "--for", "0s"}, {2, "usage", "--for"});
  expect_refusal(town, {"release", "--as", "overseer"}, {2, "usage", "name an agent"});
}

TEST_F(LifeCommands, ReleasingOneAgentDoesNotEndTheHoldOfAll) {
  town.json({"hold", "--all", "--as", "overseer"});
  EXPECT_TRUE(flag_at(town.json({"release", "coder", "--as", "overseer"}), "held"));
  EXPECT_FALSE(flag_at(town.json({"release", "--all", "--as", "overseer"}), "held"));
}

TEST_F(LifeCommands, AHoldKeepsMailOutOfPrompts) {
  town.json({"mail", "send", "-m", "", "coder", "-s", "while held"});
  town.json({"hold", "coder", "--as", "overseer"});
  EXPECT_EQ(town.gt({"mail", "check", "--inject", "--as", "coder"}).out, "");
  town.json({"release", "coder", "--as", "overseer"});
  EXPECT_NE(town.gt({"mail", "check", "--inject", "--as", "coder"}).out.find("while held"), std::string::npos);
}

TEST_F(LifeCommands, AQuarantineKeepsMailOutOfPromptsToo) {
  const auto id = text_at(town.json({"mail", "send", "-m", "", "coder", "-s", "evil", "--as", "tester"}), "id");
  town.json({"agent", "quarantine", "tester", "--as", "overseer"});
  EXPECT_EQ(town.gt({"mail", "check", "--inject", "--as", "coder"}).out, "");
  EXPECT_EQ(town.gt({"mail", "check", "--as", "coder"}).exit_code, 1);
  expect_refusal(town, {"mail", "read", id, "--as", "coder"}, {5, "forbidden", "quarantined"});
  town.json({"agent", "quarantine", "tester", "--lift", "--as", "overseer"});
  EXPECT_NE(town.gt({"mail", "check", "--inject", "--as", "coder"}).out.find("evil"), std::string::npos);
}

TEST_F(LifeCommands, SettingsThatWereChangedOrNotReadAreTold) {
  std::ofstream(town.folder() / ".town" / "town.toml") << "[gupp]\nwarn = \"90m\"\nescalate = \"10m\"\n";
  const auto warnings = texts_in(value_at(town.json({"status"}), "warnings"));
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("gupp.escalate"), std::string::npos) << warnings[0];
}

TEST_F(LifeCommands, OnlyCoordinatorsRemoveOthersOrSayWhatTheyWorkOn) {
  expect_refused_untouched(town, {"agent", "remove", "coder", "--as", "tester"}, {5, "forbidden", "the mayor"});
  expect_refused_untouched(town, {"agent", "hook", "coder", "gp-1", "--as", "tester"}, {5, "forbidden", "the mayor"});
  expect_refused_untouched(town, {"agent", "hook", "coder", "bad bead"}, {2, "usage", "one word"});
  EXPECT_EQ(text_at(town.json({"agent", "hook", "coder", "gp-1", "--as", "coder"}), "hook"), "gp-1");
}

TEST_F(LifeCommands, AnAgentIsToldThatCallsWereRefusedAndAPersonAlsoWhich) {
  EXPECT_EQ(town.gt({"hold", "--all", "--as", "coder"}).exit_code, 5);
  const auto seen = town.json({"status", "--as", "tester"});
  EXPECT_EQ(keys_of(value_at(seen, "refused")), Words{"count"});
  EXPECT_NE(
      town.gt({"status", "--as", "tester"}).out.find("1 call was refused in the last day (.town/log/refused.log)\n"),
      std::string::npos);
  EXPECT_EQ(keys_of(value_at(town.json({"status"}), "refused")), (Words{"count", "last"}));
}

TEST_F(LifeCommands, AHoldStopsEverythingUntilItIsReleased) {
  nudge();
  town.json({"hold", "--all", "--for", "8h", "--as", "overseer"});
  EXPECT_EQ(drained("coder"), "");
  EXPECT_TRUE(flag_at(town.json({"status"}), "held"));
  town.json({"release", "--all", "--as", "overseer"});
  EXPECT_FALSE(flag_at(town.json({"status"}), "held"));
  EXPECT_NE(drained("coder").find("look"), std::string::npos);
  expect_refusal(town, {"hold", "--as", "overseer"}, {2, "usage", "name an agent"});
  expect_refused_untouched(town, {"hold", "coder", "--as", "tester"}, {5, "forbidden", "people only"});
}

TEST_F(LifeCommands, NothingOfAQuarantinedAgentIsShown) {
  town.json({"nudge", "coder", "from a bad one", "--as", "tester"});
  town.send("tester", "coder", "mail of a bad one");
  EXPECT_FALSE(text_at(town.json({"agent", "quarantine", "tester", "--as", "overseer"}), "quarantined_at").empty());
  EXPECT_EQ(drained("coder"), "");
  EXPECT_EQ(town.json({"mail", "inbox", "--as", "coder"}).get_array().size(), 1u);
  town.json({"agent", "quarantine", "tester", "--lift", "--as", "overseer"});
  const auto text = drained("coder");
  EXPECT_NE(text.find("from a bad one"), std::string::npos);
  EXPECT_NE(text.find("mail of a bad one"), std::string::npos);
  expect_refused_untouched(town, {"agent", "quarantine", "coder", "--as", "tester"}, {5, "forbidden", "people only"});
}

TEST_F(LifeCommands, WhatNamesABeadIsForItsHolderOnly) {
  town.json({"agent", "hook", "coder", "gp-1"});
  const auto id = text_at(town.json({"nudge", "coder", "about one", "--bead", "gp-1"}).at(0), "id");
  town.json({"agent", "hook", "coder", "gp-2"});
  EXPECT_EQ(drained("coder"), "");
  EXPECT_EQ(text_at(town.json({"nudge", "show", id}), "state"), "superseded");
}

TEST_F(LifeCommands, StatusAndTopCountWhatWaits) {
  nudge();
  town.send("overseer", "coder", "hello");
  for (const auto& agent : items_of(value_at(town.json({"status"}), "agents"))) {
    if (text_at(agent, "address") != "coder") continue;
    EXPECT_EQ(number_at(agent, "pending"), 1);
    EXPECT_EQ(number_at(agent, "unread"), 1);
    EXPECT_EQ(text_at(agent, "state"), "unknown");
  }
  EXPECT_NE(town.gt({"status"}).out.find("NUDGES"), std::string::npos);
  town.json({"nudge", "coder", "hi", "--as", "tester"});
  const auto top = town.json({"top"});
  EXPECT_EQ(text_at(top.at(0), "address"), "tester");
  EXPECT_EQ(number_at(top.at(0), "sent"), 1);
}

class HarnessCommands : public LifeCommands {
 protected:
  fs::path file() const { return town.folder() / ".claude" / "settings.local.json"; }
  fs::path shared() const { return town.folder() / ".claude" / "settings.json"; }
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(file()).rdbuf();
    return out.str();
  }
};

TEST_F(HarnessCommands, HooksAreAddedBesideWhatIsThereAndTakenAwayAgain) {
  fs::create_directories(file().parent_path());
  const std::string own =
      R"({"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]},"permissions":{"allow":["Bash"]}})";
  std::ofstream(file()) << own;
  EXPECT_EQ(town.gt({"harness", "status", "claude"}).exit_code, 1);
  EXPECT_EQ(town.gt({"harness", "install", "claude"}, {{"MAIL_IDENTITY", "alice"}}).exit_code, 5)
      << "others use it, too";
  EXPECT_TRUE(flag_at(town.json({"harness", "install", "claude"}), "changed"));
  const auto with_ours = text();
  for (const auto* part : {"say done", "opus", "\"allow\"", "signal claude Stop", "signal claude wait", "asyncRewake"})
    EXPECT_NE(with_ours.find(part), std::string::npos) << part;
  EXPECT_EQ(town.gt({"harness", "status", "claude"}).exit_code, 0);
  EXPECT_FALSE(flag_at(town.json({"harness", "install", "claude"}), "changed"));
  EXPECT_EQ(text(), with_ours);
  town.json({"harness", "uninstall", "claude"});
  EXPECT_EQ(text(), own);
}

TEST_F(HarnessCommands, HooksGoIntoTheUsersOwnFileUnlessTheTeamsIsNamedOrHasThem) {
  town.json({"harness", "install", "claude", "--project"});
  EXPECT_TRUE(fs::exists(shared()));
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_FALSE(flag_at(town.json({"harness", "install", "claude"}), "changed")) << "twice they would run twice";
  EXPECT_EQ(text_at(town.json({"harness", "status", "claude"}), "file"), shared().string());
  town.json({"harness", "uninstall", "claude"});
  EXPECT_FALSE(fs::exists(shared()));
  EXPECT_EQ(text_at(town.json({"harness", "install", "claude"}), "file"), file().string());
}

TEST_F(HarnessCommands, CallUsByOurPathButByNameWhereATeamSharesThem) {
  fs::create_directories(town.folder() / "bin");
  const auto link = town.folder() / "bin" / "gt";
  fs::create_symlink(gt_program(), link);
  for (const std::string behind : {"", ":/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin"}) {
    const Variables variables = {{"PATH", (town.folder() / "bin").string() + behind}};
    for (const auto& [where, program] :
         {std::pair<Words, std::string>{{}, link.string()}, {{"--user"}, link.string()}, {{"--project"}, "gt"}}) {
      const auto printed = town.gt(with({"harness", "install", "claude", "--print"}, where), variables);
      EXPECT_NE(printed.out.find(cat("\"", program, " signal claude Stop")), std::string::npos) << printed.out;
    }
    EXPECT_EQ(town.gt({"harness", "install", "claude", "--project"}, variables).err, "");
    town.json({"harness", "uninstall", "claude", "--project"});
  }
  const Variables nowhere = {{"PATH", "/usr/bin:/bin"}};
  EXPECT_NE(town.gt({"harness", "install", "claude", "--print"}, nowhere).out.find(cat("\"/")), std::string::npos);
  EXPECT_NE(town.gt({"harness", "install", "claude", "--project"}, nowhere).err.find("PATH"), std::string::npos);
}

TEST_F(HarnessCommands, WriteThroughNoLinkOfARepository) {
  const auto elsewhere = town.folder() / "elsewhere";
  fs::create_directories(elsewhere);
  std::ofstream(elsewhere / "settings.json") << "{}";
  fs::create_symlink(elsewhere, town.folder() / ".claude");
  EXPECT_EQ(town.gt({"harness", "install", "claude"}).exit_code, 5);
  fs::remove(town.folder() / ".claude");
  fs::create_directories(town.folder() / ".claude");
  fs::create_symlink(elsewhere / "settings.json", file());
  EXPECT_EQ(town.gt({"harness", "install", "claude"}).exit_code, 5);
  EXPECT_EQ(read_file(elsewhere / "settings.json", 100).value_or(""), "{}");
}

TEST_F(HarnessCommands, LeaveNothingWhereNothingWas) {
  town.json({"harness", "install", "claude"});
  EXPECT_TRUE(fs::exists(file()));
  town.json({"harness", "uninstall", "claude"});
  EXPECT_FALSE(fs::exists(file().parent_path()));
}

TEST_F(HarnessCommands, PrintingChangesNothing) {
  const auto out = town.gt({"harness", "install", "claude", "--print"});
  EXPECT_NE(out.out.find("signal claude Stop"), std::string::npos);
  EXPECT_TRUE(parse_json(out.out).has_value());
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(HarnessCommands, SettingsThatAreNoneAreLeftAlone) {
  fs::create_directories(file().parent_path());
  std::ofstream(file()) << "{ not json";
  expect_refusal(town, {"harness", "install", "claude"}, {2, "usage", "settings.local.json"});
  EXPECT_EQ(text(), "{ not json");
  expect_refusal(town, {"harness", "install", "emacs"}, {2, "usage", "no hooks are known"});
  expect_refusal(town, {"harness", "install", "claude", "--user", "--project"}, {2, "usage", "mutually exclusive"});
}

TEST_F(LifeCommands, OneWatcherAtATimeAndItCanBeReplacedAndEnded) {
  EXPECT_EQ(town.gt({"down"}).exit_code, 1);
  const auto first = number_at(town.json({"up", "--detach"}), "pid");
  ASSERT_GT(first, 0);
  expect_refusal(town, {"up"}, {5, "refused", "runs already"});
  const auto second = number_at(town.json({"up", "--detach", "--replace"}), "pid");
  EXPECT_NE(first, second);
  EXPECT_TRUE(flag_at(town.json({"down"}), "ended"));
  EXPECT_EQ(town.gt({"down"}).exit_code, 1);
}

TEST_F(LifeCommands, AWatcherThatTheSystemTellsNothingSaysSoAndLooksEverySecond) {
  const auto said = town.shell(R"sh(
    unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$GT" up --detach -q' || exit 9
    "$GT" status --json | grep -o '"cannot_watch":"[^"]*"'
    "$GT" status | grep 'looks every second'
    "$GT" agent add helper --start 'touch started' --on nudge -q
    "$GT" nudge helper go -q
    until [ -e started ]; do sleep 0.05; done
    "$GT" down -q; cat .town/log/up.log
    "$GT" up --detach -q; "$GT" status --json | grep -c cannot_watch; "$GT" down -q)sh");
  EXPECT_NE(said.out.find("\"cannot_watch\":\"the system refuses to watch more folders"), std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("gt up looks every second: "), std::string::npos) << said.out << said.err;
  EXPECT_NE(said.out.find("warning: the system refuses to watch more folders for this user"), std::string::npos)
      << said.out;
  EXPECT_TRUE(said.out.ends_with("\n0\n")) << said.out << said.err;
}

TEST_F(LifeCommands, WhatTheWatcherStartsSpeaksForItsAgentOnly) {
  town.json({"agent", "add", "helper", "--start",
             cat("env -i HOME=\"$HOME\" ", gt_program(), " whoami >who 2>&1; ", gt_program(),
                 " whoami --as overseer >human 2>&1; echo $? >code"),
             "--on", "nudge"});
  ASSERT_GT(number_at(town.json({"up", "--detach"}), "pid"), 0);
  const auto said = town.shell(R"sh(
    "$GT" nudge helper go -q; until [ -s code ]; do sleep 0.05; done; cat who code; "$GT" down -q)sh");
  EXPECT_NE(said.out.find("helper (pane)\n5\n"), std::string::npos) << said.out << said.err;
}

TEST_F(LifeCommands, ASessionIsOnTheHostWhereItWasRegistered) {
  town.json({"agent", "add", "coder", "--session", "tmux:no-such-session"});
  town.json({"agent", "add", "tester", "--session", "opencode:http://far.example:4096#ses_1"});
  const auto agents = items_of(value_at(town.json({"status"}), "agents"));
  EXPECT_EQ(text_at(agents.at(0), "address"), "coder");
  EXPECT_EQ(text_at(agents.at(0), "host"), host_name());
  EXPECT_EQ(text_at(agents.at(1), "host"), "") << "a server on the net can be reached from everywhere";
}

TEST_F(LifeCommands, ARunUnderANewNameSaysThatItRegistersIt) {
  const Words run = {"agent", "run", "--as", "typoo", "--", "true"};
  EXPECT_NE(town.gt(run).err.find("typoo is registered now"), std::string::npos);
  EXPECT_EQ(town.gt(run).err.find("registered"), std::string::npos);
}

TEST_F(LifeCommands, WhatASupervisedProgramStartsSpeaksForItsAgentOnly) {
  const auto inside = town.gt({"agent", "run", "--as", "coder", "--", "sh", "-c",
                               cat("(", gt_program(), " whoami; ", gt_program(), " whoami --as overseer); exit 3")});
  EXPECT_EQ(inside.exit_code, 3) << inside.err;
  EXPECT_NE(inside.out.find("coder (pane)"), std::string::npos) << inside.out;
  EXPECT_NE(inside.err.find("this session belongs to coder"), std::string::npos) << inside.err;
  EXPECT_EQ(town.gt({"whoami"}).out, "overseer (script)\n");
}

TEST_F(LifeCommands, ASupervisedProgramThatIsToldToFinishEnds) {
  const auto ran = town.shell(R"sh(
    "$GT" agent run --as coder --adapter lines -- sh -c 'trap "exit 9" TERM; echo "{\"type\":\"idle\"}"; while read -r line; do :; done; exit 9' >out 2>&1 &
    until "$GT" status --json | grep -q '"state":"\(idle\|waiting\)"'; do sleep 0.05; done
    "$GT" stop coder
    until "$GT" status --json | grep -q '"state":"\(draining\|exited\)"'; do sleep 0.05; done
    wait $!; echo "ended with $?"
  )sh");
  EXPECT_NE(ran.out.find("ended with 9"), std::string::npos) << ran.out << ran.err;
  EXPECT_EQ(text_at(items_of(value_at(town.json({"status"}), "agents")).at(0), "state"), "exited");
  expect_refusal(town, {"stop", "coder"}, {4, "not_found", "nobody runs coder"});
}

TEST_F(LifeCommands, StopNowEndsAProgramThatNeverSaysThatItIsIdle) {
  const auto ran = town.shell(R"sh(
    "$GT" agent run --as coder -- sh -c 'trap "exit 9" TERM; while :; do sleep 0.05; done' >out 2>&1 &
    until "$GT" status --json | grep -q '"state":"starting"'; do sleep 0.05; done
    "$GT" stop coder
    "$GT" stop coder --now
    wait $!; echo "ended with $?"
  )sh");
  EXPECT_NE(ran.out.find("ended with 9"), std::string::npos) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("coder is told to finish"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("coder is told to end now"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("may not end; gt stop coder --now ends it at once"), std::string::npos) << ran.err;
}

TEST_F(LifeCommands, WhatNobodyStartedHereIsNotStopped) {
  town.gt({"signal", "claude", "SessionStart", "--as", "coder"});
  for (const auto& words : {Words{"stop", "coder"}, Words{"stop", "coder", "--now"}})
    EXPECT_NE(town.gt(words).exit_code, 0) << "it may be a person's own session";
  expect_refused_untouched(town, {"stop", "coder", "--as", "tester"}, {5, "forbidden", "not for tester"});
}

TEST_F(LifeCommands, ASupervisedProgramEndsWithItsOwnCode) {
  const auto out = town.gt({"agent", "run", "--as", "coder", "--", "sh", "-c", "exit 7"});
  EXPECT_EQ(out.exit_code, 7) << out.err;
  expect_refusal(town, {"agent", "run", "--as", "coder"}, {2, "usage", "a command is missing"});
  // Behind -- everything is the program's, also --json.
  const auto missing = town.gt({"agent", "run", "--as", "coder", "--", "no-such-program", "--json"});
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_NE(missing.err.find("there is no program no-such-program"), std::string::npos) << missing.err;
  const auto nobody = town.gt({"agent", "run", "--", "true"});
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_NE(nobody.err.find("no name"), std::string::npos) << nobody.err;
}

TEST_F(LifeCommands, WhatWasStoppedSaysWhy) {
  const auto ended = town.gt({"agent", "run", "--as", "coder", "--adapter", "lines", "--idle-timeout", "1s", "--json",
                              "--", "sh", "-c", "echo '{\"type\":\"idle\"}'; while read -r line; do :; done; exit 0"});
  EXPECT_NE(ended.out.find("\"stopped\":\"it was idle for 1s\""), std::string::npos) << ended.out;
}

// Whether it never ran or has ended: people write to it and start it in the same way, and read the same words.
TEST(StatesInWords, AreTheSameWhereverAnAgentIsShown) {
  const TestTown town;
  town.agents({"ended", "fresh"});
  town.gt({"agent", "run", "--as", "ended", "--", "true"});
  for (const std::string agent : {"ended", "fresh"}) {
    const auto sent = town.gt({"mail", "send", agent, "-s", "Hi", "-m", "x"});
    const auto id = text_at(town.json({"mail", "sent", "--limit", "1"}).at(0), "id");
    for (const auto& told : {sent, town.gt({"status", agent}), town.gt({"agent", "show", agent}),
                             town.gt({"top", "--table"}), town.gt({"why", agent}), town.gt({"why", id}),
                             town.gt({"attach", agent, "--as", "overseer"}), town.gt({"nudge", agent, "hello"})}) {
      const auto text = told.out + told.err;
      EXPECT_NE(text.find("not running"), std::string::npos) << text;
      for (const auto* other : {"exited", "unknown", "no-session", "no session", "asleep"})
        EXPECT_EQ(text.find(other), std::string::npos) << other << " in\n" << text;
    }
  }
}

}  // namespace
}  // namespace townpost
