#include "cli/screen.h"

#include <gtest/gtest.h>

#include <map>

namespace townpost {
namespace {

FixedEnvironment with(std::map<std::string, std::string> variables) { return FixedEnvironment(std::move(variables)); }

bool coloured(const std::map<std::string, std::string>& variables, bool terminal,
              ColourWish wish = ColourWish::as_fits) {
  return uses_colour(wish, terminal, FixedEnvironment(variables));
}

TEST(Colours, AreForTerminals) {
  EXPECT_TRUE(coloured({{"TERM", "xterm"}}, true));
  EXPECT_FALSE(coloured({{"TERM", "xterm"}}, false));
  EXPECT_FALSE(coloured({{"TERM", "dumb"}}, true));
}

TEST(Colours, FollowTheEnvironment) {
  EXPECT_FALSE(coloured({{"NO_COLOR", "1"}}, true));
  EXPECT_TRUE(coloured({{"CLICOLOR_FORCE", "1"}}, false));
  EXPECT_FALSE(coloured({{"CLICOLOR_FORCE", "0"}}, false));
  EXPECT_FALSE(coloured({{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}, true));
}

TEST(Colours, FollowAWishBeforeAllElse) {
  EXPECT_TRUE(coloured({{"NO_COLOR", "1"}, {"TERM", "dumb"}}, false, ColourWish::always));
  EXPECT_FALSE(coloured({{"CLICOLOR_FORCE", "1"}}, true, ColourWish::never));
  EXPECT_EQ(parse_colour_wish("never"), ColourWish::never);
  EXPECT_EQ(parse_colour_wish("sometimes"), std::nullopt);
}

TEST(Width, IsTheTerminalsThenColumnsThenEighty) {
  EXPECT_EQ(screen_width({.columns = 132}, with({{"COLUMNS", "60"}})), 132u);
  EXPECT_EQ(screen_width({}, with({{"COLUMNS", "60"}})), 60u);
  for (const auto* nonsense : {"", "0", "-4", "wide", "99999999999999999999"})
    EXPECT_EQ(screen_width({}, with({{"COLUMNS", nonsense}})), 80u) << nonsense;
}

}  // namespace
}  // namespace townpost
