// A letter written by hand: at a terminal, without -m, the editor opens.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"
#include "support/shared_postgres.h"
#include "support/terminal.h"

namespace townpost {
namespace {

class Editor : public testing::Test {
 protected:
  Editor() { town.agents({"alice", "bob"}); }
  /// Makes the editor run this, with the file as $1; what it was given is afterwards in `sheet`.
  void does(const std::string& script) const {
    const auto file = town.folder() / "editor";
    std::ofstream(file) << "#!/bin/sh\ncp \"$1\" sheet\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  ProcessOutput gt(const Words& words, const Variables& more = {}) const {
    Variables variables = {{"EDITOR", "./editor"}, {"TMPDIR", drafts()}};
    for (const auto& [name, value] : more) variables[name] = value;
    return gt_on_terminal(town, words, variables);
  }
  std::string drafts() const {
    std::filesystem::create_directories(town.folder() / "tmp");
    return (town.folder() / "tmp").string();
  }
  std::string sheet() const { return read_file(town.folder() / "sheet").value_or("none"); }
  bool has_draft() const { return !std::filesystem::is_empty(drafts()); }
  std::string kept() const {
    for (const auto& one : std::filesystem::recursive_directory_iterator(drafts()))
      if (one.is_regular_file()) return *read_file(one.path());
    return "none";
  }
  Json newest(const std::string& owner) const {
    const auto inbox = town.json({"mail", "inbox", "--as", owner});
    return inbox.as_array().empty() ? Json(nullptr) : inbox.as_array().at(0);
  }
  TestTown town;
};

TEST_F(Editor, OpensForALetterWithoutAText) {
  does("printf 'first line\\nsecond\\n' >>\"$1\"");
  const auto sent = gt({"mail", "send", "alice", "--cc", "bob", "-s", "By hand"});
  EXPECT_EQ(sent.exit_code, 0) << sent.out;
  EXPECT_EQ(sheet(), "To: alice\nCc: bob\nSubject: By hand\n\n");
  EXPECT_EQ(text_at(newest("alice"), "subject"), "By hand");
  EXPECT_EQ(text_at(newest("alice"), "body"), "first line\nsecond");
  EXPECT_FALSE(has_draft()) << "what was sent is not kept a second time";
}

TEST_F(Editor, MayChangeToAndSubject) {
  does("printf 'to: bob, alice\\nSubject: Changed\\n\\nSubject: is text here\\n' >\"$1\"");
  EXPECT_EQ(gt({"mail", "send", "alice", "-s", "By hand"}).exit_code, 0);
  const auto mail = newest("bob");
  EXPECT_EQ(text_at(mail, "subject"), "Changed");
  EXPECT_EQ(text_at(mail, "body"), "Subject: is text here");
  EXPECT_EQ(texts_in(mail.at("to")), (Words{"bob", "alice"}));
}

TEST_F(Editor, LeavesTheSubjectToTheFirstLine) {
  does("echo 'the matter' >>\"$1\"");
  EXPECT_EQ(gt({"mail", "send", "alice"}).exit_code, 0);
  EXPECT_EQ(sheet(), "To: alice\nSubject: \n\n");
  EXPECT_EQ(text_at(newest("alice"), "subject"), "the matter");
}

TEST_F(Editor, ShowsWhatIsAnswered) {
  const auto id = town.send("alice", "overseer", "Question", {"-m", "why?\n\nplease"});
  does("printf 'because\\n' >>\"$1\"");
  const auto sent = gt({"mail", "reply", id});
  EXPECT_EQ(sent.exit_code, 0) << sent.out;
  const auto shown = sheet();
  EXPECT_TRUE(shown.starts_with("To: alice\nSubject: Re: Question\n\n")) << shown;
  EXPECT_NE(shown.find(" alice:\n> why?\n>\n> please\n"), std::string::npos) << shown;
  const auto answer = newest("alice");
  EXPECT_EQ(text_at(answer, "subject"), "Re: Question");
  EXPECT_TRUE(text_at(answer, "body").ends_with("> please\nbecause")) << text_at(answer, "body");
  EXPECT_EQ(text_at(answer, "reply_to"), id);
}

TEST_F(Editor, ShowsEverybodyWhoIsAnswered) {
  const auto id = town.send("alice", "overseer", "Question", {"-m", "why?", "--cc", "bob"});
  for (const Words& words : {Words{"mail", "reply-all", id}, {"mail", "reply", id, "--reply-all"}}) {
    does("printf 'because\\n' >>\"$1\"");
    EXPECT_EQ(gt(words).exit_code, 0);
    EXPECT_TRUE(sheet().starts_with("To: alice\nCc: bob\nSubject: Re: Question\n\n")) << sheet();
  }
}

TEST_F(Editor, KeepsToAndSubjectOfAnAnswer) {
  const auto id = town.send("alice", "overseer", "Question", {"-m", "why?"});
  does("printf 'To: bob\\nSubject: Re: Question\\n\\nbecause\\n' >\"$1\"");
  const auto refused = gt({"mail", "reply", id});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.out.find("an answer keeps its To and Subject"), std::string::npos) << refused.out;
  EXPECT_NE(kept().find("because"), std::string::npos);
  does("printf 'To: alice\\nCc: bob\\nSubject: Re: Question\\n\\nbecause\\n' >\"$1\"");
  EXPECT_EQ(gt({"mail", "reply", id}).exit_code, 0);
  EXPECT_EQ(texts_in(newest("bob").at("cc")), Words{"bob"});
}

TEST_F(Editor, SendsNothingIfNothingWasWritten) {
  const auto id = town.send("alice", "overseer", "Question", {"-m", "why?"});
  const auto before = town.dump();
  for (const auto* script : {":", "touch \"$1\"", "printf '' >\"$1\"", "printf '\\n \\n' >>\"$1\"",
                             "printf 'To: alice\\nSubject: only that\\n\\n\\n' >\"$1\""}) {
    does(script);
    for (const Words& words : {Words{"mail", "send", "alice"}, {"mail", "reply", id}}) {
      const auto refused = gt(words);
      EXPECT_EQ(refused.exit_code, 2) << script << refused.out;
      EXPECT_NE(refused.out.find("nothing was sent: no text was written"), std::string::npos) << refused.out;
    }
  }
  EXPECT_EQ(town.dump(), before);
}

TEST_F(Editor, KeepsWhatCouldNotBeSent) {
  does("printf 'To: nobody-here\\n\\na long text' >\"$1\"");
  const auto refused = gt({"mail", "send", "alice", "-s", "Hi"});
  EXPECT_EQ(refused.exit_code, 4) << refused.out;
  EXPECT_NE(refused.out.find("what you wrote is kept in " + drafts()), std::string::npos) << refused.out;
  EXPECT_EQ(kept(), "a long text") << "ready for -F";
}

TEST_F(Editor, KeepsWhatWasWrittenBeforeItFailed) {
  does("echo 'a long text' >>\"$1\"; exit 7");
  const auto refused = gt({"mail", "send", "alice", "-s", "Hi"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.out.find("ended with 7"), std::string::npos) << refused.out;
  EXPECT_NE(kept().find("a long text"), std::string::npos);
  EXPECT_TRUE(newest("alice").is_null());
}

TEST_F(Editor, KeepsATextWithoutAHead) {
  does("echo 'no head at all' >\"$1\"");
  const auto refused = gt({"mail", "send", "alice", "-s", "Hi"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.out.find("is among To, Cc and Subject"), std::string::npos) << refused.out;
  EXPECT_EQ(kept(), "no head at all\n");
}

TEST_F(Editor, IsTheOneOfVisualFirst) {
  does("echo 'by visual' >>\"$1\"");
  EXPECT_EQ(gt({"mail", "send", "alice"}, {{"EDITOR", "/nonexistent"}, {"VISUAL", " ./editor  "}}).exit_code, 0);
  EXPECT_EQ(text_at(newest("alice"), "body"), "by visual");
  const auto none = gt({"mail", "send", "alice"}, {{"EDITOR", "/nonexistent"}});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.out.find("there is no editor /nonexistent"), std::string::npos) << none.out;
}

TEST_F(Editor, IsNoShell) {
  std::ofstream(town.folder() / "wrapper") << "#!/bin/sh\nfor last; do :; done\necho \"$1\" >>\"$last\"\n";
  std::filesystem::permissions(town.folder() / "wrapper", std::filesystem::perms::owner_all);
  EXPECT_EQ(gt({"mail", "send", "alice"}, {{"EDITOR", "./wrapper $(touch${IFS}hacked)"}}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(town.folder() / "hacked"));
  EXPECT_EQ(text_at(newest("alice"), "body"), "$(touch${IFS}hacked)");
}

TEST_F(Editor, IsNotForAgents) {
  does("echo text >>\"$1\"");
  const auto refused = gt({"mail", "send", "alice", "-s", "Hi"}, {{"CLAUDECODE", "1"}, {"MAIL_IDENTITY", "bob"}});
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_EQ(sheet(), "none") << "nobody would ever close it";
}

TEST_F(Editor, OpensOnceWhereAnotherProgramTakesOver) {
  does("echo 'over PostgreSQL' >>\"$1\"; echo opened >>times");
  const auto url = SharedPostgres::make_schema();
  ASSERT_EQ(town.gt({"init", "there", "--nested", "--store", url}).exit_code, 0);
  const auto sent = gt({"mail", "send", "mayor/", "--town", "there"});
  EXPECT_EQ(sent.exit_code, 0) << sent.out;
  SharedPostgres::drop_schema(url);
  EXPECT_EQ(read_file(town.folder() / "times").value_or(""), "opened\n");
}

TEST_F(Editor, IsNotOpenedInVain) {
  does("echo text >>\"$1\"");
  EXPECT_EQ(gt({"mail", "reply", "hq-m-1a2b3c"}).exit_code, 4);
  const auto id = town.send("alice", "overseer", "Question");
  for (const Words& words : {Words{"mail", "send", "nobody-here"},
                             {"mail", "send", "alice", "--cc", "nobody-here"},
                             {"mail", "reply", id, "--cc", "nobody-here"}}) {
    const auto refused = gt(words);
    EXPECT_EQ(refused.exit_code, 4) << refused.out;
    EXPECT_NE(refused.out.find("nobody-here"), std::string::npos) << refused.out;
  }
  for (const Words& words : {Words{"mail", "send", "alice", "--priority", "9"},
                             {"mail", "send", "alice", "--type", "nothing"},
                             {"mail", "reply", id, "--reply-by", "soon"}})
    EXPECT_EQ(gt(words).exit_code, 2) << join(words, " ");
  EXPECT_EQ(gt({"mail", "send", "alice", "--town", "nowhere"}).exit_code, 3);
  EXPECT_EQ(gt({"nudge", "alice"}).exit_code, 2);
  EXPECT_EQ(sheet(), "none");
}

}  // namespace
}  // namespace townpost
