// A supervised agent while the town's store cannot be written.
#include <gtest/gtest.h>

#include <fstream>

#include "agents/nudged.h"

namespace townpost {
namespace {

/// Works from the first line on until there is a gate, then is idle for ever.
constexpr const char* kSlowAgent = R"sh(
echo '{"type":"idle"}'
read -r line
echo "$line" | sed 's/.*\(hq-n-[a-z0-9]*\).*/{"type":"shown","text":"\1"}/'
echo '{"type":"busy"}'
while [ ! -e gate ]; do sleep 0.05; done
echo '{"type":"idle"}'
while read -r line; do echo "$line" >>later; done
)sh";

class StreamStore : public ::testing::Test {
 protected:
  StreamStore() : coder_(stage_) { coder_.gt({"agent", "add", "coder"}); }

  /// Somebody writes and does not come to an end before unlock().
  void lock() {
    const std::string script =
        "BEGIN IMMEDIATE;\n.shell touch locked; while [ ! -e unlock ]; do sleep 0.05; done\nROLLBACK;\n";
    stage_.start({"sh", "-c", R"(printf '%s' "$1" | sqlite3 "$0")", stage_.town().store().string(), script}, "lock");
    stage_.await("the store is locked", [&] { return has("locked"); });
  }
  void unlock() { make("unlock"); }
  bool has(const std::string& file) const { return std::filesystem::exists(stage_.town().folder() / file); }
  void make(const std::string& file) { std::ofstream(stage_.town().folder() / file) << "\n"; }
  std::string written(const std::string& file) { return read_file(stage_.town().folder() / file).value_or(""); }

  AgentStage stage_;
  Nudged coder_;
};

TEST_F(StreamStore, ThatCannotBeAskedCountsAsNothingWaiting) {  // K020
  stage_.start({"sh", "-c", R"("$0" agent run --as coder --adapter lines --idle-timeout 2s -- sh -c "$1"; echo ended)",
                gt_program(), kSlowAgent},
               "run");
  const auto work = coder_.nudge("begin");
  coder_.await_delivered(work.id);
  const auto later = coder_.nudge("and then this");
  EXPECT_EQ(later.state, "queued");
  lock();
  make("gate");  // the turn ends now
  stage_.await("the agent is stopped", [&] { return stage_.log("run").find("ended") != std::string::npos; });
  EXPECT_FALSE(has("unlock")) << "nobody waited for the store";
  EXPECT_EQ(written("later"), "") << "nothing was shown that could not be noted";
  unlock();
  EXPECT_EQ(coder_.state(), "exited");
  stage_.await("it waits for the next session", [&] { return coder_.state_of(later.id) == "queued"; });
}

}  // namespace
}  // namespace townpost
