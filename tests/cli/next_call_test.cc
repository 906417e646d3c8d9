// What an error says to call next: an operation with its arguments in JSON, and a command that can be typed in text.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

Json error_of(const TestTown& town, const Words& words) {
  const auto ran = town.gt(with(words, {"--json"}));
  const auto answer = parse_json(trim(ran.out));
  EXPECT_TRUE(answer.has_value()) << ran.out << ran.err;
  return answer ? value_at(*answer, "error") : Json();
}

Json call_of(std::string_view operation, const JsonObject& arguments) {
  JsonObject out;
  out["operation"] = std::string(operation);
  out["arguments"] = arguments;
  return out;
}

/// Types what an error said, as a shell reads it.
ProcessOutput type(const TestTown& town, const std::string& command, const Variables& variables = {}) {
  return town.shell(cat("gt() { \"$GT\" \"$@\"; }\n", command, "\n"), variables);
}

TEST(NextCallOfAnError, IsAnOperationInJsonAndACommandInText) {
  const TestTown town;
  town.agents({"alice"});
  town.json({"queue", "create", "dispatch", "--as", "overseer"});
  town.json({"queue", "pause", "dispatch", "--as", "overseer"});
  const Words claim = {"mail", "claim", "dispatch", "--as", "alice"};
  const auto error = error_of(town, claim);
  EXPECT_EQ(value_at(error, "next"), call_of("queue.resume", {{"name", "dispatch"}})) << to_line(error);
  EXPECT_EQ(text_at(error, "hint"), "gt queue resume dispatch");
  EXPECT_TRUE(town.gt(claim).err.ends_with("; gt queue resume dispatch\n"));

  const auto typed = type(town, cat(text_at(error, "hint"), " --as overseer"));
  EXPECT_EQ(typed.exit_code, 0) << typed.err;
  EXPECT_EQ(town.gt(claim).exit_code, 1) << "it is open again, and empty";
}

TEST(NextCallOfAnError, HasArgumentsOfTheTypesThatTheOperationTakes) {
  const TestTown town;
  const auto error = error_of(town, {"hold", "--as", "overseer"});
  EXPECT_EQ(value_at(error, "next"), call_of("hold", {{"all", true}, {"for", "8h"}})) << to_line(error);
  EXPECT_EQ(text_at(error, "argument"), "agent");
  const std::string hint = text_at(error, "hint");
  ASSERT_TRUE(hint.starts_with("for example gt hold ")) << hint;
  EXPECT_EQ(type(town, cat(hint.substr(hint.find("gt ")), " --as overseer")).exit_code, 0);
}

TEST(NextCallOfAnError, IsTypedWithEveryValueAsOneWord) {
  const TestTown town(TestTown::Start::empty_folder);
  const std::string folder = "it's $(here) now";
  ASSERT_EQ(town.gt({"init", folder, "--as", "overseer"}).exit_code, 0);
  ASSERT_EQ(town.gt({"trust", "--remove", folder, "--as", "overseer"}).exit_code, 0);
  const auto refused = town.gt_in(folder, {"mail", "inbox"});
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  const auto at = refused.err.find("gt trust ");
  ASSERT_NE(at, std::string::npos) << refused.err;
  const auto typed = type(town, cat(trim(refused.err.substr(at)), " --as overseer"));
  EXPECT_EQ(typed.exit_code, 0) << refused.err << typed.err;
  EXPECT_EQ(town.gt_in(folder, {"mail", "inbox"}).exit_code, 0);
}

TEST(ArgumentAtFault, IsNamedAsInTheTableAndAsItIsTyped) {
  const TestTown town;
  town.agents({"alice"});
  for (const auto& [words, argument, says] : std::vector<std::tuple<Words, std::string, std::string>>{
           {{"mail", "send", "alice", "-s", "Hi", "-m", "x", "--reply-by", "0s"}, "reply_by", "invalid --reply-by: "},
           {{"mail", "send", "alice", "-m", ""}, "subject", "the subject is missing; add -s"},
           {{"mail", "send", "alice", "-s", "x"}, "body", "the body is missing; give it with -m, --stdin or -F FILE"},
           {{"mail", "send", "-s", "Hi", "-m", "x"}, "to", "the ADDR is missing; gt mail send ADDR -s SUBJECT -m BODY"},
           {{"mail", "inbox", "--all", "--unread"}, "unread", "--all and --unread are mutually exclusive"},
           {{"mail", "inbox", "--as", "nobody"}, "as", "invalid --as: "},
           {{"queue", "create", "q", "--lease", "0s", "--as", "overseer"}, "lease", "invalid --lease: "}}) {
    const auto error = error_of(town, words);
    EXPECT_EQ(text_at(error, "argument"), argument) << to_line(error);
    const auto text = town.gt(words).err;
    EXPECT_NE(text.find(says), std::string::npos) << text;
  }
}

TEST(OneOfSeveralIds, ThatFailsSaysWhatToCall) {
  const TestTown town;
  town.agents({"alice"});
  const auto id = town.send("overseer", "alice", "Hi");
  const auto ran = town.gt({"mail", "ack", id, "hq-m-zzzzz", "--as", "alice", "--json"});
  const auto answer = parse_json(trim(ran.out));
  ASSERT_TRUE(answer && answer->is_array() && answer->get_array().size() == 2) << ran.out;
  const auto error = value_at(answer->get_array()[1], "error");
  EXPECT_EQ(value_at(error, "next"), call_of("mail.inbox", {})) << ran.out;
  EXPECT_EQ(text_at(error, "hint"), "mail.inbox lists yours") << ran.out;
}

}  // namespace
}  // namespace townpost
