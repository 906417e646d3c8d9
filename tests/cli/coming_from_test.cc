// docs/from-*.md: whoever comes from another tool types what stands there.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/text.h"
#include "cli/expect.h"
#include "cli/parse.h"
#include "cli/typed_words.h"

namespace townpost {
namespace {

/// What stands between backticks and is a command of ours.
Words commands_in(std::string_view text) {
  Words out;
  while (true) {
    const auto begin = text.find('`');
    const auto end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) return out;
    const auto code = text.substr(begin + 1, end - begin - 1);
    if (code.starts_with("gt ")) out.emplace_back(code);
    text.remove_prefix(end + 1);
  }
}

/// Why it cannot be typed; empty if it can.
std::string trouble_with(const std::string& command) {
  auto words = typed_words(command);
  if (!words) return "more than one command";
  std::replace(words->begin(), words->end(), std::string("ID"), std::string("hq-m-1a2b3c"));
  const auto found = find_command(*words);
  if (!found) return found.error().message;
  if (!found->op) return "no command";
  const auto line = parse_command_line(*found->op, found->rest, found->named);
  if (!line) return line.error().message;
  if (line->args.contains("body") || line->text_from != TextFrom::nowhere) {
    const auto args = Args::check(found->op->args, line->args);
    return args ? "" : args.error().message;
  }
  return "";
}

class ComingFrom : public testing::TestWithParam<const char*> {};

TEST_P(ComingFrom, EveryCommandOfOursCanBeTyped) {
  std::ifstream file(std::filesystem::path(DOCS) / GetParam());
  std::size_t commands = 0;
  for (std::string line; std::getline(file, line);) {
    // In a table the first column is another tool's.
    const auto ours = line.starts_with("| ") ? line.substr(std::min(line.find(" | ", 2), line.size())) : line;
    for (const auto& command : commands_in(ours)) {
      ++commands;
      EXPECT_EQ(trouble_with(command), "") << command;
    }
  }
  EXPECT_GE(commands, 15u);
}

INSTANTIATE_TEST_SUITE_P(, ComingFrom, testing::Values("from-gas-town.md", "from-hcom.md", "from-agent-mail.md"),
                         [](const auto& one) {
                           std::string name(one.param);
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

}  // namespace
}  // namespace townpost
