#include "delivery/tmux/pane_screen.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "delivery/tmux/likeness.h"

namespace townpost {
namespace {

/// A screen of the real program, captured with its colours. The file's name begins with that of the harness.
PaneScreen seen(const std::string& file) {
  const std::filesystem::path folder = TOWNPOST_SOURCE_DIR "/src/delivery/tmux/screens";
  const auto capture = read_file(folder / (file + ".txt"));
  if (!capture) throw std::runtime_error(capture.error().message);
  return read_screen(*capture, harness_profile(file.substr(0, file.find('_'))).value());
}

const HarnessProfile& claude() {
  static const auto profile = harness_profile("claude").value();
  return profile;
}

const std::string kRule = "────────────────────\n";

/// What a screen says, in one word each, for one look at a failure.
std::string summary(const PaneScreen& screen) {
  return cat(screen.prompt ? "prompt" : "no-prompt", screen.busy ? " busy" : "", screen.dialog ? " dialog" : "",
             screen.draft.empty() ? "" : " draft");
}

TEST(Prompt, IsNoOtherTextNoEmptyLineAndNothingForAnEmptyPrefix) {  // G235
  EXPECT_FALSE(is_prompt_line("hello", "❯"));
  EXPECT_FALSE(is_prompt_line("", "❯"));
  EXPECT_FALSE(is_prompt_line("hello", ""));
  EXPECT_FALSE(is_prompt_line("", ""));
  EXPECT_FALSE(is_prompt_line(">=", ">"));
  EXPECT_TRUE(is_prompt_line("❯", "❯"));
  EXPECT_TRUE(is_prompt_line("❯ hello", "❯"));
}

TEST(PaneScreen, OfAnIdleHarnessShowsAnEmptyPrompt) {
  for (const auto* file : {"claude_idle_first", "claude_idle", "claude_help", "codex_idle", "codex_idle_later",
                           "gemini_idle", "copilot_idle", "opencode_idle", "opencode_idle_later"})
    EXPECT_EQ(summary(seen(file)), "prompt") << file;
}

TEST(PaneScreen, OfADialogSaysWhatItAsks) {
  EXPECT_EQ(seen("claude_question").asks, "Which colour?");
  EXPECT_EQ(seen("claude_auto_mode_offer").asks, "Make auto mode your default permission mode?");
  EXPECT_EQ(seen("claude_model_list").asks, "Select model");
  EXPECT_EQ(seen("claude_permission").asks, "Do you want to proceed?");
  EXPECT_EQ(seen("copilot_trust").asks, "Do you trust the files in this folder?");
  EXPECT_EQ(seen("claude_trust").asks, "Quick safety check: Is this a project you created or one you trust?");
  EXPECT_EQ(seen("claude_resume").asks, "Resume session");
  EXPECT_EQ(seen("claude_idle").asks, "");
  EXPECT_EQ(seen("claude_draft_two_lines").asks, "");
}

TEST(PaneScreen, OfABusyHarnessIsBusyAlthoughItsPromptIsVisible) {  // G237
  for (const auto* file : {"claude_busy", "codex_busy", "gemini_busy", "opencode_busy"})
    EXPECT_EQ(summary(seen(file)), "prompt busy") << file;
}

TEST(PaneScreen, OfABusyHarnessWithADraftShowsBoth) {
  for (const auto* file : {"claude_busy_with_draft", "codex_busy_with_draft", "gemini_busy_with_draft"}) {
    EXPECT_EQ(summary(seen(file)), "prompt busy draft") << file;
    EXPECT_TRUE(seen(file).draft.starts_with("queued ")) << file;
  }
}

TEST(PaneScreen, OfAHintInTheInputLineHasNoDraft) {
  EXPECT_EQ(summary(seen("claude_busy_with_hint")), "prompt busy");  // "Press up to edit queued messages"
}

TEST(PaneScreen, OfADialogOrSelectionListIsADialog) {
  for (const auto* file : {"claude_permission", "claude_question", "claude_model_list", "codex_permission",
                           "gemini_permission", "copilot_trust", "opencode_permission"})
    EXPECT_TRUE(seen(file).dialog) << file;
}

TEST(PaneScreen, WithoutADialogIsNone) {
  for (const auto* file :
       {"claude_idle", "claude_draft", "claude_busy", "claude_slash_menu", "claude_help", "codex_draft_two_lines",
        "codex_busy", "gemini_idle", "gemini_busy", "copilot_idle", "copilot_draft", "opencode_busy"})
    EXPECT_FALSE(seen(file).dialog) << file;
}

TEST(Draft, IsWhatStandsInTheInputLine) {
  EXPECT_EQ(seen("claude_draft").draft, "hello there");
  EXPECT_EQ(seen("claude_draft_cursor_inside").draft, "hello there");
  EXPECT_EQ(seen("claude_slash_menu").draft, "/mo");
  EXPECT_EQ(seen("copilot_draft").draft, "queued one");
}

TEST(Draft, MayHaveSeveralLines) {
  EXPECT_EQ(seen("claude_draft_two_lines").draft, "line one\nline two");
  for (const auto* file : {"codex_draft_two_lines", "gemini_draft_two_lines", "opencode_draft_two_lines"})
    EXPECT_EQ(seen(file).draft, "hello\nthere") << file;
}

TEST(Draft, ThatAHarnessWrapsIsStillPartOfTheText) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  EXPECT_TRUE(Likeness(words).is_part(seen("claude_draft_wrapped").draft));
  EXPECT_FALSE(Likeness("word word").is_part(seen("claude_draft_wrapped").draft));
}

TEST(Draft, MayBeALongPasteFoldedAway) {
  for (const auto* file : {"claude_folded_paste", "codex_folded_paste", "gemini_folded_paste"})
    EXPECT_TRUE(is_folded_paste(seen(file).draft)) << file << ": " << seen(file).draft;
  EXPECT_FALSE(is_folded_paste(seen("opencode_mixed_paste").draft)) << "a person's word stands behind it";
  EXPECT_FALSE(is_folded_paste("[Pasted text #1] and [Pasted text #2]"));
}

TEST(Draft, OfEmptyLinesIsADraft) {
  EXPECT_EQ(read_screen(cat(kRule, "❯ \n\n", kRule), claude()).draft, "\n");
  EXPECT_EQ(read_screen(cat(kRule, "❯ \n", kRule), claude()).draft, "");
}

TEST(Draft, OfOneLetterUnderTheCursorIsADraft) {
  EXPECT_EQ(read_screen(cat(kRule, "❯ \x1b[7ma\x1b[0m\n", kRule), claude()).draft, "a");
}

TEST(Draft, InAColourWithATwoInItIsNotDimmed) {
  EXPECT_EQ(read_screen(cat(kRule, "❯ \x1b[38;2;2;2;2mhello\x1b[0m\n", kRule), claude()).draft, "hello");
  EXPECT_EQ(read_screen(cat(kRule, "❯ \x1b[38:2::2:2:2mhello\x1b[0m\n", kRule), claude()).draft, "hello");
  EXPECT_EQ(read_screen(cat(kRule, "❯ \x1b[1;2mhello\x1b[0m\n", kRule), claude()).draft, "");
}

TEST(Draft, OfAPersonInShellModeIsThereEvenBeforeTheFirstLetter) {
  EXPECT_EQ(summary(seen("claude_shell_mode")), "prompt draft");
}

TEST(PaneScreen, OfAPanelInThePlaceOfThePromptIsADialog) {
  for (const auto* file :
       {"claude_auto_mode_offer", "claude_settings", "claude_help_panel", "claude_history_search", "claude_transcript"})
    EXPECT_TRUE(seen(file).dialog) << file;
}

TEST(PaneScreen, OfTrickyWordsInTheConversationIsIdle) { EXPECT_EQ(summary(seen("claude_tricky_words")), "prompt"); }

TEST(PaneScreen, WithoutRulesAroundThePromptHasNone) {
  EXPECT_FALSE(read_screen("❯ an earlier question\n\n● its answer\n", claude()).prompt);
  EXPECT_FALSE(read_screen("hello\n", claude()).prompt);
  EXPECT_FALSE(read_screen("", claude()).prompt);
  EXPECT_FALSE(read_screen("❯", claude()).prompt);
  EXPECT_FALSE(read_screen(kRule, claude()).prompt);
  EXPECT_FALSE(read_screen(cat(kRule, "hello\n", kRule), claude()).prompt);
}

TEST(PaneScreen, WithADialogAboveThePromptIsADialogToo) {
  const auto dialog = "Do you want to proceed?\n ❯ 1. Yes\n   2. No\n Esc to cancel\n\n";
  EXPECT_EQ(summary(read_screen(cat(dialog, kRule, "❯ \n", kRule), claude())), "prompt dialog");
}

TEST(PaneScreen, OfAnAgentThatTalksAboutInterruptsOrOptionsIsIdle) {
  const auto talk = "● Press esc to interrupt.\n\n● 1. First\n  2. Second\n\n";
  EXPECT_EQ(summary(read_screen(cat(talk, kRule, "❯ \n", kRule, "  ? for shortcuts\n"), claude())), "prompt");
}

TEST(PaneScreen, MovesWithTheConversationNotWithTheInputLine) {
  EXPECT_EQ(seen("claude_idle_first").body, seen("claude_draft").body);
  EXPECT_NE(seen("claude_idle_first").body, seen("claude_busy").body);
  EXPECT_EQ(seen("codex_busy").body.find("Ask Codex"), std::string::npos);
}

TEST(PaneScreen, OfARawSessionIsReadyWhateverItShows) {
  for (const auto* capture : {"", "hello\n\n\n", "$ ", "1. one\n2. two\n", "esc to interrupt\n"})
    EXPECT_EQ(summary(read_screen(capture, raw_profile())), "prompt") << capture;
  EXPECT_EQ(read_screen("one\n two\n\n\n", raw_profile()).body, "one\n two\n");
}

TEST(PaneScreen, OfARawSessionWithADialogIsADialog) {
  const std::string dialog = "Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n";
  EXPECT_EQ(summary(read_screen(dialog, raw_profile())), "prompt dialog");
  EXPECT_EQ(summary(read_screen(cat(dialog, std::string(20, '\n'), "$ "), raw_profile())), "prompt") << "long ago";
}

TEST(Profile, OfAnUnknownHarnessIsAnErrorThatNamesTheKnownOnes) {
  const auto profile = harness_profile("emacs");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, Code::not_found);
  EXPECT_NE(profile.error().hint.find("codex"), std::string::npos);
}

}  // namespace
}  // namespace townpost
