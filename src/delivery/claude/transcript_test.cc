#include "delivery/claude/transcript.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/files.h"
#include "base/text.h"

namespace townpost {
namespace {

constexpr std::string_view kId = "hq-n-1yqjn";

/// A transcript as Claude Code 2.1.325 writes it, as far as it matters here. Each line has a name, and names the one
/// that it follows.
class Transcript : public testing::Test {
 protected:
  void line(const std::string& type, const std::string& uuid, const std::string& follows, const std::string& more) {
    raw(cat(R"({"parentUuid":)", follows.empty() ? "null" : cat('"', follows, '"'), R"(,"isSidechain":)",
            in_subagent ? "true" : "false", R"(,"type":")", type, R"(",)", more, R"(,"uuid":")", uuid, R"("})"));
  }
  void raw(const std::string& text) { std::ofstream(file, std::ios::app) << text << "\n"; }

  void typed(const std::string& uuid, const std::string& follows, const std::string& text = "go on") {
    line(
        "user", uuid, follows,
        cat(R"("message":{"role":"user","content":")", text, R"("},"origin":{"kind":"human"},"promptSource":"typed")"));
  }
  void woken(const std::string& uuid, const std::string& follows, const std::string& text) {
    line("user", uuid, follows,
         cat(R"("message":{"role":"user","content":"<task-notification>\n)", text,
             R"("},"origin":{"kind":"task-notification"})"));
  }
  void interrupted(const std::string& uuid, const std::string& follows) {
    line("user", uuid, follows,
         R"("message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]})");
  }
  void tool_said(const std::string& uuid, const std::string& follows, const std::string& text = "done") {
    line("user", uuid, follows,
         cat(R"("message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":")", text,
             R"("}]})"));
  }
  void answer(const std::string& uuid, const std::string& follows, const std::string& text = "ok") {
    line("assistant", uuid, follows,
         cat(R"("message":{"role":"assistant","content":[{"type":"text","text":")", text, R"("}]})"));
  }
  void context(const std::string& uuid, const std::string& follows) { hook("hook_additional_context", uuid, follows); }
  void hook(const std::string& kind, const std::string& uuid, const std::string& follows) {
    line("attachment", uuid, follows,
         cat(R"("attachment":{"type":")", kind, R"(","content":["[)", kId, R"(] nudge from your user"]})"));
  }
  void request() {
    raw(cat(R"({"type":"api-request-blob","content":[{"type":"text","text":"[)", kId, R"(] nudge from your user"}]})"));
  }
  std::optional<bool> shows() const { return transcript_shows(file, kId); }

  TemporaryFolder folder = TemporaryFolder::make("gt-transcript-").value();
  const std::filesystem::path file = folder.path() / "s1.jsonl";
  bool in_subagent = false;
};

TEST_F(Transcript, ThatIsNotThereTellsNothing) {
  EXPECT_EQ(shows(), std::nullopt);
  EXPECT_EQ(transcript_shows({}, kId), std::nullopt);
}

TEST_F(Transcript, WithoutTheIdDoesNotShowIt) {
  raw(R"({"type":"mode","mode":"normal"})");
  EXPECT_EQ(shows(), false);
  typed("p1", "");
  answer("a1", "p1");
  EXPECT_EQ(shows(), false);
}

TEST_F(Transcript, ShowsWhatWentWithAPromptOnceThereIsAnAnswer) {
  typed("p1", "");
  context("c1", "p1");
  request();
  EXPECT_EQ(shows(), false) << "the prompt may still be taken back, or was";
  answer("a1", "c1");
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, DoesNotShowWhatWentWithAPromptThatWasTakenBack) {
  typed("p1", "");
  answer("a1", "p1");
  typed("p2", "a1");
  context("c2", "p2");
  request();
  EXPECT_EQ(shows(), false);
  typed("p3", "a1");
  EXPECT_EQ(shows(), false);
  answer("a3", "p3");
  EXPECT_EQ(shows(), false);
  raw(R"({"type":"last-prompt","leafUuid":"a3"})");
  EXPECT_EQ(shows(), false);
}

TEST_F(Transcript, ShowsWhatWasGivenAgainAfterAPromptWasTakenBack) {
  typed("p1", "");
  context("c1", "p1");
  typed("p2", "");
  context("c2", "p2");
  answer("a2", "c2");
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, ShowsWhatATurnWasGivenThatWasInterruptedLater) {
  typed("p1", "");
  context("c1", "p1");
  answer("a1", "c1");
  interrupted("i1", "a1");
  EXPECT_EQ(shows(), true);
  typed("p2", "i1");
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, ShowsWhatTheSessionWasWokenWithAtOnce) {
  typed("p1", "");
  answer("a1", "p1");
  woken("w2", "a1", std::string(kId));
  EXPECT_EQ(shows(), true);
  interrupted("i2", "w2");
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, ShowsWhatTheSessionWasGivenAtItsStartThoughItsFirstPromptWasTakenBack) {
  context("c0", "");
  typed("p1", "c0");
  EXPECT_EQ(shows(), true);
  typed("p2", "c0");
  answer("a2", "p2");
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, ShowsWhatWentWithAnyOfTheToolsThatRanAtOnce) {
  typed("p1", "");
  answer("a1", "p1");
  answer("a2", "a1");
  tool_said("t2", "a2");
  context("c2", "t2");
  EXPECT_EQ(shows(), true);
  tool_said("t1", "a1");
  answer("a3", "t1");
  EXPECT_EQ(shows(), true) << "the next words follow the other tool";
  typed("p4", "");
  answer("a4", "p4");
  EXPECT_EQ(shows(), false) << "a person went back to before that turn";
}

TEST_F(Transcript, ShowsWhatStoodThereBeforeACompaction) {
  typed("p1", "");
  context("c1", "p1");
  answer("a1", "c1");
  line("system", "b1", "", R"("subtype":"compact_boundary","logicalParentUuid":"a1")");
  typed("p2", "b1", "This session is being continued from a previous conversation");
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, DoesNotShowWhatWasOnlyNoted) {
  typed("p1", "");
  hook("hook_success", "h1", "p1");
  line("system", "s1", "h1", cat(R"("subtype":"stop_hook_summary","hookAdditionalContext":[")", kId, R"("])"));
  raw(cat(R"({"type":"queue-operation","operation":"enqueue","content":")", kId, R"("})"));
  answer("a1", "s1");
  EXPECT_EQ(shows(), false);
}

TEST_F(Transcript, DoesNotShowAnIdThatAToolAPersonOrTheModelNamed) {
  const std::string listed = cat("[", kId, "] queued nudge from your user");
  typed("p1", "", cat("what is ", listed, "?"));
  answer("a1", "p1", listed);
  tool_said("t1", "a1", listed);
  line("attachment", "f1", "t1", cat(R"("attachment":{"type":"edited_text_file","snippet":")", listed, R"("})"));
  line("attachment", "q1", "f1",
       cat(R"("attachment":{"type":"queued_command","commandMode":"prompt","prompt":")", listed, R"("})"));
  answer("a2", "q1");
  EXPECT_EQ(shows(), false);
}

TEST_F(Transcript, ShowsWhatAWaitingHookBroughtInTheMiddleOfATurn) {
  typed("p1", "");
  answer("a1", "p1");
  line("attachment", "q1", "a1",
       cat(R"("attachment":{"type":"queued_command","commandMode":"task-notification","prompt":")", kId, R"("})"));
  answer("a2", "q1");
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, ThatIsAPipeOrADeviceTellsNothingAndIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(shows(), std::nullopt);
  EXPECT_EQ(transcript_shows("/dev/zero", kId), std::nullopt);
  EXPECT_EQ(transcript_shows(folder.path(), kId), std::nullopt);
}

TEST_F(Transcript, DoesNotShowWhatASubagentSaw) {
  typed("p1", "");
  answer("a1", "p1");
  in_subagent = true;
  typed("s1", "a1", std::string(kId));
  answer("s2", "s1");
  in_subagent = false;
  tool_said("t1", "a1");
  answer("a2", "t1");
  EXPECT_EQ(shows(), false);
}

TEST_F(Transcript, IsReadUpToTheLineThatIsBeingWritten) {
  typed("p1", "");
  context("c1", "p1");
  answer("a1", "c1");
  std::ofstream(file, std::ios::app) << R"({"parentUuid":"a1","type":"user","uuid":"p)";
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, ThatIsLongIsReadFromItsMiddle) {
  typed("p0", "");
  for (int i = 1; i <= 60; ++i) typed(cat("p", i), cat("p", i - 1), std::string(100'000, 'x'));
  context("c", "p60");
  answer("a", "c");
  EXPECT_EQ(shows(), true);
}

TEST_F(Transcript, ThatMakesNoSenseShowsNothing) {
  context("c1", "c2");
  context("c2", "c1");
  typed("p1", "p1");
  raw(cat(R"([)", kId, R"(])"));
  raw(cat(R"({"uuid":7,"type":"user","message":")", kId, R"("})"));
  line("user", "p2", "nowhere", R"("message":[],"origin":"human")");
  EXPECT_EQ(shows(), false);
}

}  // namespace
}  // namespace townpost
