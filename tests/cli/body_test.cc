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
                                    {"-dash", "-dash"},
                                    {"", ""}}) {
    const auto id = id_in(town.gt({"mail", "send", "alice", "-s", "Piped", "--stdin", "--json"}, {}, given));
    EXPECT_EQ(body_of(town, id), kept);
  }
}

TEST(Body, MayBeLeftOut) {
  const TestTown town;
  town.agents({"alice"});
  EXPECT_EQ(body_of(town, town.send("overseer", "alice", "No body")), "");
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
    const auto id = id_in(town.gt({"mail", "send", "alice", "-s", text, "--json"}));
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
