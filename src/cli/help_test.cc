#include "cli/help.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "ops/table.h"

namespace townpost {
namespace {

TEST(HelpOverview, ListsEveryCommandOfTheTable) {
  const auto overview = help_overview("");
  const auto reference = reference_markdown();
  for (const auto& entry : op_table()) {
    if (entry.op().name != entry.name) continue;  // another name of a command
    std::string words(entry.name);
    std::replace(words.begin(), words.end(), '.', ' ');
    EXPECT_NE(overview.find(cat("\n  ", words, " ")), std::string::npos) << words;
    EXPECT_NE(reference.find(cat("### `gt ", words, "`")), std::string::npos) << words;
  }
}

TEST(HelpOverview, OfAGroupListsItsCommands) {
  for (const auto* group : {"nudge", "dnd", "harness", "agent"})
    EXPECT_NE(help_overview(group).find(cat("\n  ", group, " ")), std::string::npos) << group;
}

TEST(HelpFor, NamesTheCommandsBelowIt) {
  for (const auto& entry : op_table()) {
    if (entry.name != "nudge") continue;
    EXPECT_NE(help_for(entry.op()).find("gt nudge explain"), std::string::npos) << help_for(entry.op());
  }
}

}  // namespace
}  // namespace townpost
