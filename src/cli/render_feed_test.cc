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

TEST(FeedLine, KeepsEveryTextInItsColumn) {
  const Screen screen{.terminal = true, .now = Instant{}, .width = 80};
  const auto columns = feed_columns(80);
  const auto before = columns.at + columns.who + columns.what + 3 * kFeedGap;
  const auto item = parse_json(
      R"({"seq":1,"at":"2026-03-05T10:30:00.000Z","type":"state","kind":"state","agent":"coder","state":"blocked",)"
      R"("detail":"wants to run: find . -name '*.tmp' -newer build/stamp -exec rm -f {} + and then go on"})");
  const auto text = line(*item, screen);
  const auto lines = split(text, '\n');
  ASSERT_GT(lines.size(), 3u) << "what a person is asked is told whole";
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    EXPECT_LE(display_width(lines[i]), 80u);
    if (i > 0) {
      EXPECT_EQ(lines[i].find_first_not_of(' '), before) << lines[i];
    }
  }
  const auto quarantined = parse_json(
      R"({"seq":1,"at":"2026-03-05T10:30:00.000Z","type":"rule","kind":"quarantine lifted","agent":"coder",)"
      R"("text":"a long text that has to be cut","detail":"for a reason that takes more room than there is"})");
  const auto shown = line(*quarantined, screen);
  EXPECT_LE(display_width(std::string_view(shown).substr(0, shown.size() - 1)), 80u) << shown;
  EXPECT_NE(shown.find("lifted: a"), std::string::npos);
}

TEST(FeedLine, ShowsBothEndsOfAPair) {
  const Screen screen{.terminal = true, .now = Instant{}, .width = 80};
  const auto shown = line(parse_json(R"({"seq":1,"at":"2026-03-05T10:30:00.000Z","type":"mail","kind":"stored",)"
                                     R"("from":"an-agent-with-a-name-that-is-long","to":["max"],"text":"Hi"})")
                              .value(),
                          screen);
  EXPECT_NE(shown.find("… → max"), std::string::npos) << shown;
}

TEST(FeedLine, KeepsTheDeadlineWhereThereIsLittleRoom) {
  const Screen screen{.terminal = true, .now = Instant{}, .width = 80};
  const auto shown =
      line(entry(R"(,"ack_required":true,"reply_by":"1970-01-01T00:00:00.000Z","priority":"urgent")"), screen);
  EXPECT_NE(shown.find("(by today "), std::string::npos) << shown;
}

TEST(FeedLine, KeepsTextFromRightToLeftInItsPlace) {
  const auto item = parse_json(
      R"({"seq":1,"at":"2026-03-05T10:30:00.000Z","type":"mail","kind":"stored","from":"nux","to":["max"],"text":"שלום"})");
  EXPECT_NE(line(*item, {.terminal = true, .now = Instant{}, .width = 80}).find("\u2068שלום\u2069"), std::string::npos);
  EXPECT_EQ(line(*item, Screen{}).find("\u2068"), std::string::npos);
}

}  // namespace
}  // namespace townpost
