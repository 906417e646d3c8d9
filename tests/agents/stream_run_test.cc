// `gt agent run`: agents that we start and keep available, each spoken to in its own way.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "agents/nudged.h"
#include "base/clock.h"
#include "base/process_tree.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
using Ids = std::vector<std::string>;

/// A program that reads JSON lines, as anybody might write one. It notes what it is shown in a file, works until there
/// is a gate where it is told to, and ends with its input.
constexpr const char* kLinesAgent = R"js(
const fs = require('fs');
const [, , notes, gate] = process.argv;
const say = (event) => process.stdout.write(JSON.stringify(event) + '\n');
let rest = '', turn = Promise.resolve();
async function work(message) {
  say({ type: 'busy' });
  fs.appendFileSync(notes, JSON.stringify(message) + '\n');
  say({ type: 'shown', text: message.text });
  while (message.text.includes('long work') && !fs.existsSync(gate)) await new Promise((done) => setTimeout(done, 20));
  say({ type: 'idle' });
}
process.stdin.on('data', (bytes) => {
  rest += bytes;
  const lines = rest.split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.text.includes('stop at once')) fs.appendFileSync(notes, JSON.stringify(message) + '\n');
    if (message.text.includes('stop at once')) say({ type: 'shown', text: message.text });
    else turn = turn.then(() => work(message));
  }
});
process.stdin.on('end', () => turn.then(() => process.exit(0)));
say({ type: 'idle' });
)js";

struct Kind {
  std::string name;
  std::function<AgentStage::Words(const AgentStage&)> words;  ///< behind `gt agent run … `
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

std::string gate_of(const AgentStage& stage) { return (stage.town().folder() / "gate").string(); }
std::string notes_of(const AgentStage& stage) { return (stage.town().folder() / "notes").string(); }

const Kind kOpencode{"opencode", [](const AgentStage& stage) {
                       return AgentStage::Words{"--", stage.opencode(), "serve",    "--port",
                                                "0",  "--hostname",     "127.0.0.1"};
                     }};
const Kind kStream{"stream", [](const AgentStage& stage) {
                     return AgentStage::Words{"--",
                                              stage.claude(),
                                              "-p",
                                              "--input-format",
                                              "stream-json",
                                              "--output-format",
                                              "stream-json",
                                              "--verbose",
                                              "--replay-user-messages",
                                              "--allowedTools",
                                              "Bash"};
                   }};
const Kind kLines{"lines", [](const AgentStage& stage) {
                    const auto program = stage.town().folder() / "agent.js";
                    std::ofstream(program) << kLinesAgent;
                    return AgentStage::Words{"--adapter",      "lines",         "--",          "node",
                                             program.string(), notes_of(stage), gate_of(stage)};
                  }};

class Supervised : public ::testing::TestWithParam<Kind> {
 protected:
  Supervised() : coder_(stage_) {
    coder_.gt({"agent", "add", "coder"});
    // Work that lasts until open_gate(), for those who have a model.
    const auto wait = cat("while [ ! -e ", gate_of(stage_), " ]; do sleep 0.05; done; echo gate-is-open");
    const auto tool = GetParam().name == "opencode" ? "bash" : "Bash";
    stage_.rules(to_line(JsonArray{JsonObject{
        {"when", "long work"},
        {"once", true},
        {"tool", JsonObject{{"name", tool}, {"input", JsonObject{{"command", wait}, {"description", "waits"}}}}}}}));
  }

  void run(const std::string& idle_timeout) {
    AgentStage::Words words = {"sh",
                               "-c",
                               R"("$@"; echo "it ended: $?")",
                               "sh",
                               "gt",
                               "agent",
                               "run",
                               "--as",
                               "coder",
                               "--idle-timeout",
                               idle_timeout};
    const auto more = GetParam().words(stage_);
    words.insert(words.end(), more.begin(), more.end());
    stage_.start(words, cat("run ", ++runs_));
  }
  bool has_ended() const { return stage_.log(cat("run ", runs_)).find("it ended: ") != std::string::npos; }
  void await_end() {
    stage_.await("the run ends", [&] { return has_ended(); });
  }
  void open_gate() { std::ofstream(gate_of(stage_)) << "open\n"; }

  /// The ids in the order in which the agent was told of them; twice if it was told twice.
  Ids told(const Ids& ids) const {
    if (GetParam().name != "lines") return coder_.told_in_order(ids);
    Ids out;
    const auto notes = read_file(notes_of(stage_)).value_or("");
    for (const auto line : split(notes, '\n'))
      for (const auto& id : ids)
        if (line.find(id) != std::string_view::npos) out.push_back(id);
    return out;
  }
  void await_told(const std::string& id) {
    stage_.await(cat("it is told of ", id), [&] { return !told({id}).empty(); });
  }
  /// When it came into the state that it is in.
  Instant since() const { return parse_instant(text_at(coder_.entry(), "since")).value(); }
  /// One turn, so that it is there and idle.
  void say_hello() {
    coder_.await_state("waiting");
    const auto hello = coder_.nudge("hello");
    await_told(hello.id);
    coder_.await_delivered(hello.id);
    coder_.await_state("waiting");
  }

  AgentStage stage_;
  Nudged coder_;

 private:
  int runs_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, Supervised, ::testing::Values(kOpencode, kStream, kLines),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(Supervised, IsShownFirstWhatWaitedForIt) {
  const auto first = coder_.nudge("first");
  const auto second = coder_.nudge("second");
  EXPECT_EQ(first.state, "queued");
  run("10m");
  for (const auto& sent : {first, second}) coder_.await_delivered(sent.id);
  await_told(second.id);
  coder_.await_state("waiting");
  const auto third = coder_.nudge("third");
  coder_.await_delivered(third.id);
  await_told(third.id);
  EXPECT_EQ(told({first.id, second.id, third.id}), (Ids{first.id, second.id, third.id}));
}

TEST_P(Supervised, IsToldOfMailAndLivesOn) {
  coder_.gt({"up", "--detach"});  // somebody else watches, too
  run("10m");
  coder_.await_state("waiting");
  const auto mail = text_at(coder_.gt({"mail", "send", "coder", "-s", "the plan", "-m", "is in here"}), "id");
  await_told(mail);
  coder_.await_state("waiting");
  EXPECT_FALSE(has_ended());
  EXPECT_EQ(told({mail}), Ids{mail});
  EXPECT_EQ(told({"is in here"}), Ids()) << "by its subject, never by its body";
}

TEST_P(Supervised, IsStoppedOnceItHasBeenIdleForItsTime) {
  run("1s");
  await_end();
  EXPECT_EQ(coder_.state(), "exited");
  const auto later = coder_.nudge("are you there?");
  EXPECT_EQ(later.state, "queued");
  EXPECT_EQ(coder_.state(), "exited");
  run("1s");
  await_told(later.id);
  coder_.await_delivered(later.id);
  await_end();
  EXPECT_EQ(told({later.id}), Ids{later.id});
}

TEST_P(Supervised, IsIdleForItsWholeTimeAgainAfterANudge) {
  run("5s");
  coder_.await_state("waiting");
  const auto sent = coder_.nudge("before its time");
  coder_.await_delivered(sent.id);
  await_told(sent.id);
  coder_.await_state("waiting");
  const auto idle = since();
  await_end();
  EXPECT_EQ(coder_.state(), "exited");
  EXPECT_GE(since() - idle, 5s) << "it did not begin anew";
  EXPECT_EQ(told({sent.id}), Ids{sent.id});
}

TEST_P(Supervised, IsNotStoppedWhileItWorks) {
  const auto work = coder_.nudge("begin the long work");
  run("1s");
  await_told(work.id);
  coder_.await_state("running");
  const auto sent = coder_.nudge("when you have a moment");
  EXPECT_EQ(sent.state, "queued");
  stage_.await("an idle one would be stopped by now",
               [this, from = since()] { return SystemClock().now() > from + 2s; });
  EXPECT_FALSE(has_ended());
  EXPECT_EQ(coder_.state(), "running");
  EXPECT_EQ(told({sent.id}), Ids()) << "it is not disturbed";
  open_gate();
  coder_.await_delivered(sent.id);
  await_end();
  EXPECT_EQ(told({work.id, sent.id}), (Ids{work.id, sent.id}));
}

TEST_P(Supervised, IsInterruptedByAnImmediateNudge) {
  run("10m");
  const auto work = coder_.nudge("begin the long work");
  await_told(work.id);
  coder_.await_state("running");
  const auto sent = coder_.nudge("stop at once", {"--now"});
  stage_.await("it is taken", [&] { return coder_.state_of(sent.id) != "queued"; });
  EXPECT_EQ(coder_.state(), "running") << "the tool still waits for the gate";
  open_gate();
  coder_.await_delivered(sent.id);
  await_told(sent.id);
  EXPECT_EQ(told({work.id, sent.id}), (Ids{work.id, sent.id}));
}

TEST_P(Supervised, LeavesItsNudgesToTheNextRunIfItDies) {
  run("10m");
  say_hello();
  const auto work = coder_.nudge("begin the long work");
  await_told(work.id);
  coder_.await_state("running");
  coder_.await_delivered(work.id);
  const auto first = coder_.nudge("first");
  const auto second = coder_.nudge("second");
  ASSERT_EQ(::kill(static_cast<pid_t>(number_at(coder_.entry(), "pid")), SIGKILL), 0);
  await_end();
  EXPECT_EQ(coder_.state(), "exited");
  for (const auto& sent : {first, second}) EXPECT_EQ(coder_.state_of(sent.id), "queued");
  run("10m");
  for (const auto& sent : {first, second}) coder_.await_delivered(sent.id);
  await_told(second.id);
  EXPECT_EQ(told({work.id, first.id, second.id}), (Ids{work.id, first.id, second.id}));
}

TEST_P(Supervised, EndsWithItsSupervisorThoughThatIsKilled) {
  run("10m");
  say_hello();
  const int program = static_cast<int>(number_at(coder_.entry(), "pid"));
  ASSERT_EQ(::kill(parent_of(program), SIGKILL), 0);
  stage_.await("the program ends", [&] { return !look_at(program) || is_zombie(program); });
  EXPECT_EQ(coder_.state(), "exited");
  const auto later = coder_.nudge("are you there?");
  EXPECT_EQ(later.state, "queued");
  run("10m");
  await_told(later.id);
  coder_.await_delivered(later.id);
  EXPECT_EQ(told({later.id}), Ids{later.id});
}

TEST_P(Supervised, RunsOnceAtATime) {  // K034
  run("10m");
  coder_.await_state("waiting");
  AgentStage::Words words = {gt_program(), "agent", "run", "--as", "coder"};
  const auto more = GetParam().words(stage_);
  words.insert(words.end(), more.begin(), more.end());
  const auto second = stage_.run(words);
  EXPECT_NE(second.exit_code, 0);
  EXPECT_NE(second.err.find("runs already"), std::string::npos) << second.err;
  say_hello();
}

}  // namespace
}  // namespace townpost
