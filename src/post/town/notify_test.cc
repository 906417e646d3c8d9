#include "post/town/notify.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

using Words = std::vector<std::string>;

Words command(const std::string& text) { return notify_of(cat("[notify]\ncommand = '''", text, "'''\n")).command; }

TEST(Notify, RingsTheBellAndRunsNothingUnlessItIsTold) {
  EXPECT_EQ(notify_of(""), Notify{});
  EXPECT_TRUE(Notify{}.bell);
  EXPECT_EQ(notify_of("[notify]\nbell = false\nspacing = \"5m\"\n").spacing, std::chrono::minutes(5));
}

TEST(Notify, SplitsTheCommandAtSpacesButForThoseInQuotes) {
  EXPECT_EQ(command("notify-send -u critical Townpost"), (Words{"notify-send", "-u", "critical", "Townpost"}));
  EXPECT_EQ(command("a 'two words' \"it's\" '' x'y'z"), (Words{"a", "two words", "it's", "", "xyz"}));
  EXPECT_EQ(command("  a   b  "), (Words{"a", "b"}));
  EXPECT_EQ(command("$HOME `x` ; | > #"), (Words{"$HOME", "`x`", ";", "|", ">", "#"})) << "no shell reads it";
  EXPECT_EQ(command(""), Words{});
}

TEST(Notify, ADamagedFileTellsInTheUsualWay) {
  EXPECT_EQ(notify_of("[notify\n"), Notify{});
  EXPECT_EQ(notify_of("[notify]\ncommand = \"'open\"\nbell = 3\n"), Notify{});
}

}  // namespace
}  // namespace townpost
