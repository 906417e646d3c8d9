// gt todo on a clock that is moved: what becomes late, overdue or old.
#include "post/mail/todo.h"

#include "contract/town_fixture.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class TodoTest : public TownTest {
 protected:
  Message typed(std::string_view from, const std::string& subject, const std::string& body) {
    Letter what = letter("max", subject);
    what.body = body;
    return send(from, what).message;
  }
  Message help() { return typed("nux", "HELP_REQUEST", "Bead: ol-1\nIssue Type: STUCK\n\n## Problem\nx"); }
  Todo todo_of(std::string_view who, const std::vector<std::string>& beads = {}) {
    return must(todo(town(), beads, caller(who)));
  }
};
ON_EVERY_STORE(TodoTest);

TEST_P(TodoTest, AHelpRequestIsLateAfterFiveMinutes) {
  help();
  clock().advance(minutes(5));
  ASSERT_EQ(todo_of("max").help.size(), 1u);
  EXPECT_FALSE(todo_of("max").help[0].late);
  clock().advance(Millis(1));
  EXPECT_TRUE(todo_of("max").help[0].late);
}

TEST_P(TodoTest, AnyAnswerInTheThreadEndsTheRequestButNotTheAskersOwnWords) {
  const Message asked = help();
  typed("nux", "PROGRESS", "Bead: ol-1\nStep: still stuck");
  EXPECT_EQ(todo_of("max").help.size(), 1u) << "the asker itself said more";
  Letter answer = letter("nux", "HELP_RESPONSE");
  answer.body = "Bead: ol-1\nlook there";
  send("max", answer);
  EXPECT_TRUE(todo_of("max").help.empty());
  EXPECT_FALSE(todo_of("max", {"ol-1"}).beads[0].help_open);
}

TEST_P(TodoTest, CompletionsAreThoseOfTheLastDayNewestFirst) {
  const Message old = typed("nux", "DONE", "Bead: ol-1\nStatus: DONE");
  clock().advance(hours(23));
  const Message fresh = typed("slit", "FAILED", "Bead: ol-2\n\n## Failure\nType: ERROR\nReason: r");
  ASSERT_EQ(todo_of("max").completions.size(), 2u);
  EXPECT_EQ(todo_of("max").completions[0].mail.message.id, fresh.id);
  clock().advance(hours(1));
  ASSERT_EQ(todo_of("max").completions.size(), 1u) << old.id.str() << " is a day old";
}

TEST_P(TodoTest, ABeadsStandingFollowsItsMessages) {
  EXPECT_EQ(todo_of("max", {"ol-1"}).beads[0].state, BeadState::silent);
  typed("nux", "BEAD_ACCEPTED", "Accepted bead: ol-1");
  EXPECT_EQ(todo_of("max", {"ol-1"}).beads[0].state, BeadState::accepted);
  typed("nux", "PROGRESS", "Bead: ol-1\nStep: two\nContext usage: 40%");
  const auto standing = todo_of("max", {"ol-1"}).beads[0];
  EXPECT_EQ(standing.state, BeadState::progress);
  EXPECT_EQ(standing.step, "two");
  EXPECT_EQ(standing.context_usage, 40);
  typed("nux", "CHECKPOINT", "Bead: ol-1\nReason: CONTEXT_HIGH");
  EXPECT_EQ(todo_of("max", {"ol-1"}).beads[0].state, BeadState::checkpoint);
  typed("nux", "DONE", "Bead: ol-1\nStatus: DONE");
  EXPECT_EQ(todo_of("max", {"ol-1"}).beads[0].state, BeadState::done);
}

TEST_P(TodoTest, EveryStateHasItsWord) {
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(last_value(BeadState{})); ++i) words.push_back(name(static_cast<BeadState>(i)));
  EXPECT_EQ(words,
            (std::vector<std::string_view>{"silent", "accepted", "progress", "help", "checkpoint", "done", "failed"}));
  EXPECT_EQ(words, bead_state_names());
}

TEST_P(TodoTest, UnreadMailIsSomethingToDo) {
  EXPECT_EQ(todo_of("max").unread, 0);
  EXPECT_TRUE(todo_of("max").actions.empty());
  const MessageId id = send("nux", "max").message.id;
  EXPECT_EQ(todo_of("max").unread, 1);
  ASSERT_EQ(todo_of("max").actions.size(), 1u);
  EXPECT_EQ(todo_of("max").actions[0].what, "Read 1 message");
  mark(id, Mark::read, "max");
  EXPECT_TRUE(todo_of("max").actions.empty());
}

TEST_P(TodoTest, AnAnswerLeavesNothingToDo) {
  Letter asked = letter("max", "Review?");
  asked.ack_required = true;
  asked.reply_by = hours(1);
  const MessageId plain = send("nux", asked).message.id;
  const MessageId request = help().id;
  EXPECT_EQ(todo_of("max").pending.size(), 2u);
  reply("max", plain);
  reply("max", request);
  const Todo done = todo_of("max");
  EXPECT_EQ(done.unread, 0);
  EXPECT_TRUE(done.pending.empty() && done.help.empty() && done.overdue.empty() && done.actions.empty());
}

TEST_P(TodoTest, AReplyThatIsOwedAndLateIsOverdue) {
  Letter asked = letter("max", "Review?");
  asked.reply_by = minutes(30);
  const Message message = send("nux", asked).message;
  EXPECT_TRUE(todo_of("max").overdue.empty());
  clock().advance(minutes(31));
  ASSERT_EQ(todo_of("max").overdue.size(), 1u);
  EXPECT_EQ(todo_of("max").overdue[0].message.id, message.id);
  ASSERT_EQ(todo_of("nux").overdue.size(), 1u) << "who waits sees it, too";
  EXPECT_EQ(todo_of("nux").overdue[0].by, (std::vector<std::string>{"beads/crew/max"}));
}

}  // namespace
}  // namespace townpost
