// Messages that are named by their places in a list, or by a part of their ids.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "support/terminal.h"

namespace townpost {
namespace {

using Ids = std::vector<std::string>;

class Positions : public testing::Test {
 protected:
  Positions() {
    town_.agents({"alice", "bob"});
    third_ = town_.send("bob", "alice", "third");
    second_ = town_.send("bob", "alice", "second");
    first_ = town_.send("bob", "alice", "first");
    EXPECT_EQ(inbox_ids(town_, "alice"), (Ids{first_, second_, third_}));
  }

  Ids ids_of(const Words& words) const { return texts_in(town_.json(with(words, {"--as", "alice"})), "id"); }

  /// What a shell on a terminal of its own says to a script.
  std::string on_a_terminal(const std::string& script) const {
    return on_terminal(town_, {"sh", "-c", script}, {{"GT", gt_program()}}).out;
  }

  TestTown town_;
  std::string first_, second_, third_;
};

TEST_F(Positions, AreTakenWhereverAnIdIs) {
  EXPECT_EQ(ids_of({"mail", "ack", "1"}), Ids{first_});
  EXPECT_EQ(ids_of({"mail", "pin", "2", "3"}), (Ids{second_, third_}));
  EXPECT_EQ(text_at(town_.json({"mail", "explain", "2", "--as", "alice"}), "id"), second_);
  EXPECT_EQ(town_.gt({"why", "2", "--as", "alice"}).exit_code, 0);
  town_.json({"mail", "reply", "3", "-m", "yes", "--as", "alice"});
  town_.json({"mail", "send", "bob", "-m", "x", "--reply-to", "1", "--as", "alice"});
  EXPECT_EQ(texts_in(town_.json({"mail", "sent", "--as", "bob"}), "id").size(), 3u) << "bob looks at another list";
  EXPECT_EQ(text_at(town_.json({"mail", "thread", "1", "--as", "alice"}), "subject"), "first");
  EXPECT_EQ(texts_in(town_.json({"mail", "sent", "--as", "alice"}), "reply_to"), (Ids{first_, third_}));
}

TEST_F(Positions, MayBeSeveral) {
  for (const auto& [typed, wanted] : std::vector<std::pair<std::string, Ids>>{{"1-3", {first_, second_, third_}},
                                                                              {"1..2", {first_, second_}},
                                                                              {"1,3", {first_, third_}},
                                                                              {"2-last", {second_, third_}},
                                                                              {"last", {third_}},
                                                                              {"#2", {second_}},
                                                                              {"2,2", {second_}}}) {
    EXPECT_EQ(ids_of({"mail", "mark-unread", typed}), wanted) << typed;
    const auto shown = town_.json({"mail", "read", typed, "--as", "alice"});
    EXPECT_EQ(shown.is_array() ? texts_in(shown, "id") : Ids{text_at(shown, "id")}, wanted) << typed;
  }
  expect_refused_untouched(town_, {"mail", "reply", "1-2", "-m", "x", "--as", "alice"}, {2, "usage", "1-2"});
}

TEST_F(Positions, BeyondTheListAreNotFoundAndNothingIsDone) {
  for (const auto* typed : {"4", "2-4", "1,9"})
    expect_refused_untouched(town_, {"mail", "delete", typed, "--as", "alice"}, {4, "not_found", "number"});
  expect_refused_untouched(town_, {"mail", "delete", "0", "--as", "alice"}, {4, "not_found", "0"});
}

TEST_F(Positions, OfAnOldListAreNotTaken) {
  const auto run = town_.folder() / ".town" / "run" / "listing";
  for (const auto& file : std::filesystem::directory_iterator(run)) {
    const auto text = read_file(file.path());
    ASSERT_TRUE(text.has_value());
    const auto aged = std::to_string(std::stoll(*text) - 61 * 60 * 1000) + text->substr(text->find(' '));
    ASSERT_TRUE(write_file_lightly(file.path(), aged).has_value());
  }
  expect_refused_untouched(town_, {"mail", "ack", "1", "--as", "alice"}, {4, "not_found", "older than an hour"});
}

TEST_F(Positions, WhatChangesSomethingSaysWhichMessageItTook) {
  const auto deleted = town_.gt({"mail", "delete", "2", "--as", "alice"});
  EXPECT_EQ(deleted.exit_code, 0);
  EXPECT_NE(deleted.err.find(cat("2 is ", second_, ", \"second\" from bob")), std::string::npos) << deleted.err;
  EXPECT_EQ(town_.gt({"mail", "ack", first_, "--as", "alice"}).err, "") << "whole ids say it themselves";
  EXPECT_EQ(town_.gt({"mail", "read", "3", "--as", "alice"}).err, "") << "it is shown";
}

TEST_F(Positions, OfNudgesAreNoMessages) {
  town_.gt({"nudge", "bob", "look", "--as", "alice"});
  const auto nudges = town_.json({"nudge", "list", "--as", "alice"});
  ASSERT_EQ(texts_in(nudges, "id").size(), 1u);
  expect_refused_untouched(town_, {"mail", "delete", "1", "--as", "alice"}, {2, "usage", "hq-n-"});
  EXPECT_EQ(text_at(town_.json({"nudge", "show", "1", "--as", "alice"}), "id"), texts_in(nudges, "id").front());
}

TEST_F(Positions, AreThoseOfTheListLastShownOnThisTerminal) {
  const auto said = on_a_terminal(
      "export MAIL_IDENTITY=alice\n"
      "\"$GT\" mail inbox >/dev/null\n"
      "script -qec '\"$GT\" mail read 1; \"$GT\" mail sent; \"$GT\" mail search third' /dev/null >other\n"
      "\"$GT\" mail read 1 --json\n");
  EXPECT_NE(said.find(first_), std::string::npos) << "another terminal's list: " << said;
  const auto other = read_file(town_.folder() / "other");
  EXPECT_NE(other->find("nothing was listed yet"), std::string::npos) << *other;
}

TEST_F(Positions, OnATerminalAreOfItWhoeverAsks) {
  const auto said = on_a_terminal("\"$GT\" mail inbox alice >/dev/null; \"$GT\" mail read 2 --as alice --json\n");
  EXPECT_NE(said.find(second_), std::string::npos) << said;
}

TEST_F(Positions, OnATerminalAreNotMovedByAnAgentThatListsThere) {
  const auto said = on_a_terminal(
      "\"$GT\" mail inbox alice >/dev/null\n"
      "CLAUDECODE=1 MAIL_IDENTITY=bob \"$GT\" mail inbox alice --limit 1 >/dev/null\n"
      "\"$GT\" mail read 2 --as alice --json\n");
  EXPECT_NE(said.find(second_), std::string::npos) << said;
}

TEST_F(Positions, OfAnAgentsSessionAreItsOwnWithoutATerminal) {
  const Variables session = {{"CLAUDECODE", "1"}, {"MAIL_IDENTITY", "alice"}};
  EXPECT_EQ(town_.gt({"mail", "search", "second", "-q"}, session).out, second_ + "\n");
  EXPECT_EQ(town_.gt({"mail", "ack", "1", "-q"}, session).out, second_ + "\n");
  EXPECT_EQ(ids_of({"mail", "mark-unread", "1"}), Ids{first_}) << "outside of it another list was shown";
}

TEST_F(Positions, AreNotChangedByACompletion) {
  town_.gt({"mail", "search", "third", "--as", "alice"});
  town_.gt({"completion", "of", "--", "mail", "ack", "--as", "alice", ""});
  EXPECT_EQ(ids_of({"mail", "ack", "1"}), Ids{third_});
}

class PartOfAnId : public Positions {};

TEST_F(PartOfAnId, IsEnoughWhereNothingElseIsMeant) {
  const auto digits = second_.substr(5);
  std::string upper = digits;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const auto& typed : {second_, digits, upper, cat("HQ-M-", upper), digits.substr(1),
                            digits.substr(0, digits.size() - 1), cat("hq-m-", digits.substr(0, digits.size() - 1))}) {
    if (std::all_of(typed.begin(), typed.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;  // a position
    EXPECT_EQ(text_at(read_as(town_, "alice", typed), "id"), second_) << typed;
  }
}

TEST_F(PartOfAnId, ThatSeveralHaveNamesThemAndDoesNothing) {
  // The first digits are the message's number: 1, and from the 32nd on 10, 11, …
  std::vector<std::string> sent;
  for (int i = 4; i <= 33; ++i) sent.push_back(town_.send("overseer", "alice", cat("number ", i)));
  expect_refused_untouched(town_, {"mail", "delete", "hq-m-1", "--as", "alice"}, {2, "usage", third_});
  const auto told = town_.gt({"mail", "delete", "hq-m-1", "--as", "alice"}).err;
  for (const auto& id : {sent.back(), sent[sent.size() - 2]}) EXPECT_NE(told.find(id), std::string::npos) << told;
}

TEST_F(PartOfAnId, FindsNothingOfOthers) {
  town_.agents({"mallory"});
  for (const auto* verb : {"read", "explain", "delete"})
    expect_refused_untouched(town_, {"mail", verb, cat("hq-m-", second_.substr(6)), "--as", "mallory"},
                             {4, "not_found", "no message"});
  EXPECT_EQ(text_at(town_.json({"mail", "read", cat("hq-m-", second_.substr(6)), "--as", "overseer"}), "id"), second_)
      << "a person sees everything";
}

}  // namespace
}  // namespace townpost
