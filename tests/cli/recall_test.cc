// gt mail recall: a person takes back what a compromised agent wrote.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

TEST(Recall, TakesBackWhatIsUnreadAndNothingElse) {
  const TestTown town;
  town.agents({"rogue", "alice", "bob"});
  const auto read = town.send("rogue", "alice", "read already");
  const auto shared = town.send("rogue", "alice", "to two", {"bob"});
  const auto innocent = town.send("bob", "alice", "innocent");
  const auto old = town.send("rogue", "alice", "long ago");
  town.sql("UPDATE message SET created_at = created_at - 2 * 3600000 WHERE subject = 'long ago'");
  town.json({"mail", "ack", read, "--as", "alice"});
  town.json({"mail", "ack", shared, "--as", "bob"});
  const auto answer = town.json({"mail", "recall", "--from", "rogue", "--since", "1h", "--as", "overseer"});
  EXPECT_EQ(number_at(answer, "recalled"), 1);
  EXPECT_EQ(texts_in(value_at(answer, "ids")), Texts{shared});
  EXPECT_EQ(inbox_ids(town, "alice"), (Texts{old, innocent, read}));
  EXPECT_EQ(inbox_ids(town, "bob"), Texts{shared}) << "what was read stays";
  const auto history = town.gt({"mail", "explain", shared});
  EXPECT_NE(history.out.find("recalled"), std::string::npos) << history.out;
  EXPECT_EQ(number_at(town.json({"mail", "recall", "--from", "rogue", "--as", "overseer"}), "recalled"), 0);
}

TEST(Recall, LeavesNothingToAnswerAndNothingThatWaits) {
  const TestTown town;
  town.agents({"rogue", "alice"});
  town.gt({"agent", "add", "alice", "--session", "tmux:no-such"});
  town.send("rogue", "alice", "answer me", {"--reply-by", "1h"});
  EXPECT_EQ(value_at(town.json({"mail", "waiting", "--as", "alice"}), "owed_by_me").as_array().size(), 1u);
  town.json({"mail", "recall", "--from", "rogue", "--as", "overseer"});
  EXPECT_EQ(value_at(town.json({"mail", "waiting", "--as", "alice"}), "owed_by_me").as_array().size(), 0u);
  EXPECT_EQ(town.gt({"nudge", "list", "--agent", "alice", "--state", "queued", "-q"}).out, "");
  const auto sent = items_of(town.json({"mail", "sent", "--as", "rogue"}));
  EXPECT_EQ(text_at(items_of(value_at(sent.at(0), "recipients")).at(0), "state"), "deleted");
}

TEST(Recall, IsForPeopleOnly) {
  const TestTown town;
  town.agents({"rogue", "alice"});
  town.send("rogue", "alice", "Hi");
  for (const auto* caller : {"alice", "rogue", "mayor/"})
    expect_refused_untouched(town, {"mail", "recall", "--from", "rogue", "--as", caller},
                             {5, "forbidden", "people only"});
}

TEST(Recall, IsSaidInWords) {
  const TestTown town;
  town.agents({"rogue", "alice"});
  town.send("rogue", "alice", "Hi");
  const auto told = town.gt({"mail", "recall", "--from", "rogue", "--as", "overseer"});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_NE(told.out.find("recalled 1: 1 unread mail"), std::string::npos) << told.out;
}

TEST(Recall, OfOneMessageTakesBackOnlyThat) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto kept = town.send("overseer", "alice", "kept");
  const auto wrong = town.send("overseer", "alice", "wrong", {"bob"});
  town.json({"mail", "ack", wrong, "--as", "bob"});
  const auto answer = town.json({"mail", "recall", wrong, "--as", "overseer"});
  EXPECT_EQ(number_at(answer, "mail"), 1);
  EXPECT_EQ(texts_in(value_at(answer, "ids")), Texts{wrong});
  EXPECT_EQ(inbox_ids(town, "alice"), Texts{kept});
  EXPECT_EQ(inbox_ids(town, "bob"), Texts{wrong}) << "what was read stays";
  expect_refused_untouched(town, {"mail", "recall", kept, "--as", "alice"}, {5, "forbidden", "people only"});
  expect_refused_untouched(town, {"mail", "recall", "--as", "overseer"}, {2, "usage", "name a message"});
  town.json({"queue", "create", "jobs", "--as", "overseer"});
  const auto job = town.send("overseer", "queue:jobs", "work");
  expect_refused_untouched(town, {"mail", "recall", job, "--as", "overseer"}, {5, "refused", "went to a queue"});
}

}  // namespace
}  // namespace townpost
