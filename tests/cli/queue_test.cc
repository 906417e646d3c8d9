// gt queue …: made, shown, paused, closed, deleted; what was given up.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

class QueueCommands : public testing::Test {
 protected:
  QueueCommands() {
    town.rigs({"beads"});
    town.agents({"alice", "bob", "beads/polecats/nux"});
  }
  std::string put(const std::string& queue, const std::string& subject = "work") const {
    return town.send("overseer", "queue:" + queue, subject, {"-m", "what to do"});
  }
  std::string counts(const std::string& queue) const {
    const auto view = town.json({"queue", "show", queue});
    return std::to_string(number_at(view, "available")) + " " + std::to_string(number_at(view, "processing")) + " " +
           std::to_string(number_at(view, "completed")) + " " + std::to_string(number_at(view, "failed"));
  }
  TestTown town;
};

TEST_F(QueueCommands, CreateTakesEverySetting) {
  const auto queue =
      town.json({"mail", "queue", "create", "merge", "--claimers", "beads/polecats/*", "--order", "priority",
                 "--max-concurrency", "3", "--lease", "90s", "--max-attempts", "2", "--rig", "beads"});
  EXPECT_EQ(keys_of(queue),
            (Texts{"id", "name", "rig", "claimers", "processing_order", "max_concurrency", "lease", "max_attempts",
                   "status", "available", "processing", "completed", "failed", "created_at"}));
  EXPECT_EQ(text_at(queue, "id"), "be-q-merge");
  EXPECT_EQ(text_at(queue, "rig"), "beads");
  EXPECT_EQ(text_at(queue, "claimers"), "beads/polecats/*");
  EXPECT_EQ(text_at(queue, "processing_order"), "priority");
  EXPECT_EQ(number_at(queue, "max_concurrency"), 3);
  EXPECT_EQ(text_at(queue, "lease"), "90s");
  EXPECT_EQ(number_at(queue, "max_attempts"), 2);
  EXPECT_EQ(text_at(queue, "status"), "active");
  EXPECT_TRUE(is_instant(text_at(queue, "created_at")));
}

TEST_F(QueueCommands, CreateHasDefaults) {
  const auto queue = town.json({"queue", "create", "dispatch"});
  EXPECT_EQ(text_at(queue, "id"), "hq-q-dispatch");
  EXPECT_EQ(value_at(queue, "rig"), Json(nullptr));
  EXPECT_EQ(text_at(queue, "claimers"), "*");
  EXPECT_EQ(text_at(queue, "processing_order"), "fifo");
  EXPECT_EQ(number_at(queue, "max_concurrency"), 0);
  EXPECT_EQ(text_at(queue, "lease"), "10m");
  EXPECT_EQ(number_at(queue, "max_attempts"), 5);
}

TEST_F(QueueCommands, ListAndShowHaveExactCounts) {
  town.json({"queue", "create", "dispatch"});
  town.json({"queue", "create", "alpha"});
  const auto first = put("dispatch", "first");
  put("dispatch");
  town.json({"mail", "claim", "dispatch", "--as", "alice"});
  const auto list = town.json({"queue", "list"});
  EXPECT_EQ(texts_in(list, "name"), (Texts{"alpha", "dispatch"}));
  EXPECT_EQ(number_at(list.at(1), "available"), 1);
  EXPECT_EQ(number_at(list.at(1), "processing"), 1);
  EXPECT_EQ(town.gt({"queue", "list"}).out,
            "NAME      STATUS  AVAILABLE  PROCESSING  COMPLETED  FAILED\n"
            "alpha     active          0           0          0       0\n"
            "dispatch  active          1           1          0       0\n");
  EXPECT_EQ(town.gt({"queue", "list", "-q"}).out, "hq-q-alpha\nhq-q-dispatch\n");
  const auto shown = town.json({"mail", "queue", "show", "queue:dispatch"});
  const auto claim = value_at(shown, "claims").at(0);
  EXPECT_EQ(keys_of(claim), (Texts{"id", "subject", "claimed_by", "claimed_at", "lease_until", "attempts"}));
  EXPECT_EQ(text_at(claim, "id"), first);
  EXPECT_EQ(text_at(claim, "claimed_by"), "alice");
  const auto text = town.gt({"queue", "show", "dispatch"}).out;
  EXPECT_NE(text.find("1 available, 1 processing, 0 completed, 0 failed\n"), std::string::npos) << text;
  EXPECT_NE(text.find("alice"), std::string::npos) << text;
}

TEST_F(QueueCommands, PauseResumeClose) {
  town.json({"queue", "create", "dispatch"});
  EXPECT_EQ(text_at(town.json({"mail", "queue", "pause", "dispatch"}), "status"), "paused");
  put("dispatch");
  expect_refused_untouched(town, {"mail", "claim", "dispatch", "--as", "alice"}, {5, "refused", "is paused"});
  EXPECT_EQ(town.gt({"mail", "claim", "--as", "alice"}).exit_code, 1);
  EXPECT_EQ(text_at(town.json({"mail", "queue", "resume", "dispatch"}), "status"), "active");
  EXPECT_EQ(text_at(town.json({"mail", "queue", "close", "dispatch"}), "status"), "closed");
  expect_refused_untouched(town, {"mail", "send", "-m", "", "queue:dispatch", "-s", "x"}, {5, "refused", "is closed"});
  EXPECT_EQ(town.gt({"mail", "claim", "dispatch", "--as", "alice"}).exit_code, 0) << "what is left is worked off";
  EXPECT_EQ(town.gt({"queue", "resume", "dispatch", "-q"}).out, "hq-q-dispatch\n");
  put("dispatch");
}

TEST_F(QueueCommands, DeleteIsRefusedWhileMessagesAreUnfinished) {
  town.json({"queue", "create", "dispatch"});
  put("dispatch");
  expect_refused_untouched(town, {"queue", "delete", "dispatch"}, {5, "refused", "1 unfinished"});
  EXPECT_EQ(town.json({"queue", "delete", "dispatch", "--force"}), (Json{{"removed", "dispatch"}}));
  EXPECT_EQ(town.json({"queue", "list"}), Json(JsonArray{}));
  town.json({"queue", "create", "dispatch"});
  EXPECT_EQ(counts("dispatch"), "0 0 0 0");
  EXPECT_EQ(town.gt({"mail", "queue", "delete", "dispatch", "-q"}).out, "dispatch\n");
}

TEST_F(QueueCommands, DeadListsWhatWasGivenUpAndRetryBeginsAnew) {
  town.json({"queue", "create", "dispatch", "--max-attempts", "1"});
  town.json({"queue", "create", "other", "--max-attempts", "1"});
  EXPECT_EQ(town.json({"queue", "dead"}), Json(JsonArray{}));
  EXPECT_EQ(town.gt({"queue", "dead"}).exit_code, 0) << "empty lists exit 0";
  const auto id = put("dispatch", "Impossible");
  town.json({"mail", "claim", "--as", "alice"});
  town.json({"mail", "fail", id, "--reason", "tests are red", "--as", "alice"});
  EXPECT_EQ(counts("dispatch"), "0 0 0 1");
  const auto dead = town.json({"mail", "queue", "dead", "dispatch"});
  ASSERT_EQ(items_of(dead).size(), 1u);
  EXPECT_EQ(text_at(dead.at(0), "id"), id);
  EXPECT_EQ(text_at(dead.at(0), "queue"), "dispatch");
  EXPECT_EQ(text_at(dead.at(0), "queue_state"), "dead");
  EXPECT_EQ(text_at(dead.at(0), "reason"), "tests are red");
  EXPECT_EQ(number_at(dead.at(0), "attempts"), 1);
  EXPECT_EQ(town.json({"queue", "dead"}), dead);
  EXPECT_EQ(town.json({"queue", "dead", "other"}), Json(JsonArray{}));
  EXPECT_EQ(town.gt({"queue", "dead", "-q"}).out, id + "\n");
  EXPECT_NE(town.gt({"queue", "dead"}).out.find("Impossible"), std::string::npos);

  EXPECT_EQ(town.json({"mail", "queue", "retry", id}), (Json{{{"id", id}, {"state", "available"}}}));
  EXPECT_EQ(counts("dispatch"), "1 0 0 0");
  expect_refused_untouched(town, {"queue", "retry", id}, {5, "refused", "is not dead"});
  const auto part = town.gt({"queue", "retry", id, "hq-m-zzzzz", "--json"});
  EXPECT_EQ(part.exit_code, 5) << "none of them could be";
}

TEST_F(QueueCommands, TheIdsThatListsPrintAreTakenWhereANameIs) {
  town.json({"queue", "create", "merge", "--rig", "beads"});
  town.json({"channel", "create", "builds"});
  town.json({"group", "create", "team", "alice"});
  for (const std::string kind : {"queue", "channel", "group"}) {
    const auto id = lines_of(town.gt({kind, "list", "-q"}).out).at(0);
    EXPECT_EQ(text_at(town.json({kind, "show", id}), "id"), id);
    EXPECT_EQ(town.gt({kind, "delete", id}).exit_code, 0) << id;
  }
}

TEST_F(QueueCommands, ShowTellsWhatIsWithheld) {
  town.json({"queue", "create", "dispatch"});
  town.send("bob", "queue:dispatch", "work");
  EXPECT_EQ(town.json({"queue", "show", "dispatch"}).as_object().contains("withheld"), false);
  town.json({"agent", "quarantine", "bob", "--as", "overseer"});
  const auto told = town.gt({"queue", "show", "dispatch", "--json"});
  EXPECT_EQ(number_at(parse_json(told.out).value_or(Json()), "withheld"), 1);
  EXPECT_NE(told.err.find("1 message from agents in quarantine: handed to nobody"), std::string::npos) << told.err;
  EXPECT_EQ(counts("dispatch"), "1 0 0 0");
}

TEST_F(QueueCommands, SomebodyInQuarantineCannotKeepWorkFromOthers) {
  town.json({"queue", "create", "dispatch"});
  const auto id = put("dispatch");
  town.json({"mail", "claim", "--as", "alice"});
  town.json({"agent", "quarantine", "alice", "--as", "overseer"});
  expect_refused_untouched(town, {"mail", "extend", id, "--as", "alice"}, {5, "forbidden", "quarantine"});
  EXPECT_EQ(town.gt({"mail", "release", id, "--as", "alice"}).exit_code, 0) << "giving it back harms nobody";
}

TEST_F(QueueCommands, WorkThatIsReadIsNotToBeMarked) {
  town.json({"queue", "create", "dispatch"});
  const auto id = put("dispatch");
  const auto text = town.gt({"mail", "read", id, "--as", "alice"}).out;
  EXPECT_EQ(text.find("gt mail ack"), std::string::npos) << text;
  EXPECT_NE(text.find("gt mail claim dispatch"), std::string::npos) << text;
  EXPECT_NE(text.find("gt mail reply " + id), std::string::npos) << text;
}

TEST_F(QueueCommands, SomeOfSeveralIsPartly) {
  town.json({"queue", "create", "dispatch", "--max-attempts", "1"});
  const auto dead = put("dispatch");
  const auto alive = put("dispatch");
  town.json({"mail", "claim", "--as", "alice"});
  town.json({"mail", "fail", dead, "--as", "alice"});
  const auto retried = town.gt({"queue", "retry", dead, alive, "--json"});
  EXPECT_EQ(retried.exit_code, 9);
  const auto outcomes = parse_json(retried.out).value_or(Json());
  EXPECT_EQ(text_at(outcomes.at(0), "state"), "available");
  EXPECT_EQ(text_at(value_at(outcomes.at(1), "error"), "code"), "refused");
  EXPECT_NE(text_at(value_at(outcomes.at(1), "error"), "hint"), "");
}

TEST_F(QueueCommands, BadCallsLoseNothing) {
  town.json({"queue", "create", "dispatch"});
  town.json({"channel", "create", "builds"});
  const auto mail = town.send("overseer", "alice", "no work");
  for (const auto& [words, refusal] : std::vector<std::pair<Words, Refusal>>{
           {{"queue", "create"}, {2, "usage", "NAME"}},
           {{"queue", "create", "Bad"}, {2, "usage", "Bad"}},
           {{"queue", "create", "x", "y"}, {2, "usage", "\"y\""}},
           {{"queue", "create", "dispatch"}, {5, "refused", "already exists"}},
           {{"queue", "create", "builds"}, {5, "refused", "channel"}},
           {{"queue", "create", "alice"}, {5, "refused", "alice"}},
           {{"queue", "create", "x", "--order", "lifo"}, {2, "usage", "lifo"}},
           {{"queue", "create", "x", "--lease", "soon"}, {2, "usage", "lease"}},
           {{"queue", "create", "x", "--lease", "999ms"}, {2, "usage", "lease"}},
           {{"queue", "create", "x", "--lease", "366d"}, {2, "usage", "lease"}},
           {{"queue", "create", "x", "--max-attempts", "0"}, {2, "usage", "max-attempts"}},
           {{"queue", "create", "x", "--max-attempts", "many"}, {2, "usage", "max-attempts"}},
           {{"queue", "create", "x", "--max-concurrency", "-1"}, {2, "usage", "max-concurrency"}},
           {{"queue", "create", "x", "--max-concurrency", "99999999999"}, {2, "usage", "max-concurrency"}},
           {{"queue", "create", "x", "--claimers", "a//b"}, {2, "usage", "a//b"}},
           {{"queue", "create", "x", "--claimers", "a/b/c/*"}, {2, "usage", "a/b/c/*"}},
           {{"queue", "create", "x", "--rig", "nowhere"}, {4, "not_found", "nowhere"}},
           {{"queue", "create", "x", "--rig", ""}, {2, "usage", "rig"}},
           {{"queue", "create", "x", "--as", "alice"}, {5, "forbidden", "alice"}},
           {{"queue", "pause", "dispatch", "--as", "alice"}, {5, "forbidden", "alice"}},
           {{"queue", "delete", "dispatch", "--as", "alice"}, {5, "forbidden", "alice"}},
           {{"queue", "show", "dispach"}, {4, "not_found", "queue not found"}},
           {{"queue", "pause", "nothing"}, {4, "not_found", "nothing"}},
           {{"queue", "resume", "nothing"}, {4, "not_found", "nothing"}},
           {{"queue", "close", "nothing"}, {4, "not_found", "nothing"}},
           {{"queue", "delete", "nothing"}, {4, "not_found", "nothing"}},
           {{"queue", "dead", "nothing"}, {4, "not_found", "nothing"}},
           {{"queue", "retry"}, {2, "usage", "ID"}},
           {{"queue", "retry", "garbage"}, {4, "not_found", "garbage"}},
           {{"queue", "retry", "1"}, {4, "not_found", "nothing was listed"}},
           {{"queue", "retry", mail}, {5, "refused", "not a queue message"}},
           {{"queue", "craete", "x"}, {2, "usage", "unknown command"}},
           {{"mail", "send", "-m", "", "queue:nothing", "-s", "x"}, {4, "not_found", "queue not found"}},
           {{"mail", "send", "-m", "", "dispatch", "queue:other", "-s", "x"}, {4, "not_found", "other"}},
           {{"agent", "add", "dispatch"}, {5, "refused", "queue"}}})
    expect_refused_untouched(town, words, refusal);
}

TEST_F(QueueCommands, ExplainTellsTheWholeHistory) {
  town.json({"queue", "create", "dispatch"});
  const auto id = put("dispatch");
  town.json({"mail", "claim", "--as", "alice"});
  town.json({"mail", "complete", id, "--as", "alice"});
  const auto told = town.json({"mail", "explain", id});
  EXPECT_EQ(texts_in(value_at(told, "history"), "what"), (Texts{"stored", "claimed", "completed"}));
  EXPECT_EQ(text_at(value_at(told, "history").at(1), "who"), "alice");
  EXPECT_EQ(town.gt({"mail", "explain", id}).exit_code, 0);
}

TEST_F(QueueCommands, UpdateChangesWhatIsGivenAndLeavesTheRest) {
  town.json({"queue", "create", "dispatch", "--max-concurrency", "3"});
  const auto queue = town.json({"queue", "update", "dispatch", "--lease", "30m", "--max-attempts", "2"});
  EXPECT_EQ(text_at(queue, "lease"), "30m");
  EXPECT_EQ(number_at(queue, "max_attempts"), 2);
  EXPECT_EQ(number_at(queue, "max_concurrency"), 3);
  EXPECT_EQ(text_at(queue, "claimers"), "*");
  EXPECT_EQ(text_at(town.json({"queue", "update", "dispatch", "--claimers", "alice"}), "claimers"), "alice");
  put("dispatch");
  EXPECT_NE(town.gt({"mail", "claim", "dispatch", "--as", "bob"}).exit_code, 0) << "it is alice's now";
  expect_refused_untouched(town, {"queue", "update", "dispatch", "--lease", "0s"}, {2, "usage", "lease"});
  expect_refused_untouched(town, {"queue", "update", "dispatch", "--max-attempts", "0"}, {2, "usage", "max-attempts"});
  expect_refused_untouched(town, {"queue", "update", "nowhere", "--lease", "1m"}, {4, "not_found", "nowhere"});
  expect_refused_untouched(town, {"queue", "update", "dispatch", "--lease", "1m", "--as", "alice"},
                           {5, "forbidden", "the mayor"});
}

}  // namespace
}  // namespace townpost
