#include "cli/top/top_screen.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

using Kind = TopWish::Kind;

Json parsed(std::string_view text) { return parse_json(text).value(); }

std::string agent(std::string_view address, std::string_view state, std::string_view more = "") {
  return cat(R"({"address":")", address, R"(","dnd":false,"needs_you":)", state == "blocked" ? "true" : "false",
             R"(,"state":")", state, R"(","session":"tmux:%1","pending":2,"unread":3)", more, "}");
}

class TopScreenTest : public testing::Test {
 protected:
  TopScreenTest() {
    know({agent("coder", "blocked", R"(,"detail":"wants to run a command")"), agent("max", "running")});
  }
  void know(const std::vector<std::string>& agents) {
    screen.know_status(
        parsed(cat(R"({"bell":true,"held":false,"watching":true,"hook_errors":0,"agents":[)", join(agents, ","), "]}"))
            .get_object(),
        "acme", Instant{});
  }
  TopWish press(std::string_view bytes) {
    KeyReader reader;
    reader.add(bytes);
    reader.settle();
    TopWish wish;
    while (const auto key = reader.next()) wish = screen.handle(*key);
    return wish;
  }
  std::vector<std::string> lines(int width = 80, int height = 24) const {
    Canvas canvas(width, height);
    screen.draw(canvas, Instant{});
    std::vector<std::string> out;
    for (int y = 0; y < height; ++y) out.push_back(canvas.text(y));
    return out;
  }
  std::string drawn(int width = 80, int height = 24) const { return join(lines(width, height), "\n"); }
  bool shows(std::string_view text, int width = 80, int height = 24) const {
    return drawn(width, height).find(text) != std::string::npos;
  }
  static FeedRow news(const std::string& text) {
    return {.at = "14:02:11", .who = "max", .whom = "coder", .what = "mail", .text = text, .notes = ""};
  }
  void know_mail() {
    screen.know_mail(
        parsed(R"([{"id":"hq-m-1","from":"coder","subject":"May I?","read":false,"priority_level":0}])").get_array(),
        parsed(R"([{"id":"hq-m-2","from":"max","subject":"for coder","read":false,"priority_level":2}])").get_array());
  }

  TopScreen screen;
};

TEST_F(TopScreenTest, SaysFirstWhoNeedsAPersonAndWhy) {
  EXPECT_NE(lines().front().find("acme · 2 agents · 1 needs you"), std::string::npos) << lines().front();
  EXPECT_TRUE(shows("wants to run a command")) << drawn();
  EXPECT_TRUE(shows("tmux %1"));
}

TEST_F(TopScreenTest, TellsTheWholeQuestion) {
  know({agent("coder", "blocked",
              R"(,"detail":"wants to run: find . -name '*.tmp' -newer build/stamp -exec rm -f {} + and go on")")});
  std::string words;
  for (const auto& line : lines()) words += cat(" ", line);
  for (const auto* word : {"find . -name", "-newer", "rm -f {} +", "and go on"})
    EXPECT_NE(words.find(word), std::string::npos) << word << " in\n" << drawn();
}

TEST_F(TopScreenTest, RingsForWhoeverNeedsAPersonFromNowOn) {
  EXPECT_FALSE(screen.take_alarm()) << "whoever opens it sees it";
  know({agent("coder", "blocked"), agent("max", "blocked")});
  EXPECT_TRUE(screen.take_alarm());
  know({agent("coder", "blocked"), agent("max", "blocked")});
  EXPECT_FALSE(screen.take_alarm());
}

TEST_F(TopScreenTest, FitsEverySize) {
  know_mail();
  screen.add_news({news("Hello")});
  for (const auto& [width, height] : {std::pair{80, 24}, {40, 10}, {60, 12}, {120, 40}, {300, 100}, {10, 3}, {1, 1}})
    EXPECT_EQ(lines(width, height).size(), static_cast<std::size_t>(height));
  EXPECT_TRUE(shows("needs 40 × 10", 39, 24));
  EXPECT_TRUE(shows("coder", 40, 10));
  EXPECT_TRUE(shows("Hello", 80, 24));
}

TEST_F(TopScreenTest, KeepsWhoIsSelectedWhereverItMovesTo) {
  press("j");
  EXPECT_EQ(screen.selected()->address, "max");
  know({agent("zed", "idle"), agent("max", "blocked"), agent("coder", "idle")});
  EXPECT_EQ(screen.selected()->address, "max");
  know({agent("zed", "idle")});
  EXPECT_EQ(screen.selected()->address, "zed") << "who is gone is selected no more";
}

TEST_F(TopScreenTest, EnterAttachesTheSelectedAgent) {
  const auto wish = press("\x1b[B\r");
  EXPECT_EQ(wish.kind, Kind::attach);
  EXPECT_EQ(wish.agent, "max");
}

TEST_F(TopScreenTest, TellsWhichDataItWants) {
  EXPECT_EQ(screen.wanted(), (TopDetail{TopDetail::View::mail, "coder", ""}));
  press("v");
  EXPECT_EQ(screen.wanted().view, TopDetail::View::pane);
  press("v");
  EXPECT_EQ(screen.wanted().view, TopDetail::View::why);
  press("vj");
  EXPECT_EQ(screen.wanted(), (TopDetail{TopDetail::View::mail, "max", ""}));
}

TEST_F(TopScreenTest, RepliesToTheMailUnderTheCursor) {
  know_mail();
  const auto wish = press("ryes, do it\r");
  EXPECT_EQ(wish.kind, Kind::call);
  EXPECT_EQ(wish.op, "mail.reply");
  EXPECT_EQ(to_line(wish.args), R"({"id":"hq-m-1","body":"yes, do it"})");
}

TEST_F(TopScreenTest, NeitherRepliesNorAcknowledgesWhatIsAnothersMail) {
  know_mail();
  press("\tj");
  EXPECT_EQ(press("a").kind, Kind::nothing);
  EXPECT_EQ(press("r").kind, Kind::nothing);
  EXPECT_FALSE(screen.is_typing());
  EXPECT_TRUE(shows("no mail to you here"));
}

TEST_F(TopScreenTest, AcknowledgesReadsNudgesAndWrites) {
  know_mail();
  EXPECT_EQ(to_line(press("a").args), R"({"id":["hq-m-1"]})");
  const auto nudge = press("nlook here\r");
  EXPECT_EQ(nudge.op, "nudge");
  EXPECT_EQ(to_line(nudge.args), R"({"target":"coder","body":"look here"})");
  const auto mail = press("mThe plan\rwe begin at noon\r");
  EXPECT_EQ(mail.op, "mail.send");
  EXPECT_EQ(to_line(mail.args), R"({"to":["coder"],"subject":"The plan","body":"we begin at noon"})");
  press("\t\r");
  EXPECT_EQ(screen.wanted().message, "hq-m-1");
  press("\x1b");
  EXPECT_EQ(screen.wanted().message, "");
  press("\r");
  EXPECT_EQ(press("q").kind, Kind::nothing) << "it closes the mail before it quits";
  EXPECT_EQ(screen.wanted().message, "");
}

TEST_F(TopScreenTest, HoldsAndReleasesAndAsksBeforeAQuarantine) {
  EXPECT_EQ(press("h").op, "hold");
  EXPECT_EQ(press("x").kind, Kind::nothing);
  EXPECT_TRUE(shows("quarantine coder? (y/n)")) << "what is asked is seen first";
  EXPECT_EQ(press("n").kind, Kind::nothing);
  press("x");
  const auto wish = press("y");
  EXPECT_EQ(wish.op, "agent.quarantine");
  EXPECT_EQ(to_line(wish.args), R"({"agent":"coder"})");
  know({agent("coder", "idle", R"(,"held_until":"released","quarantined_at":"2026-01-01T00:00:00.000Z")")});
  EXPECT_EQ(press("h").op, "release");
  EXPECT_EQ(to_line(press("x").args), R"({"agent":"coder","lift":true})") << "to lift it harms nobody";
}

TEST_F(TopScreenTest, PastedTextIsNoKey) {
  EXPECT_EQ(press("\x1b[200~q\rhx\x1b[201~").kind, Kind::nothing);
  EXPECT_FALSE(screen.is_typing());
  press("n\x1b[200~two\nlines\x1b[201~");
  EXPECT_TRUE(screen.is_typing()) << "a newline in it sends nothing";
  EXPECT_EQ(to_line(press("\r").args), R"({"target":"coder","body":"two lines"})");
}

TEST_F(TopScreenTest, SendsNothingWithoutWords) {
  EXPECT_EQ(press("n   \r").kind, Kind::nothing);
  EXPECT_EQ(press("nabc\x1b").kind, Kind::nothing);
  EXPECT_FALSE(screen.is_typing());
  EXPECT_EQ(press("nab\x7f\x7f\x7f\r").kind, Kind::nothing);
}

TEST_F(TopScreenTest, FiltersByNameAndState) {
  press("/ma");
  EXPECT_FALSE(shows("tmux %1\n coder")) << drawn();
  EXPECT_EQ(screen.selected()->address, "max");
  press("\r");
  EXPECT_FALSE(screen.is_typing());
  press("\x1b");
  EXPECT_TRUE(shows("coder"));
  press("/block\r");
  EXPECT_EQ(screen.selected()->address, "coder");
}

TEST_F(TopScreenTest, ShowsTheSelectedOneOfMany) {
  std::vector<std::string> many;
  for (int i = 0; i < 500; ++i) many.push_back(agent(cat("agent-", i), "idle"));
  know(many);
  press("\x1b[F");
  EXPECT_EQ(screen.selected()->address, "agent-499");
  EXPECT_TRUE(shows("agent-499"));
  press("\x1b[H");
  EXPECT_TRUE(shows("agent-0"));
  EXPECT_NE(lines().front().find("500 agents"), std::string::npos);
}

TEST_F(TopScreenTest, TheStreamStaysWhereSomebodyReads) {
  std::vector<FeedRow> rows;
  for (int i = 0; i < 50; ++i) rows.push_back(news(cat("news ", i, ".")));
  screen.add_news(rows);
  EXPECT_TRUE(shows("news 49."));
  press("\t\t\x1b[5~");
  EXPECT_TRUE(shows("news 39."));
  EXPECT_FALSE(shows("news 40."));
  screen.add_news({news("news 50.")});
  EXPECT_TRUE(shows("news 39."));
  EXPECT_TRUE(shows("11 newer below"));
  press("\x1b[F");
  EXPECT_TRUE(shows("news 50."));
}

TEST_F(TopScreenTest, ShowsTextOfOthersAndObeysNone) {
  know({agent("coder", "blocked", R"(,"detail":"\u001b[2J and \u202e")")});
  EXPECT_TRUE(shows("\\x1b[2J and \\u{202e}")) << drawn();
}

TEST_F(TopScreenTest, QuitsByItsKeysAndShowsThemAll) {
  EXPECT_EQ(press("q").kind, Kind::quit);
  EXPECT_EQ(press("\x03").kind, Kind::quit);
  EXPECT_EQ(press("nabc\x03").kind, Kind::quit) << "also while something is typed";
  press("\x1b");
  press("?");
  for (const auto* word : {"attach", "reply", "acknowledge", "nudge", "hold", "quarantine", "filter", "quit"})
    EXPECT_TRUE(shows(word)) << word;
  EXPECT_EQ(press("q").kind, Kind::nothing) << "any key goes back";
}

}  // namespace
}  // namespace townpost
