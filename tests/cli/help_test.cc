// --help of everything, --version, and the documents made from the operation table.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "support/terminal.h"

namespace townpost {
namespace {

/// Every command that gt help all lists, as words; but those that need no table.
std::vector<Words> listed_commands(const TestTown& town) {
  std::vector<Words> out;
  for (const auto& line : lines_of(town.gt({"help", "all"}).out)) {
    if (line.starts_with("The program itself")) break;
    if (!line.starts_with("  ") || line.starts_with("   ")) continue;
    Words words;
    const auto name = trim(std::string_view(line).substr(0, line.find("  ", 2)));
    for (const auto word : split(name, ' ')) words.emplace_back(word);
    out.push_back(words);
  }
  return out;
}

TEST(Help, ListsEveryCommandOfTheSpecification) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto help = town.gt({"help", "all"});
  EXPECT_EQ(help.exit_code, 0);
  for (const auto* command : {"init",           "whoami",           "why",
                              "mail send",      "mail inbox",       "mail read",
                              "mail ack",       "mail mark-unread", "mail archive",
                              "mail unarchive", "mail delete",      "mail pin",
                              "mail unpin",     "mail reply",       "mail reply-all",
                              "mail sent",      "mail waiting",     "mail thread",
                              "mail search",    "mail check",       "mail peek",
                              "mail wait",      "mail directory",   "mail explain",
                              "mail budget",    "mail recall",      "rig add",
                              "rig list",       "rig show",         "rig remove",
                              "agent add",      "agent list",       "agent show",
                              "agent remove",   "agent alias",      "agent release",
                              "store info",     "store check",      "store migrate",
                              "store purge"})
    EXPECT_NE(help.out.find(cat("\n  ", command, " ")), std::string::npos) << command;
  EXPECT_GE(listed_commands(town).size(), 36u);
}

TEST(Help, OfEveryCommandNeedsNoTownAndHasAnExample) {
  const TestTown town(TestTown::Start::empty_folder);
  for (const auto& words : listed_commands(town)) {
    const auto name = "gt " + join(words, " ");
    for (const auto* flag : {"--help", "-h"}) {
      const auto help = town.gt(with(words, {flag}));
      EXPECT_EQ(help.exit_code, 0) << name;
      EXPECT_EQ(help.err, "") << name;
      EXPECT_NE(help.out.find("Usage: " + name), std::string::npos) << help.out;
      const auto examples = help.out.find("Examples:\n");
      ASSERT_NE(examples, std::string::npos) << name;
      EXPECT_NE(help.out.find(name, examples), std::string::npos) << name << " has no example of itself";
      for (const auto* common : {"--json", "--as", "--town", "-h"})
        EXPECT_NE(help.out.find(common), std::string::npos) << name << " " << common;
    }
  }
}

TEST(Help, DescribesTheFlagsOfSend) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto help = town.gt({"mail", "send", "--help"}).out;
  for (const auto* flag :
       {"--cc", "--priority", "--urgent", "--type", "--reply-to", "--thread", "--ack", "--pinned", "--wisp",
        "--permanent", "--no-notify", "--self", "--key", "--create", "--reply-by", "--stdin", "-F", "-m", "-s"})
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
}

TEST(Help, OfAGroupListsItsCommands) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto help = town.gt({"rig", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("rig add"), std::string::npos);
  EXPECT_EQ(help.out.find("mail send"), std::string::npos);
}

TEST(Help, BeginsWithWhatANewcomerNeedsInTwentyFiveLines) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto help = town.gt({});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_LE(lines_of(help.out).size(), 25u);
  for (const auto& line : lines_of(help.out)) EXPECT_LE(line.size(), 80u) << line;
  for (const Words& words : {Words{"--help"}, {"-h"}, {"help"}}) EXPECT_EQ(town.gt(words).out, help.out);
}

TEST(Help, CanBeAskedForByItsOwnCommand) {
  const TestTown town(TestTown::Start::empty_folder);
  EXPECT_EQ(town.gt({"help", "mail", "send"}).out, town.gt({"mail", "send", "--help"}).out);
  EXPECT_EQ(town.gt({"help", "mail"}).out, town.gt({"mail", "--help"}).out);
  EXPECT_NE(town.gt({"help", "exit-codes"}).out.find("7  limited"), std::string::npos);
  EXPECT_NE(town.gt({"help", "environment"}).out.find("MAIL_IDENTITY"), std::string::npos);
  EXPECT_EQ(town.gt({"help", "no-such-thing"}).exit_code, 2);
}

TEST(Help, KnowsWhatTheProgramAnswersByItself) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto all = town.gt({"help", "all"}).out;
  const auto reference = town.gt({"docs", "reference"}).out;
  const auto manual = town.gt({"docs", "man"}).out;
  for (const std::string command : {"help", "version", "completion", "docs"}) {
    const auto help = town.gt({"help", command});
    EXPECT_EQ(help.exit_code, 0) << command << ": " << help.err;
    EXPECT_NE(help.out.find("Usage: gt " + command), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("Examples:\n  "), std::string::npos) << help.out;
    EXPECT_LE(help.out.size(), 350u * 4) << command;
    for (const auto* flag : {"--help", "-h", "help"}) EXPECT_EQ(town.gt({command, flag}).out, help.out) << command;
    EXPECT_NE(all.find("\n  " + command + " "), std::string::npos) << command;
    EXPECT_NE(reference.find("### `gt " + command + "`"), std::string::npos) << command;
    EXPECT_NE(manual.find(".SS gt " + command), std::string::npos) << command;
  }
  const auto poem = town.gt({"docs", "poem"});
  EXPECT_EQ(poem.exit_code, 2);
  EXPECT_NE(poem.err.find("gt help docs"), std::string::npos) << poem.err;
}

TEST(Help, OfACommandCostsAnAgentAtMostThreeHundredAndFiftyTokens) {
  const TestTown town(TestTown::Start::empty_folder);
  for (const auto& words : listed_commands(town))
    EXPECT_LE(town.gt(with(words, {"--help"})).out.size(), 350u * 4) << join(words, " ");
}

TEST(Help, IsWrappedForPeople) {
  const TestTown town(TestTown::Start::empty_folder);
  for (const auto& words : listed_commands(town)) {
    const auto help = gt_on_terminal(town, with(words, {"--help"})).out;
    const auto examples = help.find("Examples:");
    for (const auto& line : lines_of(help.substr(0, examples)))
      EXPECT_LE(length_in_characters(line), 101u) << join(words, " ") << ": " << line;
  }
}

TEST(Help, IsAsWideAsTheTerminalOrAsColumnsSay) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto widest = [&](const std::string& stty, const TestTown::Variables& variables) {
    const auto help =
        on_terminal(town, {"sh", "-c", cat(stty, "; exec '", gt_program(), "' mail send --help")}, variables).out;
    std::size_t most = 0;
    for (const auto& line : lines_of(help.substr(0, help.find("Examples:"))))
      most = std::max(most, length_in_characters(line));
    return most;
  };
  const auto between = [](std::size_t least, std::size_t value, std::size_t most) {
    return value >= least && value <= most ? "" : cat(value, " columns");
  };
  EXPECT_EQ(between(50, widest("stty cols 60", {}), 61), "");
  EXPECT_EQ(between(85, widest("stty cols 200", {}), 101), "") << "wider lines are hard to read";
  EXPECT_EQ(between(60, widest("stty cols 0", {{"COLUMNS", "70"}}), 71), "");
}

TEST(Help, KnowsTheOtherNamesOfACommand) {
  const TestTown town;
  EXPECT_EQ(town.gt({"mail", "mark-read", "--help"}).out, town.gt({"mail", "ack", "--help"}).out);
  EXPECT_EQ(town.gt({"inbox", "--json"}).out, "[]\n");
}

TEST(Help, TellsTheVersion) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto version = town.gt({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("gt (Townpost) ")) << version.out;
  for (const Words& words : {Words{"-V"}, {"version"}}) EXPECT_EQ(town.gt(words).out, version.out);
  EXPECT_FALSE(text_at(town.json({"version"}), "version").empty());
}

TEST(Help, MakesTheReferenceAndTheManualFromTheSameTable) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto reference = town.gt({"docs", "reference"}).out;
  std::string manual;
  for (const auto& page : lines_of(town.gt({"docs", "man", "--list"}).out))
    manual += town.gt({"docs", "man", page}).out;
  for (const auto& words : listed_commands(town)) {
    EXPECT_NE(reference.find("### `gt " + join(words, " ") + "`"), std::string::npos) << join(words, " ");
    EXPECT_NE(manual.find(".SS gt " + words.front()), std::string::npos) << join(words, " ");
  }
}

}  // namespace
}  // namespace townpost
