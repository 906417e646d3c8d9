#include "base/text.h"
#include "delivery/tmux/typed_text.h"
#include "tmux/lab.h"

namespace townpost {
namespace {

class Arrival : public TmuxLab {
 protected:
  /// What arrives when `text` is injected; how it ended, if that was not as it should.
  std::string arrived(const std::string& given) {
    const auto injected = session_.inject({.text = given, .ids = {}, .at = Injection::At::idle});
    if (injected.outcome != Injected::Outcome::shown) return text(injected);
    const auto all = prompts("agent");
    if (all.size() != ++sent_) return cat(all.size(), " prompts arrived in place of ", sent_);
    return all.back();
  }

  std::string pane_ = start_harness("agent");
  TmuxSession session_ = session("tmux:agent");
  std::size_t sent_ = 0;
};

TEST_F(Arrival, IsUnchangedWhateverTmuxThinksOfTheText) {  // G242
  for (const std::string given :
       {"deploy is red;", ";", "a \\; b \\;", "-x --help", "-", "Enter", "C-c", "x #{pane_id} %H #[bold]",
        "say \"hi\" `ls` $HOME '", "trailing space ", "tilde ~ & (paren) [x] {y} | < > ? * \\n"})
    EXPECT_EQ(arrived(given), given);
}

TEST_F(Arrival, KeepsOtherScriptsAndEmoji) {
  for (const std::string given : {"grüße 日本語 עברית", "😀👩‍👩‍👧 e\u0301", "\u00A0x", "ＡＢＣ"})
    EXPECT_EQ(arrived(given), given);
}

TEST_F(Arrival, IsKnownHoweverTheHarnessDrawsIt) {
  start_harness("composer", {"composes"});
  auto composer = session("tmux:composer");
  Words sent;
  const std::pair<std::string, std::string> kTexts[] = {
      {"A3 e\u0301 x", "A3 e\u0301 x"},
      {"zero\u200Bwidth and word\u2060joiner", "zerowidth and wordjoiner"},  // what nobody sees is not typed
      {"\u1112\u1161\u11AB", "\u1112\u1161\u11AB"},
      {"e\u0301", "e\u0301"},
      {"\u4f60\u597d\u4e16\u754c", "\u4f60\u597d\u4e16\u754c"},
      {"plain again", "plain again"}};
  for (const auto& [given, typed] : kTexts) {
    EXPECT_EQ(text(composer.inject({.text = given, .ids = {}, .at = Injection::At::idle})), "shown") << given;
    sent.push_back(typed);
  }
  EXPECT_EQ(prompts("composer"), sent);
}

TEST_F(Arrival, HasNoSkinTonesThatWouldShiftTheScreen) {
  EXPECT_EQ(arrived("well done \U0001F44D\U0001F3FD!"), "well done \U0001F44D!");
  EXPECT_EQ(arrived("next"), "next");
}

TEST_F(Arrival, KeepsLines) {
  for (const std::string given : {"one\ntwo", "one\n\ntwo\nthree\nfour", "  indented\n\n\n  twice"})
    EXPECT_EQ(arrived(given), given);
}

TEST_F(Arrival, KeepsSeventeenKilobytesInOneLine) {
  std::string given;
  while (given.size() < 17000) given += cat("word", given.size(), " ");
  EXPECT_EQ(arrived(given + ";"), given + ";");
}

TEST_F(Arrival, KeepsTheLongestNudge) {
  std::string given;
  while (given.size() < 65500) given += cat("line ", given.size(), given.size() % 3 == 0 ? "\n" : " ");
  EXPECT_EQ(arrived(given + "end"), given + "end");
}

TEST_F(Arrival, KeepsCharactersThatStraddleTheEdgesOfChunks) {  // G244
  // Whatever the sizes of the buffers on the way, one of these four has a character across each of their edges.
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string given(shift, 'x');
    while (given.size() < 9000) given += "😀";
    EXPECT_EQ(arrived(given), given) << "shifted by " << shift;
  }
}

TEST_F(Arrival, HoldsNoEscapeSequence) {
  EXPECT_EQ(arrived("a\x1b[201~\rb\x1b[A\x7f\x15"), "a[201~b[A");
  EXPECT_EQ(stray_keys("agent"), Words{});
}

TEST_F(Arrival, HoldsNothingThatAHarnessActsOn) { EXPECT_EQ(arrived("/exit @secret\n!ls"), "／exit ＠secret\n！ls"); }

TEST_F(Arrival, HoldsNoKeywordOfTheHarness) {
  EXPECT_EQ(arrived("please Ultrathink, then ULTRACODE"), "please Ultra-think, then ULTRA-CODE");
}

TEST_F(Arrival, LeavesNoPasteBufferBehind) {
  arrived("hello");
  EXPECT_EQ(tmux({"list-buffers"}), "");
}

TEST_F(Arrival, IsSeenInThePaneAfterwards) {
  EXPECT_EQ(session_.shows("hq-n-1a2b3c"), false);
  arrived("wake up (hq-n-1a2b3c)");
  EXPECT_EQ(session_.shows("hq-n-1a2b3c"), true);
  EXPECT_EQ(session_.shows("hq-n-zzzzzz"), false);
}

TEST_F(Arrival, IsNotSeenWhileItStandsInTheInputLine) {
  tmux({"send-keys", "-t", pane_, "-l", "wake up (hq-n-1a2b3c)"});
  wait_for(pane_, "hq-n-1a2b3c");
  EXPECT_EQ(session_.shows("hq-n-1a2b3c"), false);
}

}  // namespace
}  // namespace townpost
