// Each operation of the table, called by everybody: allowed or refused as its row says, and a refusal changes nothing.
#include <gtest/gtest.h>

#include <map>

#include "base/text.h"
#include "ops/op.h"
#include "security/callers.h"

namespace townpost {
namespace {

using Words = TestTown::Words;

/// A call of each operation that concerns victim, or the town as a whole.
std::map<std::string_view, Words> calls(const HostileTown& town) {
  return {
      {"init", {"init", "elsewhere"}},
      {"trust", {"trust"}},
      {"whoami", {"whoami"}},
      {"todo", {"todo"}},
      {"mail.send", {"mail", "send", "victim", "-s", "Hello", "-m", "there"}},
      {"mail.inbox", {"mail", "inbox", "victim"}},
      {"mail.read", {"mail", "read", town.mail()}},
      {"mail.ack", {"mail", "ack", "--all"}},
      {"mail.mark-unread", {"mail", "mark-unread", town.mail()}},
      {"mail.archive", {"mail", "archive", "--stale"}},
      {"mail.unarchive", {"mail", "unarchive", town.mail()}},
      {"mail.delete", {"mail", "delete", town.mail()}},
      {"mail.pin", {"mail", "pin", town.mail()}},
      {"mail.unpin", {"mail", "unpin", town.mail()}},
      {"mail.reply", {"mail", "reply", town.mail(), "-m", "well"}},
      {"mail.reply-all", {"mail", "reply-all", town.mail(), "-m", "well"}},
      {"mail.sent", {"mail", "sent"}},
      {"mail.waiting", {"mail", "waiting"}},
      {"mail.thread", {"mail", "thread", town.thread()}},
      {"mail.search", {"mail", "search", "SECRET"}},
      {"mail.check", {"mail", "check"}},
      {"mail.peek", {"mail", "peek"}},
      {"mail.wait", {"mail", "wait", "--timeout", "1ms"}},
      {"mail.drain", {"mail", "drain"}},
      {"mail.directory", {"mail", "directory"}},
      {"mail.explain", {"mail", "explain", town.mail()}},
      {"why", {"why", town.mail()}},
      {"mail.budget", {"mail", "budget"}},
      {"mail.recall", {"mail", "recall", "--from", "victim"}},
      {"group.list", {"group", "list"}},
      {"group.show", {"group", "show", "crowd"}},
      {"group.create", {"group", "create", "mob"}},
      {"group.add", {"group", "add", "crowd", "evil"}},
      {"group.remove", {"group", "remove", "crowd", "victim"}},
      {"group.delete", {"group", "delete", "crowd"}},
      {"mail.claim", {"mail", "claim", "jobs"}},
      {"mail.complete", {"mail", "complete", town.job()}},
      {"mail.fail", {"mail", "fail", town.job()}},
      {"mail.release", {"mail", "release", town.job()}},
      {"mail.extend", {"mail", "extend", town.job()}},
      {"queue.create", {"queue", "create", "more"}},
      {"queue.list", {"queue", "list"}},
      {"queue.show", {"queue", "show", "jobs"}},
      {"queue.pause", {"queue", "pause", "jobs"}},
      {"queue.resume", {"queue", "resume", "jobs"}},
      {"queue.close", {"queue", "close", "jobs"}},
      {"queue.delete", {"queue", "delete", "jobs", "--force"}},
      {"queue.dead", {"queue", "dead"}},
      {"queue.retry", {"queue", "retry", town.job()}},
      {"channel.list", {"channel", "list"}},
      {"channel.show", {"channel", "show", "news"}},
      {"channel.create", {"channel", "create", "noise"}},
      {"channel.update", {"channel", "update", "news", "--retain-count", "1"}},
      {"channel.close", {"channel", "close", "news"}},
      {"channel.reopen", {"channel", "reopen", "news"}},
      {"channel.delete", {"channel", "delete", "news"}},
      {"channel.subscribe", {"channel", "subscribe", "news"}},
      {"channel.unsubscribe", {"channel", "unsubscribe", "news"}},
      {"channel.subscribers", {"channel", "subscribers", "news"}},
      {"channel.read", {"channel", "read", "news"}},
      {"channel.pruned", {"channel", "pruned", "news"}},
      {"channel.prune", {"channel", "prune"}},
      {"protocol.types", {"protocol", "types"}},
      {"protocol.parse", {"protocol", "parse", town.mail()}},
      {"protocol.build", {"protocol", "build", "HELP", "topic=x", "problem=y"}},
      {"protocol.lint", {"protocol", "lint"}},
      {"nudge", {"nudge", "victim", "hey", "--mode", "queue"}},
      {"nudge.list", {"nudge", "list"}},
      {"nudge.show", {"nudge", "show", town.nudge()}},
      {"nudge.wait", {"nudge", "wait", town.nudge(), "--timeout", "1ms"}},
      {"nudge.explain", {"nudge", "explain", town.nudge()}},
      {"nudge.drop", {"nudge", "drop", town.nudge(), "--reason", "x"}},
      {"nudge.retry", {"nudge", "retry", town.nudge()}},
      {"nudge.drain", {"nudge", "drain"}},
      {"nudge.carry", {"nudge", "carry", "evil"}},
      {"dnd.on", {"dnd", "on", "victim"}},
      {"dnd.off", {"dnd", "off", "victim"}},
      {"dnd.status", {"dnd", "status", "victim"}},
      {"hold", {"hold", "--all"}},
      {"release", {"release", "--all"}},
      {"status", {"status"}},
      {"top", {"top"}},
      {"up", {"up", "--detach"}},
      {"down", {"down"}},
      {"signal", {"signal", "claude", "Stop"}},
      {"prime", {"prime"}},
      {"harness.install", {"harness", "install", "claude", "--print"}},
      {"harness.uninstall", {"harness", "uninstall", "claude"}},
      {"harness.status", {"harness", "status", "claude"}},
      {"agent.add", {"agent", "add", "victim", "--description", "mine"}},
      {"agent.list", {"agent", "list"}},
      {"agent.show", {"agent", "show", "victim"}},
      {"agent.remove", {"agent", "remove", "victim"}},
      {"agent.alias", {"agent", "alias", "victim", "evil"}},
      {"agent.release", {"agent", "release", "victim"}},
      {"agent.run", {"agent", "run", "--", "true"}},
      {"agent.drain", {"agent", "drain", "victim"}},
      {"agent.quarantine", {"agent", "quarantine", "victim"}},
      {"agent.hook", {"agent", "hook", "victim", "be-1"}},
      {"rig.add", {"rig", "add", "shed", "."}},
      {"rig.list", {"rig", "list"}},
      {"rig.show", {"rig", "show", "beads"}},
      {"rig.remove", {"rig", "remove", "beads"}},
      {"store.info", {"store", "info"}},
      {"store.check", {"store", "check"}},
      {"store.migrate", {"store", "migrate"}},
      {"store.copy", {"store", "copy", "--to", "sqlite:copied.db"}},
      {"store.purge", {"store", "purge"}},
  };
}

enum class Expected { refused, allowed, undecided };

bool is_human(CallerKind kind) { return kind == CallerKind::script || kind == CallerKind::person; }

/// What the row says about this caller. A call that names somebody names victim, who is nobody of these.
Expected expected(const Op& op, CallerKind kind) {
  const auto& row = op.authority;
  if (kind == CallerKind::quarantined && !row.open_in_quarantine()) return Expected::refused;
  switch (row.who()) {
    case Who::anyone:
      return Expected::allowed;
    case Who::itself:
    case Who::owner:
      return row.whom().empty() || is_human(kind) ? Expected::allowed : Expected::refused;
    case Who::participant:
    case Who::creator:
      return is_human(kind) ? Expected::allowed : Expected::refused;
    case Who::claimer:
      return is_human(kind) ? Expected::undecided : Expected::refused;
    case Who::coordinator:
      return is_human(kind) ? Expected::allowed : Expected::refused;
    case Who::person:
      return kind == CallerKind::person ? Expected::allowed : Expected::refused;
  }
  return Expected::undecided;
}

/// Data decides for each message or nudge by itself, and what one may not see is left out of lists.
bool is_told_by_each(std::string_view op) {
  return op == "nudge.list" || op.starts_with("mail.mark") || op == "mail.archive" || op == "mail.unarchive" ||
         op == "mail.delete" || op == "mail.pin" || op == "mail.unpin";
}

class Matrix : public testing::TestWithParam<CallerKind> {
 protected:
  static HostileTown& town() {
    static HostileTown town;
    return town;
  }
};

TEST_P(Matrix, HoldsForEveryOperation) {
  const auto words = calls(town());
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (op.name != entry.name) continue;
    const auto call = words.find(op.name);
    ASSERT_NE(call, words.end()) << op.name << " has no call in this test: who may call it is not tried";
    const auto wanted = expected(op, GetParam());
    const auto tried = town().attempt(GetParam(), call->second);
    const bool refused = tried.exit_code == 5;
    const auto told = cat(op.name, " by ", name(GetParam()), " ended with ", tried.exit_code, ": ", tried.out);
    if (GetParam() == CallerKind::in_anothers_pane) {  // it claims to be evil where victim sits: whoever asks refuses
      EXPECT_TRUE(refused || wanted != Expected::refused) << told;
    } else if (wanted == Expected::refused && !is_told_by_each(op.name)) {
      EXPECT_TRUE(refused) << told;
    } else if (wanted == Expected::allowed) {
      EXPECT_FALSE(refused && tried.out.find(" is for ") != std::string::npos) << told;
    }
    EXPECT_FALSE(refused && tried.changed) << told;
    EXPECT_TRUE(wanted != Expected::refused || tried.out.find("SECRET") == std::string::npos) << told;
    if (op.name == "up" && !refused) town().town().gt({"down"});
  }
}

INSTANTIATE_TEST_SUITE_P(, Matrix,
                         testing::Values(CallerKind::nameless, CallerKind::by_environment, CallerKind::supervised,
                                         CallerKind::quarantined, CallerKind::in_anothers_pane, CallerKind::script,
                                         CallerKind::person),
                         [](const auto& kind) {
                           std::string out;
                           for (const char c : name(kind.param))
                             if ((c >= 'a' && c <= 'z')) out += c;
                           return out;
                         });

}  // namespace
}  // namespace townpost
