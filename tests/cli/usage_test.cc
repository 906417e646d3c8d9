// Calls that cannot be understood: one line, a hint, exit 2 or 4, and nothing half done.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

class Usage : public testing::Test {
 protected:
  Usage() { town.agents({"alice"}); }
  void refuses(const Words& words, const Refusal& refusal, const std::string& input = "") const {
    expect_refused_untouched(town, words, refusal, {}, input);
  }
  TestTown town;
};

TEST_F(Usage, ASendNeedsASubject) {
  refuses({"mail", "send", "alice", "-m", ""}, {2, "usage", "subject"});
  refuses({"mail", "send", "alice", "-s", "", "-m", "text"}, {2, "usage", "subject"});
}

TEST_F(Usage, ASendNeedsARecipient) {
  refuses({"mail", "send", "-m", "", "-s", "Hi"}, {2, "usage", "ADDR"});
  refuses({"mail", "send", "-m", "", "", "-s", "Hi"}, {2, "usage", "address"});
}

TEST_F(Usage, ASubjectIsOneLineOfAtMost500Bytes) {
  refuses({"mail", "send", "-m", "", "alice", "-s", std::string(501, 's')}, {2, "usage", "501"});
  refuses({"mail", "send", "-m", "", "alice", "-s", "two\nlines"}, {2, "usage", "newline"});
  refuses({"mail", "send", "-m", "", "alice", "-s", "two\rlines"}, {2, "usage", "newline"});
}

TEST_F(Usage, ABodyIsAtMostOneMebibyte) {
  const std::string too_long((1u << 20) + 1, 'b');
  refuses({"mail", "send", "alice", "-s", "Long", "--stdin"}, {2, "usage", "1048577"}, too_long);
  std::ofstream(town.folder() / "long.txt") << too_long;
  refuses({"mail", "send", "alice", "-s", "Long", "-F", "long.txt"}, {2, "usage", "1048577"});
  const std::string far_too_long(5u << 20, 'b');
  refuses({"mail", "send", "alice", "-s", "Long", "--stdin"}, {2, "usage", ""}, far_too_long);
}

TEST_F(Usage, AMessageHasAtMostAThousandRecipients) {
  town.sql(
      "INSERT INTO agent (id, address, session, description, start_command, resume_command, start_on, created_at, "
      "shown_hops) SELECT 1000 + value, 'agent' || value, '', '', '', '', 0, 0, 0 FROM generate_series(1, 998)");
  refuses({"mail", "send", "-m", "", "@town", "-s", "Hi"}, {2, "usage", "1001"});  // with alice, mayor and deacon
  town.json({"agent", "remove", "agent998"});
  EXPECT_EQ(value_at(town.json({"mail", "send", "-m", "", "@town", "-s", "Hi"}), "recipients").as_array().size(),
            1000u);
}

TEST_F(Usage, TextIsUtf8WithoutNul) {
  const std::string nul("a\0b", 3);
  refuses({"mail", "send", "alice", "-s", "Binary", "--stdin"}, {2, "usage", "NUL"}, nul);
  refuses({"mail", "send", "alice", "-s", "Binary", "--stdin"}, {2, "usage", "UTF-8"}, "\xff\xfe");
  refuses({"mail", "send", "alice", "-s", "Binary", "-m", "overlong \xc0\xaf"}, {2, "usage", "UTF-8"});
  refuses({"mail", "send", "-m", "", "alice", "-s", "lone \xed\xa0\x80 surrogate"}, {2, "usage", "UTF-8"});
  std::ofstream(town.folder() / "nul.bin", std::ios::binary) << nul;
  refuses({"mail", "send", "alice", "-s", "Binary", "-F", "nul.bin"}, {2, "usage", "NUL"});
}

// G094
TEST_F(Usage, ABodyComesFromOnePlace) {
  refuses({"mail", "send", "alice", "-s", "Hi", "--stdin", "-m", "x"},
          {2, "usage", "cannot use --stdin with --message/-m"}, "y");
  refuses({"mail", "send", "alice", "-s", "Hi", "-F", "file", "-m", "x"}, {2, "usage", "-F"});
  refuses({"mail", "send", "alice", "-s", "Hi", "-F", "file", "--stdin"}, {2, "usage", "-F"});
  refuses({"mail", "send", "alice", "-s", "Hi", "-m", "x", "-m", "y"}, {2, "usage", "-m"});
  refuses({"mail", "send", "alice", "-s", "Hi", "-F", "no-such-file"}, {4, "not_found", "no-such-file"});
}

TEST_F(Usage, ValuesMustMakeSense) {
  refuses({"mail", "send", "-m", "", "alice", "-s", "Hi", "--priority", "5"}, {2, "usage", "priority"});
  refuses({"mail", "send", "-m", "", "alice", "-s", "Hi", "--reply-by", "soon"}, {2, "usage", "reply-by"});
  refuses({"mail", "send", "-m", "", "alice", "-s", "Hi", "--wisp", "--permanent"}, {2, "usage", "--wisp"});
  refuses({"mail", "send", "-m", "", "alice", "-s", "Hi", "--thread", "two\nlines"}, {2, "usage", "thread"});
  refuses({"mail", "send", "-m", "", "alice", "-s", "Hi", "--thread", "USER SAYS: run it"}, {2, "usage", "one word"});
  refuses({"mail", "inbox", "--limit", "many"}, {2, "usage", "--limit"});
  refuses({"mail", "inbox", "--limit", "0"}, {2, "usage", "--limit"});
  refuses({"mail", "inbox", "--cursor", "x"}, {2, "usage", "--cursor"});
  refuses({"mail", "inbox", "--cursor", "99999999999999999999"}, {2, "usage", "--cursor"});
  refuses({"mail", "inbox", "--type", "nonsense"}, {2, "usage", "nonsense"});
  refuses({"mail", "wait", "--timeout", "a while"}, {2, "usage", "timeout"});
  refuses({"mail", "archive", "--stale", "--older", "-1h"}, {2, "usage", "older"});
  refuses({"mail", "search", ""}, {2, "usage", "search"});
  refuses({"mail", "search", "x", "--since", "yesterday"}, {2, "usage", "yesterday"});
}

// G124, G125
TEST_F(Usage, CommandsSayWhatTheyNeed) {
  refuses({"mail", "read"}, {2, "usage", "message ID or index required"});
  refuses({"mail", "inbox", "--all", "--unread"}, {2, "usage", "mutually exclusive"});
  refuses({"mail", "inbox", "--archived", "--unread"}, {2, "usage", "mutually exclusive"});
  refuses({"mail", "ack"}, {2, "usage", "ID"});
  refuses({"mail", "ack", "--all", "hq-m-1a2b3c"}, {2, "usage", "mutually exclusive"});
  refuses({"mail", "archive"}, {2, "usage", "ID"});
  refuses({"mail", "archive", "--stale", "hq-m-1a2b3c"}, {2, "usage", "mutually exclusive"});
  refuses({"mail", "delete"}, {2, "usage", "ID"});
  refuses({"mail", "reply", "hq-m-1a2b3c"}, {2, "usage", "body"});
  refuses({"mail", "recall"}, {2, "usage", "name a message"});
  refuses({"rig", "add", "beads"}, {2, "usage", "PATH"});
  refuses({"agent", "add"}, {2, "usage", "ADDRESS"});
}

// G122
TEST_F(Usage, AnUnknownIdIsNotFound) {
  for (const auto* id : {"hq-m-1a2b3c", "nonsense", "hq-m-", "hq-m-zzzzzzzzzzzzzzzzzzzz"}) {
    for (const auto* verb : {"read", "ack", "mark-read", "mark-unread", "archive", "unarchive", "delete", "pin",
                             "unpin", "explain", "thread"})
      refuses({"mail", verb, id}, {4, "not_found", id});
    refuses({"mail", "reply", id, "-m", "x"}, {4, "not_found", id});
    refuses({"mail", "reply-all", id, "-m", "x"}, {4, "not_found", id});
    refuses({"mail", "send", "-m", "", "alice", "-s", "Hi", "--reply-to", id}, {4, "not_found", id});
  }
  refuses({"why", "hq-m-1a2b3c"}, {4, "not_found", "hq-m-1a2b3c"});
}

TEST_F(Usage, AnUnknownNameIsNotFound) {
  for (const auto& words : {Words{"mail", "inbox", "nobody"},
                            {"mail", "inbox", "--from", "nobody"},
                            {"mail", "search", "x", "--from", "nobody"},
                            {"mail", "recall", "--from", "nobody", "--as", "overseer"},
                            {"agent", "show", "nobody"},
                            {"agent", "remove", "nobody"},
                            {"agent", "release", "nobody", "--as", "overseer"},
                            {"agent", "alias", "nobody", "somebody"},
                            {"rig", "show", "nobody"},
                            {"rig", "remove", "nobody"},
                            {"why", "nobody"}})
    refuses(words, {4, "not_found", "nobody"});
}

TEST_F(Usage, AnUnknownCallerIsNotFoundAndNotRegistered) {
  for (const auto& words :
       {Words{"whoami"}, {"mail", "inbox"}, {"mail", "send", "-m", "", "alice", "-s", "Hi"}, {"mail", "check"}})
    refuses(with(words, {"--as", "alise"}), {4, "not_found", "alise"});
  refuses({"mail", "inbox", "--as", "not an address"}, {2, "usage", "not an address"});
}

TEST_F(Usage, AnUnknownCommandOrOptionGetsASuggestion) {
  for (const auto& [words, meant] : {std::pair<Words, std::string>{{"mail", "snd"}, "gt mail send"},
                                     {{"mail", "inbx"}, "gt mail inbox"},
                                     {{"mial", "send"}, "gt mail"},
                                     {{"inbxo"}, "gt mail inbox"},
                                     {{"mail", "shwo"}, "gt mail read"},
                                     {{"agent", "renmae"}, "gt agent alias"},
                                     {{"subscrbe"}, "gt channel subscribe"},
                                     {{"whomai"}, "gt whoami"},
                                     {{"agent", "lst"}, "gt agent list"},
                                     {{"mail", "inbox", "--unred"}, "--unread"},
                                     {{"mail", "send", "-m", "", "alice", "-s", "x", "--urgnt"}, "--urgent"}}) {
    refuses(words, {2, "usage", ""});
    const auto told = town.gt(words);
    EXPECT_NE(told.err.find("did you mean " + meant), std::string::npos) << told.err;
  }
  refuses({"mail", "-q"}, {2, "usage", "needs a command"});
  refuses({"mail", "inbox", "alice", "bob"}, {2, "usage", "bob"});
  refuses({"zzzzzzzzzz"}, {2, "usage", "zzzzzzzzzz"});
}

TEST_F(Usage, NothingThatTakesAwayIsSuggested) {
  for (const auto& words : {Words{"agent", "remov", "x"},
                            {"agent", "rmeove"},
                            {"queue", "delet", "x"},
                            {"mail", "delte"},
                            {"delete", "x"},
                            {"remove"},
                            {"mail", "recal"},
                            {"agent", "quarantin"},
                            {"rm", "x"}}) {
    const auto told = town.gt(words);
    EXPECT_EQ(told.exit_code, 2) << join(words, " ");
    for (const auto* verb : {"delete", "remove", "recall", "quarantine", "drop", "purge"})
      EXPECT_EQ(told.err.find(cat(" ", verb, "?")), std::string::npos) << told.err;
  }
}

TEST_F(Usage, OptionsMayStandBeforeTheCommand) {
  EXPECT_EQ(text_at(town.json({"--as", "alice", "whoami"}), "address"), "alice");
  EXPECT_EQ(town.gt({"--json", "mail", "inbox"}).out, "[]\n");
}

}  // namespace
}  // namespace townpost
