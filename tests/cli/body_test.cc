// The text of a message arrives byte for byte, wherever it comes from.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

std::string body_of(const TestTown& town, const std::string& id) { return text_at(read_as(town, "alice", id), "body"); }

std::string id_in(const ProcessOutput& sent) {
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  const auto answer = parse_json(trim(sent.out));
  return answer ? text_at(*answer, "id") : "";
}

/// Texts that some layer between the shell and the store could take for something else.
const std::vector<std::string>& awkward_texts() {
  static const std::vector<std::string> kTexts = {
      "-starts with a dash",
      "--stdin",
      "--",
      "@file",
      "[a, b]",
      "[]",
      "{}",
      "%%",
      "\"quoted\" and 'quoted' and \\back\\slashed",
      "  spaces around  ",
      "ends with newlines\n\n\n",
      "tab\tand\r\nCRLF\r\n",
      "emoji 🙂👩‍👩‍👧 and e\xcc\x81",
      "ESC \x1b[31mred\x1b[0m \x1b]0;title\x07 \x7f \x01",
      "\xef\xbb\xbfwith a byte order mark",
      "direction \xe2\x80\xae"
      "txt.exe",
      "$(touch hacked) `touch hacked` ; rm -rf *",
      "'); DROP TABLE message; --",
      "</system-reminder><b>&amp;",
  };
  return kTexts;
}

TEST(Body, OfMinusMKeepsEveryByte) {
  const TestTown town;
  town.agents({"alice"});
  for (const auto& text : awkward_texts()) {
    const auto id = id_in(town.gt({"mail", "send", "alice", "-s", "Bytes", "-m", text, "--json"}));
    EXPECT_EQ(body_of(town, id), text);
  }
  EXPECT_FALSE(std::filesystem::exists(town.folder() / "hacked"));
}

TEST(Body, OfAFileKeepsEveryByte) {
  const TestTown town;
  town.agents({"alice"});
  for (const auto& text : awkward_texts()) {
    std::ofstream(town.folder() / "body.txt", std::ios::binary) << text;
    const auto id = id_in(town.gt({"mail", "send", "alice", "-s", "Bytes", "-F", "body.txt", "--json"}));
    EXPECT_EQ(body_of(town, id), text);
  }
}

TEST(Body, OfStandardInputDropsOnlyTrailingNewlines) {
  const TestTown town;
  town.agents({"alice"});
  for (const auto& [given, kept] : {std::pair<std::string, std::string>{"one\ntwo\n\n\n", "one\ntwo"},
                                    {"\n\nleading", "\n\nleading"},
                                    {"spaces  \n", "spaces  "},
                                    {"-dash", "-dash"}}) {
    const auto id = id_in(town.gt({"mail", "send", "alice", "-s", "Piped", "--stdin", "--json"}, {}, given));
    EXPECT_EQ(body_of(town, id), kept);
  }
}

TEST(Body, OfStandardInputIsReadHoweverItIsAskedFor) {
  const TestTown town;
  town.agents({"alice"});
  for (const Words& how : {Words{"--stdin"}, {"-m", "-"}, {"--message=-"}, {"--body", "-"}, {}}) {
    const auto id = id_in(town.gt(with({"mail", "send", "alice", "-s", "Piped", "--json"}, how), {}, "two\nlines\n\n"));
    EXPECT_EQ(body_of(town, id), "two\nlines") << join(how, " ");
  }
  const auto exact = town.gt({"mail", "send", "alice", "-s", "Piped", "--json", "-F", "-"}, {}, "two\nlines\n\n");
  EXPECT_EQ(body_of(town, id_in(exact)), "two\nlines\n\n") << "-F drops nothing";
}

TEST(Body, OfAnAnswerComesFromTheSamePlaces) {
  const TestTown town;
  town.agents({"alice"});
  const auto first = town.send("overseer", "alice", "Question");
  for (const auto* verb : {"reply", "reply-all"}) {
    for (const auto& [how, input] : std::vector<std::pair<Words, std::string>>{{{"-m", "the answer"}, ""},
                                                                               {{"the answer"}, ""},
                                                                               {{"the", "answer"}, ""},
                                                                               {{"-m", "-"}, "the answer\n"},
                                                                               {{"-"}, "the answer\n"},
                                                                               {{"-F", "-"}, "the answer"},
                                                                               {{"--stdin"}, "the answer\n"},
                                                                               {{}, "the answer\n"}}) {
      const auto sent = town.gt(with(with({"mail", verb, first}, how), {"--as", "alice", "--json"}), {}, input);
      EXPECT_EQ(text_at(read_as(town, "overseer", id_in(sent)), "body"), "the answer") << verb << " " << join(how, " ");
    }
    expect_refused_untouched(town, {"mail", verb, first, "words", "-m", "and more", "--as", "alice"},
                             {2, "usage", "given twice"});
  }
}

TEST(Body, OfAPostComesFromTheSamePlaces) {
  const TestTown town;
  ASSERT_EQ(town.gt({"channel", "create", "news"}).exit_code, 0);
  id_in(town.gt({"mail", "send", "channel:news", "-s", "Piped", "--json"}, {}, "a post\n"));
  EXPECT_EQ(text_at(town.json({"channel", "read", "news"}).as_array().at(0), "body"), "a post");
  expect_refused_untouched(town, {"mail", "send", "channel:news", "-s", "Empty"}, {2, "usage", "body is missing"});
}

TEST(Body, ThatIsEmptyMustBeAskedFor) {
  const TestTown town;
  town.agents({"alice"});
  const auto first = town.send("overseer", "alice", "Question");
  std::ofstream(town.folder() / "empty.txt") << "";
  for (const Words& how : {Words{}, {"--stdin"}, {"-m", "-"}, {"-F", "-"}, {"-F", "empty.txt"}, {"-F", "/dev/null"}}) {
    for (const auto* input : {"", "\n\n"}) {
      if (how == Words{"-F", "-"} && *input) continue;  // byte for byte: two newlines are a text
      expect_refused_untouched(town, with({"mail", "send", "alice", "-s", "Empty"}, how),
                               {2, "usage", "the body is missing"}, {}, input);
      expect_refused_untouched(town, with({"mail", "reply", first, "--as", "alice"}, how),
                               {2, "usage", "the body is missing"}, {}, input);
    }
  }
  const auto refused = town.gt({"mail", "send", "alice", "-s", "Empty"});
  EXPECT_NE(refused.err.find("-m ''"), std::string::npos) << refused.err;
  for (const Words& asked : {Words{"-m", ""}, {"--message="}})
    EXPECT_EQ(body_of(town, id_in(town.gt(with({"mail", "send", "alice", "-s", "Empty", "--json"}, asked)))), "");
}

/// What standard input can be, where an agent's tool or a hook runs: never a text that anybody meant.
TEST(Body, IsMissingWhereStandardInputHoldsNothing) {
  const TestTown town;
  town.agents({"alice"});
  const auto before = town.dump();
  for (const auto* input : {"<&-", "</dev/null", "< .", "<>/dev/null", "< empty"}) {
    std::ofstream(town.folder() / "empty") << "";
    const auto refused = town.shell(cat("\"$GT\" mail send alice -s S ", input));
    EXPECT_EQ(refused.exit_code, 2) << input << refused.err;
    EXPECT_EQ(refused.out, "");
    const auto sent = town.shell(cat("\"$GT\" mail send alice -s S --thread t", input[1] == '&', " -m B -q ", input));
    EXPECT_EQ(sent.exit_code, 0) << input << sent.err;
  }
  EXPECT_NE(town.dump(), before);
  const auto inbox = town.json({"mail", "inbox", "--as", "alice"});
  for (const auto& mail : inbox.as_array()) EXPECT_EQ(text_at(mail, "body"), "B");
}

TEST(Body, ThatWasGivenLeavesStandardInputAlone) {
  const TestTown town;
  town.agents({"alice"});
  // A pipe that nobody writes to, and nobody closes.
  const auto sent = town.shell(
      "mkfifo p; sleep 600 >p & holder=$!\n"
      "for how in '-m B' '--protocol HELP --field topic=x --field problem=y' '-F text'; do\n"
      "  echo B >text; \"$GT\" mail send alice -s \"$how\" $how -q <p 2>>errors\n"
      "done; \"$GT\" nudge alice look <p >/dev/null\n"
      "kill $holder; cat errors >&2");
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
}

TEST(Body, OfATypedMessageIsItsTextWhereverItComesFrom) {
  const TestTown town;
  town.agents({"alice"});
  std::ofstream(town.folder() / "body.txt") << "long\noutput\n";
  const auto typed = [](const std::string& topic, const Words& how) {
    return with({"mail", "send", "alice", "--protocol", "HELP", "--field", cat("topic=", topic), "--field", "agent=bob",
                 "--field", "problem=red"},
                how);
  };
  int number = 0;
  for (const auto& [how, input] : std::vector<std::pair<Words, std::string>>{{{}, "long\noutput\n"},
                                                                             {{"--stdin"}, "long\noutput\n"},
                                                                             {{"-m", "-"}, "long\noutput\n"},
                                                                             {{"-m", "long\noutput"}, ""},
                                                                             {{"-F", "body.txt"}, ""},
                                                                             {{"--field", "text=long\noutput"}, ""}}) {
    const auto id = id_in(town.gt(typed(std::to_string(++number), with(how, {"--json"})), {}, input));
    EXPECT_EQ(body_of(town, id), "Agent: bob\nProblem: red\n\nlong\noutput") << join(how, " ");
  }
  for (const Words& none : {Words{"-m", ""}, {}}) {
    const auto id = id_in(town.gt(typed(std::to_string(++number), with(none, {"--json"}))));
    EXPECT_EQ(body_of(town, id), "Agent: bob\nProblem: red");
  }
  expect_refused_untouched(town, typed("x", {"--field", "text=one", "-m", "two"}), {2, "usage", "given twice"});
  expect_refused_untouched(town, {"mail", "send", "alice", "--protocol", "DONE"}, {2, "usage", "bead_id"}, {},
                           "Bead: ol-1\n");
}

TEST(Body, WithLineBreaksOfTwoCharactersIsSentAsItIsWithAHint) {
  const TestTown town;
  town.agents({"alice"});
  const auto hint = [&](const std::string& text) {
    const auto sent = town.gt({"mail", "send", "alice", "-s", "Lines", "-m", text, "--json"});
    EXPECT_EQ(body_of(town, id_in(sent)), text);
    return sent.err;
  };
  EXPECT_NE(hint("one\\ntwo").find("no line break"), std::string::npos);
  EXPECT_EQ(hint("one\\ntwo\nthree"), "");
  EXPECT_EQ(hint("an escaped \\\\n"), "");
  EXPECT_EQ(hint("one\ntwo"), "");
}

TEST(Body, OfAPipeThatHoldsNothingYetIsWaitedForAloud) {
  const TestTown town;
  town.agents({"alice"});
  const auto sent = town.shell(
      "mkfifo p; \"$GT\" mail send alice -s Slow --json <p 2>errors >answer & gt=$!\n"
      "exec 3>p; until grep -q 'waiting for the text' errors; do sleep 0.05; done\n"
      "echo late >&3; exec 3>&-; wait $gt && cat answer");
  EXPECT_EQ(body_of(town, id_in(sent)), "late");
}

TEST(Body, ThatNeverEndsIsRefused) {
  const TestTown town;
  town.agents({"alice"});
  const auto before = town.dump();
  for (const auto* how : {"", "--stdin", "-m -", "-F -", "-F /dev/zero"}) {
    const auto refused = town.shell(cat("yes | \"$GT\" mail send alice -s S ", how));
    EXPECT_EQ(refused.exit_code, 2) << how;
    EXPECT_NE(refused.err.find("over"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(town.dump(), before);
}

TEST(Body, ThatCannotBeReadIsNoText) {
  const TestTown town;
  town.agents({"alice"});
  expect_refused_untouched(town, {"mail", "send", "alice", "-s", "S", "-F", "."}, {2, "usage", "directory"});
  expect_refused_untouched(town, {"mail", "send", "alice", "-s", "S"}, {2, "usage", "UTF-8"}, {}, "\xff\xfe");
}

TEST(Body, BeginsWithTheSubjectIfNoneIsGiven) {
  const TestTown town;
  town.agents({"alice"});
  const auto of = [&](const std::string& body) {
    const auto id = id_in(town.gt({"mail", "send", "alice", "--json", "-m", body}));
    const auto mail = read_as(town, "alice", id);
    EXPECT_EQ(text_at(mail, "body"), body) << "the body is what it was";
    return text_at(mail, "subject");
  };
  EXPECT_EQ(of("one line"), "one line");
  EXPECT_EQ(of("\n \r\n  first\r\nsecond"), "first");
  EXPECT_EQ(of("HELP: stuck\nProblem: x"), "HELP: stuck");
  const auto cut = of(std::string(499, 'x') + "ä and more\nrest");
  EXPECT_EQ(cut, std::string(497, 'x') + "…");
  expect_refused_untouched(town, {"mail", "send", "alice", "-m", ""}, {2, "usage", "subject is missing"});
  expect_refused_untouched(town, {"mail", "send", "alice", "-m", " \n"}, {2, "usage", "subject is missing"});
}

TEST(NudgeText, ComesFromStandardInputToo) {
  const TestTown town;
  town.agents({"coder"});
  for (const Words& how : {Words{}, {"-"}, {"--stdin"}, {"-m", "-"}}) {
    const auto sent = town.gt(with({"nudge", "coder", "--json"}, how), {}, "look\nhere\n");
    ASSERT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_EQ(text_at(parse_json(trim(sent.out))->as_array().at(0), "message"), "look\nhere") << join(how, " ");
  }
  expect_refused_untouched(town, {"nudge", "coder"}, {2, "usage", "message required"});
  expect_refused_untouched(town, {"nudge", "coder", "-m", ""}, {2, "usage", "message required"});
}

TEST(Body, MayBeAsLongAsOneMebibyte) {
  const TestTown town;
  town.agents({"alice"});
  const std::string text(1u << 20, 'x');
  const auto id = id_in(town.gt({"mail", "send", "alice", "-s", "Long", "--stdin", "--json"}, {}, text));
  EXPECT_EQ(body_of(town, id), text);
}

TEST(Subject, KeepsEveryByteOfItsLine) {
  const TestTown town;
  town.agents({"alice"});
  for (const auto& text : awkward_texts()) {
    if (text.find('\n') != std::string::npos) continue;
    const auto id = id_in(town.gt({"mail", "send", "-m", "", "alice", "-s", text, "--json"}));
    EXPECT_EQ(text_at(read_as(town, "alice", id), "subject"), text);
  }
  const std::string longest(500, 's');
  EXPECT_EQ(text_at(read_as(town, "alice", town.send("overseer", "alice", longest)), "subject"), longest);
}

TEST(Text, ReachesTheTerminalEscaped) {
  const TestTown town;
  town.agents({"alice"});
  const std::string hostile =
      "\x1b[2Jcleared \xc2\x9b 31m \x07 \xe2\x80\xae"
      "back";
  const auto id =
      town.send("overseer", "alice", "S " + hostile, {"-m", "B " + hostile, "--thread", "T\xe2\x80\xae\xc2\x9b"});
  for (const auto& words : {Words{"mail", "inbox"},
                            {"mail", "read", id},
                            {"mail", "peek"},
                            {"mail", "thread", id},
                            {"mail", "explain", id},
                            {"mail", "search", "cleared"}}) {
    const auto shown = town.gt(with(words, {"--as", "alice"}));
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_NE(shown.out.find("cleared"), std::string::npos) << join(words, " ");
    EXPECT_EQ(shown.out.find('\x1b'), std::string::npos) << join(words, " ");
    EXPECT_EQ(shown.out.find('\x07'), std::string::npos) << join(words, " ");
    EXPECT_EQ(shown.out.find("\xc2\x9b"), std::string::npos) << join(words, " ");
    EXPECT_EQ(shown.out.find("\xe2\x80\xae"), std::string::npos) << join(words, " ");
  }
  const auto sent = town.gt({"mail", "sent"});
  EXPECT_EQ(sent.out.find('\x1b'), std::string::npos) << for_terminal(sent.out);
}

TEST(Text, OfAMessageIsFrozenWhenItIsSent) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto id = town.send("bob", "alice", "Signed", {"-m", "by bob"});
  town.json({"agent", "alias", "bob", "robert"});
  const auto mail = read_as(town, "alice", id);
  EXPECT_EQ(text_at(mail, "from"), "bob");
  EXPECT_EQ(text_at(mail, "body"), "by bob");
}

}  // namespace
}  // namespace townpost
