// The hook program, as Claude Code calls it: whatever is wrong, the agent is not disturbed and nothing is lost.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "support/test_town.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

std::string event(const std::string& name, const std::string& more = "", const std::string& session = "s1") {
  return cat(R"({"session_id":")", session, R"(","hook_event_name":")", name, R"(","cwd":"/")", more, "}");
}

class Signal : public testing::Test {
 protected:
  ProcessOutput signal(const std::string& name, const std::string& input, TestTown::Variables variables = {}) const {
    variables.emplace("MAIL_IDENTITY", "coder");
    return town.gt({"signal", "claude", name}, variables, input);
  }
  ProcessOutput signal(const std::string& name) const { return signal(name, event(name)); }
  void begin_session() const { EXPECT_EQ(signal("SessionStart").exit_code, 0); }
  std::string nudge(const std::string& text) const {
    return text_at(items_of(town.json({"nudge", "coder", text})).at(0), "id");
  }
  std::string state(const std::string& id) const { return text_at(town.json({"nudge", "show", id}), "state"); }
  std::int64_t lines_in_log() const {
    const auto log = read_file(log_file()).value_or("");
    return std::count(log.begin(), log.end(), '\n');
  }
  fs::path log_file() const { return town.folder() / ".town" / "log" / "signal.log"; }
  /// Fails the test unless the call left its agent alone.
  static void expect_silent(const ProcessOutput& call) {
    EXPECT_EQ(call.exit_code, 0);
    EXPECT_EQ(call.out, "");
    EXPECT_EQ(call.err, "");
  }
  /// The trouble is over: the nudge was not lost by it.
  void expect_still_delivered(const std::string& id) const {
    const auto shown = signal("Stop");
    EXPECT_NE(shown.out.find(id), std::string::npos) << shown.out;
    EXPECT_EQ(state(id), "handed");
  }

  const TestTown town;
};

TEST_F(Signal, WithoutATownSaysNothing) {
  const TestTown nowhere(TestTown::Start::empty_folder);
  for (const auto* name : {"SessionStart", "Stop", "wait"})
    expect_silent(nowhere.gt({"signal", "claude", name}, {{"MAIL_IDENTITY", "coder"}}, event(name)));
  EXPECT_TRUE(fs::is_empty(nowhere.folder()));
}

TEST_F(Signal, WithGarbageSaysNothingAndLeavesALineInTheLog) {
  begin_session();
  const auto id = nudge("look");
  std::int64_t calls = 0;
  for (const std::string& garbage :
       {std::string(), std::string("not JSON"), std::string("[]"), std::string("{}"), std::string("null"),
        std::string(R"({"hook_event_name":5,"session_id":[]})"), std::string("\0\xff\xfe", 3),
        std::string(R"({"hook_event_name":"Stop")"), std::string(5u << 20, '['), event("Stop") + event("Stop")}) {
    SCOPED_TRACE(garbage.substr(0, 40));
    for (const auto* name : {"Stop", "wait"}) {
      expect_silent(signal(name, garbage));
      EXPECT_EQ(lines_in_log(), ++calls);
    }
  }
  EXPECT_EQ(number_at(town.json({"status"}), "hook_errors"), calls);
  expect_still_delivered(id);
}

TEST_F(Signal, WithWordsItDoesNotKnowDoesNotBlockTheAgent) {
  begin_session();
  for (const TestTown::Words& words : {TestTown::Words{"signal", "claude", "Stop", "--of-a-later-version"},
                                       TestTown::Words{"signal", "claude", "Stop", "more", "words"},
                                       TestTown::Words{"signal"}, TestTown::Words{"signal", "unheard-of", "Stop"}})
    EXPECT_EQ(town.gt(words, {{"MAIL_IDENTITY", "coder"}}, event("Stop")).exit_code, 0)
        << "2 would keep the agent from stopping: " << join(words, " ");
}

TEST_F(Signal, ThatAStoreOfAnotherVersionRefusesMakesItsAgentDeaf) {
  begin_session();
  const auto id = nudge("look");
  const auto known = town.sql("PRAGMA user_version");
  town.sql("PRAGMA user_version = 1000");
  expect_silent(signal("Stop"));
  EXPECT_EQ(lines_in_log(), 1);
  town.sql(cat("PRAGMA user_version = ", known));
  const auto coder = items_of(value_at(town.json({"status"}), "agents")).at(0);
  EXPECT_EQ(text_at(coder, "state"), "deaf");
  EXPECT_NE(text_at(coder, "detail").find("schema"), std::string::npos);
  expect_still_delivered(id);
  EXPECT_NE(text_at(items_of(value_at(town.json({"status"}), "agents")).at(0), "state"), "deaf");
}

TEST_F(Signal, DoesNotWaitForAWriterThatHangs) {
  begin_session();
  const auto id = nudge("look");
  {
    const FileDescriptor queue(
        ::open((town.folder() / ".town" / "write.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    ASSERT_EQ(::fcntl(queue.get(), F_OFD_SETLK, &lock), 0);
    expect_silent(signal("Stop"));
    expect_silent(signal("SessionStart", event("SessionStart", "", "s2"), {{"MAIL_IDENTITY", "newcomer"}}));
    EXPECT_EQ(lines_in_log(), 2);
  }
  expect_still_delivered(id);
}

TEST_F(Signal, DoesNotWaitForAnotherProgramThatLocksTheStore) {
  begin_session();
  const auto id = nudge("look");
  const auto ran = town.shell(R"sh(
    mkfifo hold
    sqlite3 -bail .town/town.db <hold >locked 2>&1 &
    exec 3>hold
    printf 'BEGIN IMMEDIATE;\nSELECT 1;\n' >&3
    until [ -s locked ]; do sleep 0.05; done
    printf %s "$EVENT" | "$GT" signal claude Stop >out 2>err; echo $? >code
    printf 'ROLLBACK;\n' >&3
    exec 3>&-
    wait
    cat locked code out err
  )sh",
                              {{"MAIL_IDENTITY", "coder"}, {"EVENT", event("Stop")}});
  EXPECT_EQ(ran.out, "1\n0\n") << "locked, exit code 0, nothing printed";
  EXPECT_EQ(lines_in_log(), 1);
  expect_still_delivered(id);
}

TEST_F(Signal, WithoutItsStoreSaysNothing) {
  begin_session();
  const auto id = nudge("look");
  const auto aside = town.folder() / "aside.db";
  fs::rename(town.store(), aside);
  expect_silent(signal("Stop"));
  EXPECT_EQ(lines_in_log(), 1);
  EXPECT_FALSE(fs::exists(town.store())) << "an empty store would hide the loss";
  std::ofstream(town.store()) << "this is no database, but it is long enough to be looked at as one, page by page\n";
  expect_silent(signal("Stop"));
  expect_silent(signal("SessionStart"));
  EXPECT_EQ(lines_in_log(), 3);
  fs::rename(aside, town.store());
  expect_still_delivered(id);
}

TEST_F(Signal, WithSettingsThatCannotBeReadSaysNothing) {
  begin_session();
  const auto id = nudge("look");
  const auto file = town.folder() / ".town" / "town.toml";
  const auto settings = read_file(file).value_or("");
  town.settings("[limits\nthis is = no TOML");
  expect_silent(signal("Stop"));
  EXPECT_EQ(lines_in_log(), 1);
  town.settings(settings);
  expect_still_delivered(id);
}

TEST_F(Signal, WhereNothingCanBeWrittenSaysNothing) {
  begin_session();
  const auto id = nudge("look");
  const auto ran = town.shell(R"sh(
    trap '' XFSZ
    printf %s "$EVENT" | prlimit --fsize=0 "$GT" signal claude Stop 2>&1 | od -c; printf %s "$EVENT" | prlimit --fsize=0 "$GT" signal claude Stop
    echo $?
  )sh",
                              {{"MAIL_IDENTITY", "coder"}, {"EVENT", event("Stop")}});
  EXPECT_EQ(ran.out, "0000000\n0\n") << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(state(id), "queued");
  expect_still_delivered(id);
}

TEST_F(Signal, OfNobodyInParticularSaysNothing) {
  EXPECT_EQ(town.gt({"signal", "claude", "SessionStart"}, {}, event("SessionStart")).out, "")
      << "the user's own session is no agent's";
  const auto known = town.json({"agent", "list"});
  for (const auto* who : {"no such/address", "../..", "townpost"})
    expect_silent(town.gt({"signal", "claude", "SessionStart"}, {{"MAIL_IDENTITY", who}}, event("SessionStart")));
  EXPECT_EQ(town.json({"agent", "list"}), known);
}

TEST_F(Signal, InASubagentCarriesNothing) {
  begin_session();
  const auto id = nudge("look");
  for (const auto* name : {"PostToolUse", "Stop", "UserPromptSubmit", "SessionStart"})
    expect_silent(signal(name, event(name, R"(,"agent_id":"a1","agent_type":"")")));
  EXPECT_EQ(state(id), "queued");
  expect_still_delivered(id);
}

TEST_F(Signal, OfASessionThatWasReplacedCarriesNothing) {
  begin_session();
  signal("SessionStart", event("SessionStart", R"(,"source":"clear")", "s2"));
  const auto id = nudge("look");
  expect_silent(signal("Stop", event("Stop", "", "s1")));
  const auto shown = signal("Stop", event("Stop", "", "s2"));
  EXPECT_NE(shown.out.find(id), std::string::npos) << shown.out;
}

TEST_F(Signal, OfAPromptThatIsOnlyQueuedCarriesNothing) {
  begin_session();
  signal("UserPromptSubmit", event("UserPromptSubmit", R"(,"prompt":"work")"));
  const auto id = nudge("look");
  expect_silent(signal("UserPromptSubmit", event("UserPromptSubmit", R"(,"prompt":"and then this")")));
  expect_still_delivered(id);
}

TEST_F(Signal, MakesATurnLongerOnlySoOftenInARow) {
  begin_session();
  signal("UserPromptSubmit", event("UserPromptSubmit", R"(,"prompt":"work")"));
  int longer = 0;
  for (int turn = 0; turn < 9; ++turn) {
    const auto id = nudge(cat("nudge ", turn));
    longer += signal("Stop").out.find(id) != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(longer, 5);
  EXPECT_LT(longer, 9) << "the harness drops what the ninth says";
}

}  // namespace
}  // namespace townpost
