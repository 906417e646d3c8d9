#include <gtest/gtest.h>

#include "base/text.h"
#include "protocol/parse.h"

namespace townpost::protocol {
namespace {

std::vector<Problem> problems(std::string_view subject, std::string_view body, std::string_view type = {}) {
  return parse(TypeRegistry::built_in(), {subject, body, type}, {.strictness = Strictness::strict}).problems();
}

std::string fields_of(const std::vector<Problem>& found) {
  std::vector<std::string> out;
  for (const Problem& problem : found) out.push_back(cat(problem.field, "@", problem.line));
  return join(out, " ");
}

TEST(Strict, ReportsEverythingAtOnceWithFieldAndLine) {
  const auto found = problems("SPAWN_REQUEST", "Resume: perhaps");
  EXPECT_EQ(fields_of(found), "issue_id@0 resume@1");
  EXPECT_EQ(fields_of(problems("CHECKPOINT", "Bead: a-1\nReason: TIRED\n\n## Progress\n- Context usage: lots")),
            "checkpoint_reason@2 context_usage@5");
  EXPECT_EQ(fields_of(problems("MERGE_FAILED nux",
                               "Branch: b\nIssue: i\nPolecat: p\nFailed-At: now\nFailure-Type: bad luck\n\nout")),
            "rig@0 target@0 failed_at@4 failure_type@5 error@0");
  EXPECT_EQ(fields_of(problems("FAILED", "## Failure\nType: OTHER\nInternal Attempts: three")),
            "bead_id@0 failure_type@2 reason@0 internal_attempts@3");
}

TEST(Strict, SaysWhatIsWrongAndWhereItBelongs) {
  const auto found = problems("[a-1] FAILED", "");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Problem{"failure_type", "\"Type:\" in the section \"## Failure\" is missing", 0}));
  EXPECT_EQ(problems("[a-1] HELP_REQUEST", "Issue Type: STUCK").at(0).message, "the section \"## Problem\" is missing");
  EXPECT_EQ(problems("[a-1] HELP_REQUEST", "Issue Type: SAD\n## Problem\nx").at(0).message,
            "\"SAD\" is none of STUCK|SPEC_UNCLEAR|BLOCKED|TECHNICAL");
}

TEST(Strict, AnUnknownTypeIsNamed) {
  EXPECT_EQ(problems("hello \x1b", "").at(0).message, "the subject \"hello \\x1b\" names no known type");
  EXPECT_EQ(problems("DONE", "", "GONE").at(0).message, "the subject \"DONE\" names no known type, nor does \"GONE\"");
}

TEST(Strict, AFieldMayBeRequiredByTheValueOfAnother) {
  EXPECT_EQ(fields_of(problems("POLECAT_DONE n", "Exit: MERGED\nIssue: i\nBranch: b")), "mr@0");
  EXPECT_EQ(fields_of(problems("POLECAT_DONE n", "Exit: merged\nIssue: i\nBranch: b")), "mr@0");
  EXPECT_EQ(fields_of(problems("POLECAT_DONE n", "Exit: ESCALATED\nIssue: i\nBranch: b")), "");
  EXPECT_EQ(problems("SPAWN_REQUEST", "Issue: i\nResume: yes").at(0).message,
            "\"Checkpoint:\" is missing although resume is true");
}

TEST(Strict, InstantsNeedAnOffset) {
  const auto started = [](std::string_view at) {
    return fields_of(problems("[a-1] BEAD_ACCEPTED", cat("Starting implementation at: ", at)));
  };
  EXPECT_EQ(started("2026-01-31T10:30:00Z"), "");
  EXPECT_EQ(started("2026-01-31t10:30:00.25+02:00"), "");
  for (const char* at : {"2026-01-31T10:30:00", "2026-01-31", "yesterday", "2026-02-30T10:30:00Z"})
    EXPECT_EQ(started(at), "started_at@1") << at;
}

TEST(Strict, PercentsLieBetween0And100) {
  for (const char* value : {"0", "100%", "+7"})
    EXPECT_EQ(fields_of(problems("[a-1] PROGRESS", cat("Context usage: ", value))), "") << value;
  for (const char* value : {"101%", "-1", "45.5%", "~45"})
    EXPECT_EQ(fields_of(problems("[a-1] PROGRESS", cat("Context usage: ", value))), "context_usage@1") << value;
}

TEST(Strict, AFlagIsOneWord) {
  EXPECT_EQ(fields_of(problems("[a-1] DONE", "## Self-Validation\n- Tests: ok\n- Lint: NO")), "");
  EXPECT_EQ(fields_of(problems("[a-1] DONE", "## Self-Validation\n- Tests: PASS (42)\n- Lint: skipped")),
            "tests_pass@2 lint_pass@3");
}

TEST(Strict, LinesAreThoseOfTheBodyWhateverItsLineEnds) {
  EXPECT_EQ(fields_of(problems("[a-1] PROGRESS", "Files touched:\r\n- a\r\n- b\r\nContext usage: x\r\n")),
            "context_usage@4");
}

TEST(Strict, FreeBodiesAndWhatIsCompleteHaveNoProblems) {
  EXPECT_EQ(fields_of(problems("ALERT: fire", "")), "");
  EXPECT_EQ(fields_of(problems("HELP_RESPONSE", "Look there")), "");
  EXPECT_EQ(fields_of(problems("[a-1] DONE", "")), "");
  EXPECT_EQ(fields_of(problems("anything", "", "coordination")), "");
}

TEST(Strict, TheResultIsTheLenientOne) {
  const RawMessage letter{"[a-1] PROGRESS x", "Step: s\nContext usage: 101%\n\ntext"};
  const auto strict = parse(TypeRegistry::built_in(), letter, {.strictness = Strictness::strict});
  EXPECT_EQ(strict.json(), parse(TypeRegistry::built_in(), letter).json());
  EXPECT_EQ(strict.problems().size(), 1u);
}

}  // namespace
}  // namespace townpost::protocol
