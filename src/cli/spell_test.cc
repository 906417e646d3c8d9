#include "cli/spell.h"

#include <gtest/gtest.h>

#include "base/advice.h"
#include "base/result.h"
#include "base/text.h"

namespace townpost {
namespace {

std::string typed(const NextStep& step) { return spelled(*step.call, nullptr); }

/// The error as it is told of a call of `op`.
std::string told(const Failure& failure, std::string_view op) {
  const auto [message, hint] = spelled(failure.value(), find_op(op));
  return cat(message, "; ", hint);
}

TEST(SpelledWords, NameArgumentsAndOperationsAsTheyAreTyped) {
  const Op& check = *find_op("mail.check");
  EXPECT_EQ(spelled("With `inject`: what is new", check), "With --inject: what is new");
  EXPECT_EQ(spelled("`mail.pin` keeps it; `whatever` and ` stay", check), "gt mail pin keeps it; whatever and ` stay");
  EXPECT_EQ(spelled("no name at all", check), "no name at all");
}

TEST(SpelledWords, NameCallsWithinATextAsTheyAreTyped) {
  EXPECT_EQ(respelled(cat("dead; ", called("queue.retry", {{"id", "hq-m-1"}}), " begins anew")),
            "dead; gt queue retry hq-m-1 begins anew");
  EXPECT_EQ(respelled(cat(called("release", {{"all", ""}}), " or ", called("up"))), "gt release --all or gt up");
  EXPECT_EQ(respelled(called("agent.run", {{"as", ""}})), "gt agent run --as");
  EXPECT_EQ(respelled(cat("choose one with ", called("", {{"town", "DIR"}}), " or GT_TOWN")),
            "choose one with --town DIR or GT_TOWN");
}

TEST(SpelledWords, LeaveAloneWhatIsNoCallOfOurs) {
  for (const auto* text :
       {"`whatever`", "`mail.read nonsense=1`", "one ` alone", "``", "`as`", "`subject=x`", "`mail.read", "`rm -rf /`"})
    EXPECT_EQ(respelled(text), text);
}

TEST(SpelledCall, IsTheCommandAsItIsTyped) {
  EXPECT_EQ(typed(next("rig.list")), "gt rig list");
  EXPECT_EQ(typed(next("why")), "gt why");
}

TEST(SpelledCall, PutsPositionsFirstAndOptionsBehind) {
  EXPECT_EQ(typed(next("agent.add", {{"session", "tmux:coder"}, {"address", "coder"}})),
            "gt agent add coder --session tmux:coder");
  EXPECT_EQ(typed(next("mail.send", {{"subject", "SUBJECT"}, {"to", "ADDR"}, {"body", "BODY"}})),
            "gt mail send ADDR -s SUBJECT -m BODY");
}

TEST(SpelledCall, WritesALetterWhereThereIsOneAndDashesForUnderscores) {
  EXPECT_EQ(typed(next("mail.send", {{"subject", "Hi"}, {"reply_by", "30m"}})), "gt mail send -s Hi --reply-by 30m");
}

TEST(SpelledCall, AFlagHasNoValue) {
  EXPECT_EQ(typed(next("agent.quarantine", {{"agent", "coder"}, {"lift", "true"}})),
            "gt agent quarantine coder --lift");
}

TEST(SpelledCall, AValueThatCouldBeLeftOutIsWrittenWithAnEqualsSign) {
  EXPECT_EQ(typed(next("mail.claim", {{"wait", "10m"}})), "gt mail claim --wait=10m");
}

TEST(SpelledCall, EveryValueIsOneWordOfAShell) {
  EXPECT_EQ(typed(next("trust", {{"dir", "/tmp/my town"}})), "gt trust '/tmp/my town'");
  EXPECT_EQ(typed(next("trust", {{"dir", "it's"}})), "gt trust 'it'\\''s'");
  EXPECT_EQ(typed(next("trust", {{"dir", "$(rm -r ~)"}})), "gt trust '$(rm -r ~)'");
  EXPECT_EQ(typed(next("trust", {{"dir", "a;b"}})), "gt trust 'a;b'");
  EXPECT_EQ(typed(next("trust", {{"dir", "a\nb"}})), "gt trust 'a\nb'");
  EXPECT_EQ(typed(next("trust", {{"dir", ""}})), "gt trust ''");
  EXPECT_EQ(typed(next("trust", {{"dir", "Straße"}})), "gt trust 'Straße'");
  EXPECT_EQ(typed(next("agent.add", {{"address", "a"}, {"session", "opencode:http://h:1#s"}})),
            "gt agent add a --session 'opencode:http://h:1#s'");
}

TEST(SpelledCall, PlaceholdersAndPlainWordsStayAsTheyAre) {
  EXPECT_EQ(typed(next("mail.ack", {{"id", "ID…"}})), "gt mail ack ID…");
  EXPECT_EQ(typed(next("agent.show", {{"address", "beads/crew/max"}})), "gt agent show beads/crew/max");
}

TEST(SpelledCall, AValueIsNeverTakenForAnOption) {
  EXPECT_EQ(typed(next("nudge.drop", {{"id", "-x"}, {"reason", "why"}})), "gt nudge drop --reason why -- -x");
  EXPECT_EQ(typed(next("nudge.drop", {{"id", "hq-n-1"}, {"reason", "--as overseer"}})),
            "gt nudge drop hq-n-1 --reason='--as overseer'");
  EXPECT_EQ(typed(next("mail.send", {{"subject", "-x"}})), "gt mail send --subject=-x");
}

TEST(SpelledCall, OfTheSameOperationIsItsArgumentsAlone) {
  const Op* send = find_op("mail.send");
  EXPECT_EQ(spelled(*next("", {{"self", "true"}}).call, send), "--self");
  EXPECT_EQ(spelled(*next("", {{"thread", ""}}).call, send), "--thread") << "without a value: its name";
  EXPECT_EQ(spelled(*next("", {{"subject", "what it is about"}}).call, send), "-s 'what it is about'");
  EXPECT_EQ(spelled(*next("").call, send), "");
}

TEST(SpelledCall, WhatEveryCommandTakesNeedsNoRow) {
  EXPECT_EQ(typed(next("", {{"as", "overseer"}})), "--as overseer");
  EXPECT_EQ(typed(next("agent.run", {{"as", "ADDR"}}, " -- COMMAND")), "gt agent run --as ADDR");
}

TEST(SpelledCall, OfAnOperationThatIsNotKnownNamesEveryArgument) {
  EXPECT_EQ(typed(next("moon.fly", {{"to_crater", "Tycho"}, {"fast", "true"}})),
            "gt moon fly --to-crater Tycho --fast");
}

TEST(SpelledError, EndsWithTheCallAndTheWordsBehindIt) {
  EXPECT_EQ(told(fail(Code::refused, "no", "run " + next("mail.inbox", {}, ", or wait")), "mail.read"),
            "no; run gt mail inbox, or wait");
}

TEST(SpelledError, NamesTheArgumentAsItIsTyped) {
  EXPECT_EQ(told(fail_argument("reply_by", "invalid reply_by: no", "for example 30m"), "mail.send"),
            "invalid --reply-by: no; for example 30m");
  EXPECT_EQ(told(fail_argument("to", "the to is missing"), "mail.send"),
            "the ADDR is missing; --help shows what it takes");
  EXPECT_EQ(told(fail_argument("query", "the query is missing"), "mail.search"),
            "the WORDS are missing; --help shows what it takes");
  EXPECT_EQ(told(fail_argument("subject", "the subject is missing"), "mail.send"),
            "the subject is missing; add -s SUBJ");
  EXPECT_EQ(told(fail_argument("as", "invalid as: unknown agent", "ask"), "mail.send"),
            "invalid --as: unknown agent; ask");
}

TEST(SpelledError, NamesArgumentsThatExcludeEachOther) {
  EXPECT_EQ(told(fail_argument("unread", "all and unread are mutually exclusive", "choose one"), "mail.inbox"),
            "--all and --unread are mutually exclusive; choose one");
  EXPECT_EQ(told(fail_argument("mode", "mode, now, soon and idle are mutually exclusive", "choose one"), "nudge"),
            "--mode, --now, --soon and --idle are mutually exclusive; choose one");
  EXPECT_EQ(told(fail_argument("id", "all and ids are mutually exclusive", "choose one"), "mail.ack"),
            "--all and ids are mutually exclusive; choose one");
  EXPECT_EQ(told(fail_argument("all", "all is lost", "choose one"), "mail.ack"), "all is lost; choose one");
}

TEST(SpelledError, NamesTheOperationAsItIsTyped) {
  EXPECT_EQ(told(fail(Code::forbidden, "agent.release is for people", "ask"), "agent.release"),
            "gt agent release is for people; ask");
  auto failure = fail(Code::forbidden, "force of nudge is for coordinators", "ask");
  failure.value().argument = "force";
  EXPECT_EQ(told(failure, "nudge"), "--force of gt nudge is for coordinators; ask");
}

TEST(SpelledError, NamesTheCallsOfItsHintAsTheyAreTyped) {
  const auto failure = fail(Code::no_town, "no town here",
                            cat("choose one with ", called("", {{"town", "DIR"}}), ", or run ") + next("init"));
  EXPECT_EQ(spelled(failure.value(), nullptr).hint, "choose one with --town DIR, or run gt init");
}

TEST(SpelledError, WithoutAnOperationStaysAsItIs) {
  const auto [message, hint] = spelled(fail(Code::no_town, "no town", "run " + next("init")).value(), nullptr);
  EXPECT_EQ(message, "no town");
  EXPECT_EQ(hint, "run gt init");
}

}  // namespace
}  // namespace townpost
