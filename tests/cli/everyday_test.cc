// What people and agents do all day: answers, claimed work, what a queue holds, ids that were shown, next steps.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "support/terminal.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

class Everyday : public testing::Test {
 protected:
  Everyday() {
    town.agents({"max", "ada", "coder", "reviewer"});
    town.json({"queue", "create", "jobs", "--as", "overseer"});
  }
  std::string job(const std::string& from, const std::string& subject) const {
    return town.send(from, "queue:jobs", subject, {"-m", "what to do"});
  }
  std::string claim(const std::string& who) const {
    return std::string(trim(town.gt({"mail", "claim", "jobs", "-q", "--as", who}).out));
  }
  std::string says(const Words& words) const {
    const auto ran = town.gt(words);
    return ran.out + ran.err;
  }
  std::string on_screen(const Words& words) const { return gt_on_terminal(town, words).out; }
  Texts whom(const Json& receipt) const { return texts_in(value_at(receipt, "recipients"), "address"); }
  std::int64_t waiting() const { return number_at(town.json({"queue", "show", "jobs"}), "available"); }
  TestTown town;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// ---- answers --------------------------------------------------------------------------------------------------------

TEST_F(Everyday, AnAnswerToWorkGoesToWhoeverAskedForIt) {
  const auto id = job("ada", "Build it");
  EXPECT_EQ(claim("max"), id);
  const auto answer = town.json({"mail", "reply", id, "-m", "on it", "--as", "max"});
  EXPECT_EQ(whom(answer), Texts{"ada"});
  EXPECT_EQ(text_at(answer, "thread_id"), text_at(read_as(town, "ada", id), "thread_id"));
}

TEST_F(Everyday, AnAnswerToOnesOwnWorkGoesToWhoeverHasItAndIsNoNewWork) {
  const auto id = job("ada", "Build it");
  expect_refused_untouched(town, {"mail", "reply", id, "-m", "hurry", "--as", "ada"},
                           {5, "refused", "nobody works on"});
  claim("max");
  for (const auto* verb : {"reply", "reply-all"})
    EXPECT_EQ(whom(town.json({"mail", verb, id, "-m", cat("hurry, ", verb), "--as", "ada"})), Texts{"max"});
  EXPECT_EQ(waiting(), 0);
  town.json({"mail", "complete", id, "--as", "max"});
  EXPECT_EQ(whom(town.json({"mail", "reply", id, "-m", "thanks", "--as", "ada"})), Texts{"max"});
  EXPECT_EQ(waiting(), 0);
}

TEST_F(Everyday, LastIsTheWorkThatWasJustClaimedAndNumbersStayThoseOfTheList) {
  const auto first = town.send("ada", "max", "first");
  const auto second = town.send("ada", "max", "second");
  ASSERT_EQ(inbox_ids(town, "max"), (Texts{second, first}));
  const auto id = job("ada", "Build it");
  claim("max");
  EXPECT_EQ(whom(town.json({"mail", "reply", "last", "-m", "on it", "--as", "max"})), Texts{"ada"});
  EXPECT_EQ(text_at(town.json({"mail", "read", "2", "--as", "max"}), "id"), first);
  EXPECT_EQ(texts_in(town.json({"queue", "complete", "last", "--as", "max"}), "id"), Texts{id});
  inbox_ids(town, "max");
  EXPECT_EQ(text_at(town.json({"mail", "read", "last", "--as", "max"}), "id"), first);
}

TEST_F(Everyday, LastIsClaimedWorkAlsoWhereNothingWasListed) {
  const auto id = job("ada", "Build it");
  claim("max");
  EXPECT_EQ(texts_in(town.json({"queue", "complete", "last", "--as", "max"}), "id"), Texts{id});
}

// ---- what is mine ---------------------------------------------------------------------------------------------------

TEST_F(Everyday, OnlyWhatIsUnreadByTheReaderIsMarkedUnread) {
  town.send("ada", "max", "parser of mine");
  job("ada", "parser job");
  const auto mine = town.send("max", "ada", "parser for ada");
  const auto found = town.gt({"mail", "search", "parser", "--as", "ada"}).out;
  std::size_t marked = 0;
  for (const auto& line : lines_of(found))
    if (has(line, "[unread]")) {
      ++marked;
      EXPECT_TRUE(has(line, mine)) << found;
    }
  EXPECT_EQ(marked, 1u) << found;
  EXPECT_TRUE(has(on_screen({"mail", "search", "parser", "--as", "ada"}), "3 messages, 1 unread"));
}

TEST_F(Everyday, NobodyIsToldToMarkTheMailOfOthers) {
  const auto id = town.send("ada", "max", "for max", {"--ack"});
  EXPECT_FALSE(has(on_screen({"mail", "read", id}), "gt mail ack"));
  EXPECT_TRUE(has(says({"mail", "read", id, "--as", "max"}), "gt mail ack"));
  EXPECT_FALSE(has(says({"mail", "read", id, "--as", "ada"}), "gt mail ack")) << "ada sent it";
  EXPECT_TRUE(has(says({"mail", "ack", id, "--as", "overseer"}), "--as max"));
}

TEST_F(Everyday, NobodyIsToldToActForAnOwnerWhereThereIsNone) {
  const auto id = job("ada", "Build it");
  const auto told = says({"mail", "ack", id, "--as", "overseer"});
  EXPECT_FALSE(has(told, "--as")) << told;
  EXPECT_FALSE(has(says({"mail", "read", id, "--ack", "--as", "reviewer"}), "its owner"));
}

TEST_F(Everyday, ClaimedWorkIsAmongWhatOneHasToDo) {
  const auto id = job("ada", "Build it");
  EXPECT_EQ(town.gt({"todo", "--as", "max"}).out, "nothing to do\n");
  claim("max");
  const auto todo = town.json({"todo", "--as", "max"});
  EXPECT_EQ(texts_in(value_at(todo, "claims"), "id"), Texts{id});
  EXPECT_TRUE(is_instant(text_at(value_at(todo, "claims").at(0), "lease_until")));
  const auto text = says({"todo", "--as", "max"});
  for (const auto& part : {id, std::string("Build it"), "gt mail complete " + id, std::string("gt mail fail"),
                           std::string("gt mail release"), std::string("left")})
    EXPECT_TRUE(has(text, part)) << part << " in\n" << text;
  EXPECT_EQ(value_at(town.json({"todo", "--as", "ada"}), "claims"), Json(JsonArray()));
  const auto prime = says({"prime", "--as", "max"});
  EXPECT_TRUE(has(prime, id) && has(prime, "gt mail complete ID") && has(prime, "left")) << prime;
  town.json({"mail", "complete", id, "--as", "max"});
  EXPECT_FALSE(has(says({"prime", "--as", "max"}), "Claimed"));
}

TEST_F(Everyday, ClaimedWorkCostsAPromptTwentyFiveTokensEach) {
  const auto before = says({"prime", "--as", "max"}).size();
  for (int i = 0; i < 5; ++i) {
    job("ada", cat("a subject of a common length, or a little more: ", i));
    claim("max");
  }
  EXPECT_LE((says({"prime", "--as", "max"}).size() - before) / 4, 5u * 25u + 20u) << says({"prime", "--as", "max"});
}

// ---- what a queue holds ---------------------------------------------------------------------------------------------

TEST_F(Everyday, AQueueIsListedWithWhoHasWhat) {
  town.json({"queue", "create", "once", "--max-attempts", "1", "--as", "overseer"});
  const auto dead = town.send("ada", "queue:once", "broken");
  const auto taken = town.send("ada", "queue:once", "taken");
  const auto waits = town.send("ada", "queue:once", "waits");
  EXPECT_EQ(trim(town.gt({"mail", "claim", "once", "-q", "--as", "max"}).out), dead);
  town.json({"mail", "fail", dead, "--reason", "no such branch", "--as", "max"});
  EXPECT_EQ(trim(town.gt({"mail", "claim", "once", "-q", "--as", "max"}).out), taken);
  const auto list = town.json({"queue", "messages", "once", "--as", "reviewer"});
  EXPECT_EQ(texts_in(list, "id"), (Texts{taken, waits, dead}));
  EXPECT_EQ(texts_in(list, "queue_state"), (Texts{"processing", "available", "dead"}));
  EXPECT_EQ(text_at(list.at(0), "claimed_by"), "max");
  EXPECT_TRUE(is_instant(text_at(list.at(0), "lease_until")));
  EXPECT_TRUE(has(says({"queue", "messages", "once"}), "max"));
  EXPECT_EQ(texts_in(town.json({"queue", "items", "once", "--state", "available"}), "id"), Texts{waits});
  town.json({"mail", "complete", taken, "--as", "max"});
  EXPECT_EQ(texts_in(town.json({"queue", "messages", "once"}), "id"), (Texts{waits, dead}));
  EXPECT_EQ(texts_in(town.json({"queue", "messages", "once", "--state", "completed"}), "id"), Texts{taken});
  EXPECT_TRUE(has(says({"queue", "list", "once"}), "gt queue messages once"));
}

TEST_F(Everyday, AQueueIsListedWithoutWhatTheReaderMayNotRead) {
  town.json({"queue", "create", "closed", "--claimers", "max", "--as", "overseer"});
  town.send("ada", "queue:closed", "secret work", {"-m", "the words"});
  EXPECT_EQ(text_at(town.json({"queue", "messages", "closed", "--as", "max"}).at(0), "body"), "the words");
  EXPECT_FALSE(town.json({"queue", "messages", "closed", "--as", "reviewer"}).at(0).get_object().contains("body"));
  town.json({"agent", "quarantine", "ada", "--as", "overseer"});
  for (const auto* reader : {"max", "reviewer"}) {
    const auto told = says({"queue", "messages", "closed", "--as", reader, "--json"});
    EXPECT_FALSE(has(told, "secret work") || has(told, "the words")) << told;
  }
  EXPECT_TRUE(has(says({"queue", "messages", "closed", "--as", "overseer"}), "secret work"));
}

// ---- ids that were shown --------------------------------------------------------------------------------------------

TEST_F(Everyday, APartOfAnIdIsEnoughForWorkNudgesAndPosts) {
  town.json({"channel", "create", "builds", "--retain-count", "1", "--as", "overseer"});
  const auto pruned = town.send("ada", "channel:builds", "old");
  const auto post = town.send("ada", "channel:builds", "new");
  const auto work = job("ada", "Build it");
  const auto nudge = text_at(town.json({"nudge", "coder", "look", "--as", "ada"}).at(0), "id");
  const auto part = [](const std::string& id) { return id.substr(0, id.size() - 1); };
  for (const auto* who : {"max", "overseer"}) {
    for (const auto& id : {post, work}) EXPECT_EQ(text_at(read_as(town, who, part(id)), "id"), id) << who;
    for (const auto& id : {work, post, part(work), part(post), part(work).substr(5)})
      EXPECT_EQ(town.gt({"why", id, "--as", who}).exit_code, 0) << who << id << says({"why", id, "--as", who});
    EXPECT_TRUE(has(says({"why", part(pruned), "--as", who}), "pruned")) << says({"why", part(pruned), "--as", who});
    for (const auto& id : {nudge, part(nudge), part(nudge).substr(5)})
      EXPECT_FALSE(has(says({"why", id, "--as", who}), "unknown agent")) << says({"why", id, "--as", who});
  }
  EXPECT_EQ(town.gt({"why", part(nudge), "--as", "ada"}).exit_code, 0);
}

TEST_F(Everyday, APartOfAnIdFindsNoMailOfOthers) {
  const auto id = town.send("ada", "max", "private");
  const auto told = says({"mail", "read", id.substr(0, id.size() - 1), "--as", "reviewer"});
  EXPECT_TRUE(has(told, "no message")) << told;
  EXPECT_FALSE(has(told, id)) << told;
}

TEST_F(Everyday, NudgesAndDeadWorkHaveNumbers) {
  town.json({"queue", "create", "once", "--max-attempts", "1", "--as", "overseer"});
  const auto dead = town.send("ada", "queue:once", "broken");
  town.gt({"mail", "claim", "once", "--as", "max"});
  town.json({"mail", "fail", dead, "--as", "max"});
  EXPECT_TRUE(has(on_screen({"queue", "dead"}), "#"));
  town.gt({"queue", "dead", "--as", "overseer"});
  EXPECT_EQ(texts_in(town.json({"queue", "retry", "1", "--as", "overseer"}), "id"), Texts{dead});
  const auto nudge = text_at(town.json({"nudge", "coder", "look", "--as", "overseer"}).at(0), "id");
  EXPECT_TRUE(has(on_screen({"nudge", "list"}), "#"));
  town.gt({"nudge", "list", "--as", "overseer"});
  EXPECT_EQ(text_at(town.json({"nudge", "show", "1", "--as", "overseer"}), "id"), nudge);
  const auto waited = town.gt({"nudge", "wait", "1", "--timeout", "1200ms", "--as", "overseer"});
  EXPECT_EQ(lines_of(waited.err).size(), 1u) << waited.err;
  EXPECT_EQ(lines_of(waited.out).size(), 1u) << waited.out;
}

// ---- suggestions ----------------------------------------------------------------------------------------------------

TEST_F(Everyday, ASuggestionNamesOnlyWhatIsThere) {
  town.json({"group", "create", "backend", "max", "ada", "--as", "overseer"});
  for (const auto& [words, wanted, unwanted] : std::vector<std::tuple<Words, std::string, std::string>>{
           {{"mail", "send", "coder reviewer", "-s", "x", "-m", "y"}, "coder reviewer", "coder-reviewer"},
           {{"nudge", "please look", "coder"}, "gt nudge coder -m \"please look\"", "please-look"},
           {{"nudge", "hello", "coder"}, "gt nudge coder -m hello", "gt mail"},
           {{"mail", "send", "@backen", "-s", "x", "-m", "y"}, "did you mean @backend?", "coder"},
           {{"nudge", "@backen", "hi"}, "did you mean @backend?", "coder"},
           {{"mail", "send", "zed@web", "-s", "x", "-m", "y"}, "gt mail directory", "web/zed"},
           {{"mail", "send", "nobody at all", "-s", "x", "-m", "y"}, "gt mail directory", "nobody-at-all"}}) {
    const auto ran = town.gt(with(words, {"--as", "overseer"}));
    EXPECT_GE(ran.exit_code, 2) << join(words, " ");
    std::string quoted = ran.err;
    for (char& c : quoted)
      if (c == '\'') c = '"';
    EXPECT_TRUE(has(quoted, wanted)) << ran.err;
    EXPECT_FALSE(has(quoted.substr(quoted.find(';')), unwanted)) << ran.err;
  }
}

TEST_F(Everyday, NamesThatDifferOnlyInCaseAreOne) {
  expect_refused_untouched(town, {"agent", "add", "Reviewer", "--as", "overseer"}, {5, "refused", "reviewer"});
  town.json({"agent", "alias", "coder", "Coder", "--as", "overseer"});
  expect_refused_untouched(town, {"agent", "add", "CODER", "--as", "overseer"}, {5, "refused", "Coder"});
}

// ---- what happened, and what comes next -----------------------------------------------------------------------------

TEST_F(Everyday, AddingAnAgentSaysWhetherItWasMadeOrChanged) {
  EXPECT_TRUE(has(says({"agent", "add", "helper", "--as", "overseer"}), "helper is registered"));
  EXPECT_TRUE(has(says({"agent", "add", "helper", "--as", "overseer"}), "registered already: nothing changed"));
  EXPECT_TRUE(has(says({"agent", "add", "helper", "--description", "helps", "--as", "overseer"}),
                  "registered already: changed description"));
  const auto again = town.json({"agent", "add", "helper", "--description", "more", "--as", "overseer"});
  EXPECT_FALSE(flag_at(again, "created"));
  EXPECT_EQ(texts_in(value_at(again, "changed")), Texts{"description"});
}

TEST_F(Everyday, AChannelWithPostsIsNotDeletedByChance) {
  town.json({"channel", "create", "builds", "--as", "overseer"});
  for (const auto* subject : {"one", "two"}) town.send("ada", "channel:builds", subject);
  expect_refused_untouched(town, {"channel", "delete", "builds", "--as", "overseer"}, {5, "refused", "2 posts"});
  EXPECT_TRUE(has(says({"channel", "delete", "builds", "--force", "--as", "overseer"}), "its 2 posts"));
}

TEST_F(Everyday, WhatIsClosedSaysHowItOpensAgain) {
  town.json({"channel", "create", "builds", "--as", "overseer"});
  town.json({"channel", "close", "builds", "--as", "overseer"});
  EXPECT_TRUE(has(says({"mail", "send", "channel:builds", "-s", "x", "-m", "y", "--as", "ada"}), "gt channel reopen"));
  EXPECT_TRUE(has(says({"queue", "close", "jobs", "--as", "overseer"}), "gt queue resume jobs"));
  EXPECT_TRUE(has(says({"mail", "send", "queue:jobs", "-s", "x", "-m", "y", "--as", "ada"}), "gt queue resume jobs"));
  EXPECT_TRUE(has(says({"queue", "retry", "jobs", "--as", "overseer"}), "gt queue dead"));
}

}  // namespace
}  // namespace townpost
