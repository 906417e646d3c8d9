// What agents are told to type is what the command line knows.
#include "post/values/shell_words.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/parse.h"

namespace townpost {
namespace {

TEST(ShellCommands, AreCommandsOfTheTable) {
  for (int i = 0; i <= static_cast<int>(last_value(ShellCommand{})); ++i) {
    const auto command = typed(static_cast<ShellCommand>(i), "hq-m-1a2b3c");
    std::vector<std::string> words;
    for (const auto word : split(command, ' ')) words.emplace_back(word);
    ASSERT_EQ(words.front(), "gt") << command;
    words.erase(words.begin());
    const auto found = find_command(words);
    ASSERT_TRUE(found.has_value() && found->op) << command;
    const auto line = parse_command_line(*found->op, found->rest);
    EXPECT_TRUE(line.has_value()) << command << ": " << line.error().message;
  }
}

TEST(ShellCommands, AreAboutWhatIsNamed) {
  EXPECT_EQ(typed(ShellCommand::read_mail, "hq-m-1"), "gt mail read hq-m-1");
  EXPECT_EQ(typed(ShellCommand::answer_mail, "hq-m-1"), "gt mail reply hq-m-1 -m \"...\"");
}

}  // namespace
}  // namespace townpost
