#include "cli/render_feed.h"

#include <gtest/gtest.h>

#include "base/display_width.h"
#include "base/text.h"

namespace townpost {
namespace {

Json entry(std::string_view more) {
  return parse_json(cat(R"({"seq":1,"at":"2026-03-05T10:30:00.000Z","type":"mail","kind":"stored","from":"nux",)",
                        R"("to":["max","ada"],"text":"Review the parser branch")", more, "}"))
      .value();
}

std::string line(const Json& item, const Screen& screen) { return render_item(item, screen).bytes(); }

TEST(FeedLine, RingsTheBellOfATerminalForAnAlarmAndOfNothingElse) {
  const Screen terminal{.terminal = true, .now = Instant{}, .width = 80};
  EXPECT_TRUE(line(entry(R"(,"alarm":true)"), terminal).ends_with("\n\a"));
  EXPECT_TRUE(line(entry(""), terminal).ends_with("branch\n"));
  EXPECT_TRUE(line(entry(R"(,"alarm":true)"), Screen{}).ends_with("branch\n"));
}

TEST(FeedLine, FitsTheScreenAndLosesNothingInAPipe) {
  const auto item = entry(R"(,"ack_required":true,"priority":"urgent")");
  for (const std::size_t width : {std::size_t{80}, std::size_t{100}, std::size_t{120}}) {
    const auto shown = line(item, {.terminal = true, .now = Instant{}, .width = width});
    EXPECT_LE(display_width(std::string_view(shown).substr(0, shown.size() - 1)), width) << shown;
  }
  EXPECT_NE(line(item, Screen{}).find("nux → max +1"), std::string::npos);
  EXPECT_NE(line(item, Screen{}).find("Review the parser branch  (urgent, ack)\n"), std::string::npos);
}

}  // namespace
}  // namespace townpost
