// What a message's type changes about its mail: thread, acknowledgement, route, transience, todo, summary, drain.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

class TypedMail : public testing::Test {
 protected:
  TypedMail() {
    town.rigs({"gp"});
    town.agents({"gp/polecats/nux", "gp/crew/max"});
  }
  std::string progress(const std::string& step, const std::string& bead = "ol-1") const {
    return town.send("gp/polecats/nux", "gp/crew/max", "[" + bead + "] PROGRESS",
                     {"-m", "Bead: " + bead + "\nStep: " + step + "\nContext usage: 10%"});
  }
  TestTown town;
};

TEST_F(TypedMail, NamesItsTypeAndLivesInTheThreadOfItsBead) {
  const auto id = progress("one");
  const auto mail = read_as(town, "gp/crew/max", id);
  EXPECT_EQ(text_at(mail, "protocol_type"), "PROGRESS");
  EXPECT_EQ(text_at(mail, "type"), "notification");
  EXPECT_EQ(text_at(mail, "thread_id"), "ol-1");
  const auto elsewhere =
      town.send("gp/polecats/nux", "gp/crew/max", "[ol-2] PROGRESS", {"-m", "Bead: ol-2\nStep: s", "--thread", "mine"});
  EXPECT_EQ(text_at(read_as(town, "gp/crew/max", elsewhere), "thread_id"), "mine");
  const auto plain = town.send("gp/polecats/nux", "gp/crew/max", "Merged main into dev");
  EXPECT_EQ(text_at(read_as(town, "gp/crew/max", plain), "protocol_type"), "");
}

TEST_F(TypedMail, AsksForAnAcknowledgementWhereItsTypeDoes) {
  const auto help = town.send("gp/polecats/nux", "gp/crew/max", "HELP_REQUEST",
                              {"-m", "Bead: ol-1\nIssue Type: STUCK\n\n## Problem\nx"});
  EXPECT_TRUE(flag_at(read_as(town, "gp/crew/max", help), "ack_required"));
  EXPECT_FALSE(flag_at(read_as(town, "gp/crew/max", progress("one")), "ack_required"));
  const auto answer = town.json({"mail", "reply", help, "-m", "look there", "--as", "gp/crew/max"});
  EXPECT_FALSE(flag_at(read_as(town, "gp/polecats/nux", text_at(answer, "id")), "ack_required"))
      << "an answer is not another request";
}

TEST_F(TypedMail, WarnsOfARequiredFieldThatIsMissingAndSendsAllTheSame) {
  const auto out = town.gt({"mail", "send", "gp/witness", "-s", "MERGE_FAILED nux", "-m", "Branch: b"});
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_NE(out.err.find("Failure-Type"), std::string::npos) << out.err;
  const auto nudge = town.gt({"mail", "send", "-m", "", "gp/witness", "-s", "HEALTH_CHECK"});
  EXPECT_NE(nudge.err.find("nudge"), std::string::npos) << nudge.err;
}

TEST_F(TypedMail, ProtocolBuildsSubjectAndBodyAndFindsTheRecipient) {
  const auto receipt =
      town.json({"mail", "send", "--protocol", "POLECAT_DONE", "--field", "topic=nux", "--field", "exit=DEFERRED",
                 "--field", "issue=gp-1", "--field", "branch=b", "--as", "gp/polecats/nux"});
  EXPECT_EQ(texts_in(value_at(receipt, "recipients"), "address"), Words{"gp/witness"});
  const auto mail = read_as(town, "overseer", text_at(receipt, "id"));
  EXPECT_EQ(text_at(mail, "subject"), "POLECAT_DONE nux");
  EXPECT_EQ(text_at(mail, "protocol_type"), "POLECAT_DONE");
  const Words build = {"mail", "send", "gp/witness", "--protocol", "POLECAT_DONE"};
  expect_refused_untouched(town, with(build, {"-s", "x"}), {2, "usage", "builds the subject"});
  expect_refused_untouched(town, with(build, {"--field", "colour=red"}), {2, "usage", "colour"});
  expect_refused_untouched(town, {"mail", "send", "gp/witness", "--field", "a=b", "-s", "x", "-m", ""},
                           {2, "usage", "--protocol"});
  expect_refused_untouched(town, {"mail", "send", "--protocol", "NO_SUCH"}, {4, "not_found", "no message type"});
  expect_refused_untouched(town, {"mail", "send", "--protocol", "DONE", "--field", "bead_id=ol-1"},
                           {2, "usage", "a recipient is missing"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "-s", "x"}, {2, "usage", "ADDR is missing"});
  expect_refused_untouched(town, {"mail", "send", "gp/witness"}, {2, "usage", "body is missing"});
}

TEST_F(TypedMail, WarnsThatATypeOfPlainFileMailIsNamedByNoSubject) {
  const auto send = [&](const std::string& type, const std::string& field) {
    return town.gt({"mail", "send", "gp/crew/max", "--protocol", type, "--field", field, "-m", "x"});
  };
  const auto sent = send("coordination", "topic=hello");
  EXPECT_EQ(sent.exit_code, 0);
  EXPECT_NE(sent.err.find("coordination is a type of plain-file mail"), std::string::npos) << sent.err;
  EXPECT_EQ(town.gt({"mail", "inbox", "gp/crew/max", "--type", "coordination", "-q"}).out, "") << "as it says";
  EXPECT_EQ(send("ALERT", "topic=gp-1 stuck").err.find("plain-file"), std::string::npos);
}

TEST_F(TypedMail, FindsWhoHasTheRoleThatItsTypeGoesTo) {
  const auto recipient = [&](Words words) {
    const auto receipt = town.json(with({"mail", "send", "--as", "gp/polecats/nux", "--protocol"}, std::move(words)));
    return texts_in(value_at(receipt, "recipients"), "address");
  };
  const Words ask = {"HELP_REQUEST", "--field", "bead_id=ol-1", "--field", "issue_type=STUCK"};
  town.agents({"chiron"});
  EXPECT_EQ(recipient(ask), Words{"chiron"});
  town.settings("[town]\nescalation = \"overseer\"\n[roles]\nchiron = \"gp/crew/max\"\n");
  EXPECT_EQ(recipient(ask), Words{"gp/crew/max"});
  EXPECT_EQ(recipient({"HELP", "--field", "topic=stuck", "--field", "agent=nux", "--field", "problem=x"}),
            Words{"overseer"});
  EXPECT_EQ(recipient({"ALERT", "--field", "topic=gp-1 stuck"}), Words{"overseer"});
}

TEST_F(TypedMail, SaysThatTownTomlNamesSomebodyWhoDoesNotExist) {
  town.settings("[town]\nescalation = \"nobody\"\n[roles]\nchiron = \"noone\"\n");
  for (const Words& type : {Words{"HELP", "--field", "topic=stuck"}, Words{"HELP_REQUEST", "--field", "bead_id=ol-1"}})
    expect_refused_untouched(town, with({"mail", "send", "--as", "gp/polecats/nux", "--protocol"}, type),
                             {4, "not_found", type[0] + " goes to no"});
}

TEST_F(TypedMail, AHelpResponseGoesBackToWhoAsked) {
  const auto help = town.send("gp/polecats/nux", "gp/crew/max", "HELP_REQUEST",
                              {"-m", "Bead: ol-1\nIssue Type: STUCK\n\n## Problem\nx"});
  const auto answer = town.json({"mail", "send", "--protocol", "HELP_RESPONSE", "--field", "text=look there",
                                 "--reply-to", help, "--as", "gp/crew/max"});
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), Words{"gp/polecats/nux"});
  EXPECT_EQ(text_at(answer, "thread_id"), "ol-1");
  expect_refused_untouched(town, {"mail", "send", "--protocol", "HELP_RESPONSE", "--as", "gp/crew/max"},
                           {2, "usage", "HELP_RESPONSE goes to demigod"});
}

TEST_F(TypedMail, OfProgressOnlyTheLastOfAThreadStaysInTheInbox) {
  const auto first = progress("one");
  const auto other = progress("one", "ol-2");
  const auto last = progress("two");
  EXPECT_EQ(inbox_ids(town, "gp/crew/max"), (Words{last, other}));
  EXPECT_EQ(inbox_ids(town, "gp/crew/max", {"--archived"}), Words{first});
  EXPECT_NE(town.gt({"mail", "explain", first}).out.find("superseded by " + last), std::string::npos);
}

TEST_F(TypedMail, TodoShowsWhatIsAskedAndHowWorkStands) {
  town.send("gp/polecats/nux", "gp/crew/max", "BEAD_ACCEPTED", {"-m", "Accepted bead: ol-1"});
  progress("two");
  const auto help = town.send("gp/polecats/nux", "gp/crew/max", "HELP_REQUEST",
                              {"-m", "Bead: ol-1\nIssue Type: STUCK\n\n## Problem\nx"});
  const auto failed = town.send("gp/polecats/nux", "gp/crew/max", "FAILED",
                                {"-m", "Bead: ol-2\n\n## Failure\nType: TESTS_FAIL\nReason: r"});
  const Words ask = {"todo", "--beads", "ol-1, ol-2,ol-9", "--as", "gp/crew/max"};
  const auto todo = town.json(ask);
  EXPECT_EQ(texts_in(value_at(todo, "help"), "id"), Words{help});
  EXPECT_EQ(texts_in(value_at(todo, "pending"), "id"), Words{help});
  EXPECT_EQ(texts_in(value_at(todo, "completions"), "id"), Words{failed});
  EXPECT_EQ(texts_in(value_at(todo, "beads"), "state"), (Words{"help", "failed", "silent"}));
  EXPECT_EQ(texts_in(value_at(todo, "beads"), "step")[0], "two");
  const auto longer = town.json({"todo", "--beads", "ol-527.1,ol-527.2,ol-527.3,ol-527.4", "--as", "gp/crew/max"});
  EXPECT_EQ(texts_in(value_at(longer, "beads"), "bead_id"), (Words{"ol-527.1", "ol-527.2", "ol-527.3", "ol-527.4"}));
  const auto twice = town.json({"todo", "--beads", "ol-1,,ol-2, ol-1", "--as", "gp/crew/max"});
  EXPECT_EQ(texts_in(value_at(twice, "beads"), "bead_id"), (Words{"ol-1", "ol-2"}));
  EXPECT_FALSE(items_of(value_at(todo, "actions")).empty());
  EXPECT_NE(town.gt(ask).out.find("gt mail reply " + help), std::string::npos);

  town.json({"mail", "reply", help, "-m", "look there", "--as", "gp/crew/max"});
  town.json({"mail", "ack", "--all", "--as", "gp/crew/max"});
  const auto after = town.json(ask);
  EXPECT_TRUE(items_of(value_at(after, "help")).empty());
  EXPECT_TRUE(items_of(value_at(after, "pending")).empty());
  const auto asker = town.gt({"todo", "--as", "gp/polecats/nux"}).out;
  EXPECT_TRUE(asker.starts_with("1 unread\n")) << asker;
  EXPECT_NE(asker.find("gt mail inbox --unread"), std::string::npos) << asker;
  town.json({"mail", "ack", "--all", "--as", "gp/polecats/nux"});
  EXPECT_EQ(town.gt({"todo", "--as", "gp/polecats/nux"}).out, "nothing to do\n");
}

TEST_F(TypedMail, TodoKnowsPlainMailByItsSubject) {
  const auto plain = town.send("gp/polecats/nux", "gp/crew/max", "read this", {"--ack"});
  const auto todo = town.gt({"todo", "--as", "gp/crew/max"}).out;
  EXPECT_EQ(todo.find("UNKNOWN"), std::string::npos) << todo;
  EXPECT_NE(todo.find("Acknowledge \"read this\" of gp/polecats/nux  gt mail ack " + plain), std::string::npos) << todo;
  const auto pending = value_at(town.json({"todo", "--as", "gp/crew/max"}), "pending");
  EXPECT_EQ(texts_in(pending, "type"), Words{"notification"});
}

TEST_F(TypedMail, TodoWatchShowsItAgainWhenMailArrives) {
  const auto out = town.shell(
      "$GT todo --watch --as gp/crew/max > seen & watcher=$!\n"
      "until grep -q 'nothing to do' seen; do sleep 0.01; done\n"
      "$GT mail send gp/crew/max -s 'HELP: stuck' -m 'Agent: nux' --as gp/polecats/nux >/dev/null\n"
      "until grep -q 'HELP: stuck' seen; do sleep 0.01; done\n"
      "kill $watcher; echo seen");
  EXPECT_EQ(out.out, "seen\n") << out.err;
}

TEST_F(TypedMail, AThreadIsSummedUpFromItsTypedMessages) {
  progress("one");
  const auto help = town.send("gp/polecats/nux", "gp/crew/max", "HELP_REQUEST",
                              {"-m", "Bead: ol-1\nIssue Type: STUCK\n\n## Problem\nx"});
  const auto open = value_at(town.json({"mail", "thread", "ol-1", "--summary", "--as", "gp/crew/max"}), "summary");
  EXPECT_EQ(texts_in(value_at(open, "open_help"), "id"), Words{help});
  town.json({"mail", "reply", help, "-m", "look there", "--as", "gp/crew/max"});
  town.send("gp/polecats/nux", "gp/crew/max", "OFFERING_READY",
            {"-m", "Bead: ol-1\nStatus: DONE\n\n## Changes\n- Commit: abc123def\n- Files: a.cc"});
  const auto view = town.json({"mail", "thread", "ol-1", "--summary", "--as", "gp/crew/max"});
  EXPECT_EQ(number_at(view, "count"), 4);
  const auto summary = value_at(view, "summary");
  EXPECT_TRUE(items_of(value_at(summary, "open_help")).empty());
  EXPECT_EQ(text_at(summary, "last_status"), "DONE");
  EXPECT_EQ(text_at(summary, "last_commit"), "abc123def");
  EXPECT_EQ(number_at(value_at(summary, "types"), "PROGRESS"), 1);
  EXPECT_NE(town.gt({"mail", "thread", "ol-1", "--summary"}).out.find("abc123def"), std::string::npos);
}

TEST_F(TypedMail, AThreadCountsAsUnreadWhatTheInboxDoes) {
  progress("one");
  progress("two");  // which archives the first
  const auto last = progress("three");
  const auto thread = [&] { return town.json({"mail", "thread", "ol-1", "--summary", "--as", "gp/crew/max"}); };
  EXPECT_EQ(number_at(thread(), "count"), 3) << "what was archived is a part of it";
  EXPECT_EQ(number_at(thread(), "unread_count"), 1);
  town.json({"mail", "ack", last, "--as", "gp/crew/max"});
  EXPECT_EQ(number_at(thread(), "unread_count"), 0);
}

TEST_F(TypedMail, DrainPutsReadChatterAwayAndNothingElse) {
  const auto chatter = progress("one");
  const auto unread = progress("one", "ol-2");
  const auto help = town.send("gp/polecats/nux", "gp/crew/max", "HELP: stuck", {"-m", "Agent: nux\nProblem: x"});
  const auto plain = town.send("gp/polecats/nux", "gp/crew/max", "hello");
  const auto handoff = town.send("gp/crew/max", "gp/crew/max", "🤝 HANDOFF: next", {"-m", "x"});
  for (const auto& id : {chatter, help, plain, handoff}) town.json({"mail", "ack", id, "--as", "gp/crew/max"});
  EXPECT_EQ(town.gt({"mail", "drain", "--as", "gp/crew/max"}).out, "nothing to do\n") << "nothing is old yet";
  EXPECT_EQ(texts_in(town.json({"mail", "drain", "--older", "0s", "--as", "gp/crew/max"}), "id"), Words{chatter});
  EXPECT_EQ(texts_in(town.json({"mail", "drain", "--older", "0s", "--unread", "--as", "gp/crew/max"}), "id"),
            Words{unread});
  EXPECT_EQ(inbox_ids(town, "gp/crew/max"), (Words{handoff, plain, help}));
}

TEST_F(TypedMail, MailAndPlainRecipientsGoOnAsBefore) {
  const auto id = town.send("gp/polecats/nux", "gp/crew/max", "Done with the parser", {"-m", "Status: x"});
  EXPECT_EQ(text_at(read_as(town, "gp/crew/max", id), "thread_id").substr(0, 7), "thread-");
}

}  // namespace
}  // namespace townpost
