// The documented cases of the protocol, by their ids. (G269, a stale POLECAT_DONE, is the witness's matter.)
#include <gtest/gtest.h>

#include "base/text.h"
#include "protocol/build.h"
#include "protocol/filters.h"
#include "protocol/typed_message.h"

namespace townpost::protocol {
namespace {

Parsed read(std::string_view subject, std::string_view body, Strictness strictness = Strictness::lenient) {
  return parse(TypeRegistry::built_in(), {subject, body}, {.strictness = strictness});
}

bool has_problem(const Parsed& parsed, std::string_view field) {
  for (const Problem& problem : parsed.problems())
    if (problem.field == field) return true;
  return false;
}

Built must_build(std::string_view type, const JsonObject& fields) {
  auto built = build(TypeRegistry::built_in(), type, fields);
  EXPECT_TRUE(built.has_value()) << (built ? "" : built.error().message);
  return built ? *built : Built{};
}

using List = std::vector<std::string_view>;

const JsonObject kMergeFields = {
    {"branch", "b"}, {"issue", "gt-1"}, {"polecat", "nux"}, {"rig", "gp"}, {"target", "main"}};

TEST(Cases, G250_ATypeAloneAndWithSpaceAround) {
  EXPECT_EQ(read("MERGE_READY", "").type_name(), "MERGE_READY");
  EXPECT_EQ(read("  MERGE_READY nux  ", "").type_name(), "MERGE_READY");
}

TEST(Cases, G254_TheRefinerysThreeAnswers) {
  JsonObject merged = kMergeFields;
  merged["merged_at"] = "2026-01-31T10:30:00Z";
  merged["merge_commit"] = "abc123";
  EXPECT_NE(must_build("MERGED", merged).body.find("Merge-Commit: abc123"), std::string::npos);

  JsonObject failed = kMergeFields;
  failed["failed_at"] = "2026-01-31T10:30:00Z";
  failed["failure_type"] = "tests";
  failed["error"] = "2 tests failed";
  const auto failed_body = must_build("MERGE_FAILED", failed).body;
  EXPECT_NE(failed_body.find("Failure-Type: tests\nError: 2 tests failed"), std::string::npos) << failed_body;

  JsonObject rework = kMergeFields;
  rework["requested_at"] = "2026-01-31T10:30:00Z";
  rework["conflict_files"] = JsonArray{"a", "b"};
  const auto rework_body = must_build("REWORK_REQUEST", rework).body;
  EXPECT_NE(rework_body.find("Conflict-Files: a, b\n\nPlease rebase"), std::string::npos) << rework_body;
  EXPECT_NE(rework_body.find("git rebase origin/main\n"), std::string::npos) << rework_body;

  for (const char* name : {"MERGED", "MERGE_FAILED", "REWORK_REQUEST"}) {
    EXPECT_EQ(TypeRegistry::built_in().find(name)->sender, "refinery");
    EXPECT_EQ(TypeRegistry::built_in().find(name)->receiver, "witness");
  }
}

TEST(Cases, G259_ConflictFiles) {
  EXPECT_EQ(read("REWORK_REQUEST nux", "Conflict-Files: file1.go, file2.go").list("conflict_files"),
            (List{"file1.go", "file2.go"}));
}

TEST(Cases, G265_PolecatDone) {
  const Parsed full = read("POLECAT_DONE nux", "Exit: MERGED\nIssue: gt-1\nMR: mr-2\nBranch: polecat/nux");
  EXPECT_EQ(full.fields(),
            (JsonObject{{"exit", "MERGED"}, {"issue", "gt-1"}, {"mr", "mr-2"}, {"branch", "polecat/nux"}}));
  const Parsed part = read("POLECAT_DONE nux", "Exit: DEFERRED");
  EXPECT_EQ(part.value("issue"), "");
  EXPECT_EQ(part.fields(), (JsonObject{{"exit", "DEFERRED"}}));
}

TEST(Cases, G270_Help) {
  const std::string_view body = "Agent: gp/nux\nIssue: gt-1\nProblem: tests hang\nTried: a restart";
  const Parsed help = read("HELP: stuck on tests", body);
  EXPECT_EQ(help.type_name(), "HELP");
  EXPECT_EQ(help.topic(), "stuck on tests");
  EXPECT_EQ(help.fields(),
            (JsonObject{{"agent", "gp/nux"}, {"issue", "gt-1"}, {"problem", "tests hang"}, {"tried", "a restart"}}));
  EXPECT_NE(read("Help me please", body).type_name(), "HELP");
}

TEST(Cases, G285_RecoveredBead) {
  EXPECT_EQ(read("RECOVERED_BEAD gt-a", "").topic(), "gt-a");
  EXPECT_EQ(read("RECOVERED_BEAD   gt-a  ", "").topic(), "gt-a");
  EXPECT_EQ(read("RECOVERED_BEAD   gt-a  ", "").bead_id(), "gt-a");
}

TEST(Cases, G287_TheRigOfThePolecat) {
  EXPECT_EQ(read("RECOVERED_BEAD gt-a", "Polecat: gastown/max").rig(), "gastown");
  EXPECT_EQ(read("RECOVERED_BEAD gt-a", "").rig(), "");
  EXPECT_EQ(read("RECOVERED_BEAD gt-a", "Polecat: max").rig(), "");
}

TEST(Cases, A002_ABeadFromTheSubject) {
  const Parsed accepted = read("[ol-527.1] BEAD_ACCEPTED", "Starting work on authentication middleware");
  EXPECT_EQ(accepted.type_name(), "BEAD_ACCEPTED");
  EXPECT_EQ(accepted.bead_id(), "ol-527.1");
  EXPECT_EQ(accepted.text(), "Starting work on authentication middleware");
}

TEST(Cases, A004_AHelpRequest) {
  const auto message = read_message(
      TypeRegistry::built_in(),
      JsonObject{{"subject", "HELP_REQUEST"},
                 {"ack_required", true},
                 {"body_md",
                  "Bead: ol-527.2\nIssue Type: STUCK\n\n## Problem\nCannot find the config\n\n## What I Tried\n- a\n- "
                  "b\n\n## Files Touched\n- src/main.py\n- lib/utils.py\n\n## Question\nWhere is it?"}});
  ASSERT_TRUE(message.has_value());
  EXPECT_TRUE(message->ack_required);
  EXPECT_EQ(message->parsed.fields(), (JsonObject{{"bead_id", "ol-527.2"},
                                                  {"issue_type", "STUCK"},
                                                  {"problem", "Cannot find the config"},
                                                  {"what_tried", "- a\n- b"},
                                                  {"files_touched", JsonArray{"src/main.py", "lib/utils.py"}},
                                                  {"question", "Where is it?"}}));
}

TEST(Cases, A005_A007_IssueTypes) {
  for (const char* type : {"STUCK", "SPEC_UNCLEAR", "BLOCKED", "TECHNICAL"})
    EXPECT_EQ(
        read("HELP_REQUEST", cat("Bead: test-123\nIssue Type: ", type, "\n\n## Problem\nTest")).value("issue_type"),
        type);
}

constexpr std::string_view kOffering =
    "Bead: ol-527.3\nStatus: DONE\n\n## Changes\n- Commit: abc123def\n- Files: a.py, b.py, c.py\n\n## "
    "Self-Validation\n- Tests: PASS\n- Lint: PASS\n- Build: PASS\n\n## Summary\nIt works.";

TEST(Cases, A009_AnOffering) {
  const Parsed offering = read("OFFERING_READY", kOffering, Strictness::strict);
  EXPECT_EQ(offering.value("commit_sha"), "abc123def");
  EXPECT_EQ(offering.list("files").size(), 3u);
  for (const char* flag : {"tests_pass", "lint_pass", "build_pass"}) EXPECT_EQ(offering.flag(flag), true) << flag;
  EXPECT_EQ(offering.value("summary"), "It works.");
  EXPECT_TRUE(is_completion(offering) && is_success(offering));
  EXPECT_TRUE(offering.problems().empty());
}

TEST(Cases, A010_Done) {
  const Parsed done = read("[ol-527.3] DONE", "Status: DONE\n\n## Changes\n- Commit: abc\n- Files: a.py");
  EXPECT_EQ(done.type_name(), "DONE");
  EXPECT_EQ(done.list("files"), (List{"a.py"}));
  EXPECT_TRUE(is_completion(done) && is_success(done));
}

TEST(Cases, A012_To_A016_FailureTypes) {
  for (const char* type : {"TESTS_FAIL", "BUILD_FAIL", "SPEC_IMPOSSIBLE", "CONTEXT_HIGH", "ERROR"}) {
    const Parsed failed = read("FAILED", cat("Bead: test-123\n\n## Failure\nType: ", type, "\nReason: Test failure"));
    EXPECT_EQ(failed.value("failure_type"), type);
    EXPECT_EQ(failed.value("status"), "FAILED");
  }
}

TEST(Cases, A017_ACheckpoint) {
  const Parsed checkpoint =
      read("CHECKPOINT",
           "Bead: ol-527.5\nReason: CONTEXT_HIGH\n\n## Progress\n- Commit: jkl012\n- Description: half done\n- Context "
           "usage: 85%\n\n## Next Steps for Successor\n1. test\n2. ship");
  EXPECT_EQ(checkpoint.fields(), (JsonObject{{"bead_id", "ol-527.5"},
                                             {"checkpoint_reason", "CONTEXT_HIGH"},
                                             {"partial_commit_sha", "jkl012"},
                                             {"progress", "half done"},
                                             {"context_usage", 85},
                                             {"next_steps", "1. test\n2. ship"}}));
  EXPECT_TRUE(is_completion(checkpoint) && !is_success(checkpoint));
}

TEST(Cases, A019_SpawnAck) {
  const Parsed ack = read("SPAWN_ACK", "Issue: ol-527.6\nStatus: spawned\nSession: demigod-ol-527-6");
  EXPECT_EQ(ack.fields(),
            (JsonObject{{"issue_id", "ol-527.6"}, {"status", "spawned"}, {"session", "demigod-ol-527-6"}}));
}

TEST(Cases, A020_AnUnknownType) {
  const Parsed unknown = read("RANDOM_MESSAGE", "Some content");
  EXPECT_EQ(unknown.type_name(), "UNKNOWN");
  EXPECT_EQ(unknown.text(), "Some content");
  EXPECT_TRUE(unknown.problems().empty());
}

TEST(Cases, A029_A030_A032_IdsOfSubjects) {
  EXPECT_EQ(read("[test-123] DONE", "").bead_id(), "test-123");
  EXPECT_EQ(read("[ag-p43.13] OFFERING_READY", "").bead_id(), "ag-p43.13");
  EXPECT_EQ(read("PROGRESS", "").bead_id(), "");
}

TEST(Cases, A034_FlagsThatAreNo) {
  const Parsed offering = read("OFFERING_READY",
                               "Bead: test-fail\nStatus: DONE\n\n## Self-Validation\n- Tests: FAIL\n- Lint: PASS\n- "
                               "Build: FAIL");
  EXPECT_EQ(offering.flag("tests_pass"), false);
  EXPECT_EQ(offering.flag("lint_pass"), true);
  EXPECT_EQ(offering.flag("build_pass"), false);
}

TEST(Cases, A035_A037_A069_A070_Lists) {
  const auto files = [](std::string_view body) { return read("PROGRESS", body).list("files_touched").size(); };
  EXPECT_EQ(read("PROGRESS", "Files touched: src/auth.py, tests/test_auth.py, lib/utils.py").list("files_touched"),
            (List{"src/auth.py", "tests/test_auth.py", "lib/utils.py"}));
  EXPECT_EQ(read("HELP_REQUEST", "## Files Touched\n- src/auth.py\n- tests/test_auth.py").list("files_touched"),
            (List{"src/auth.py", "tests/test_auth.py"}));
  EXPECT_EQ(files("Files touched: only.go"), 1u);
  EXPECT_EQ(read("PROGRESS", "Files touched:\n- a\n- b").list("files_touched"), (List{"a", "b"}));
}

TEST(Cases, A039_To_A045_SubjectsAndTheirIds) {
  const Parsed lower_case = read("[ol-1] done", "Status: DONE");  // A039
  EXPECT_EQ(lower_case.type_name(), "DONE");
  EXPECT_EQ(lower_case.bead_id(), "ol-1");
  const Parsed reply = read("Re: [ol-1] DONE", "Bead: ol-9");  // A040
  EXPECT_EQ(reply.type_name(), "DONE");
  EXPECT_EQ(reply.bead_id(), "ol-9");
  const Parsed empty = read("[] DONE", "x");  // A042
  EXPECT_EQ(empty.type_name(), "DONE");
  EXPECT_EQ(empty.bead_id(), "");
  const Parsed hyphens = read("ol-527-1: PROGRESS", "x");  // A044
  EXPECT_EQ(hyphens.type_name(), "PROGRESS");
  EXPECT_EQ(hyphens.bead_id(), "");
  EXPECT_EQ(read("ol-527.1 : PROGRESS", "x").bead_id(), "");  // A045
}

TEST(Cases, A047_A052_A054_WhichTypeItIs) {
  EXPECT_EQ(read("PROGRESS FAILED DONE", "Bead: a-1").type_name(), "PROGRESS");
  EXPECT_EQ(
      parse(TypeRegistry::built_in(), {"PROGRESS FAILED DONE", "Bead: a-1"}, {.compat = Compat::agentops}).type_name(),
      "PROGRESS");
  EXPECT_EQ(read("MERGE_FAILED nux", "Branch: b").type_name(), "MERGE_FAILED");
  EXPECT_EQ(read("HELP: stuck on tests", "Agent: a").type_name(), "HELP");
}

TEST(Cases, A055_A057_A059_A077_TheBeadOfTheBody) {
  EXPECT_EQ(read("[s-1] PROGRESS", "Accepted bead: b-1\nStep: x").bead_id(), "b-1");
  EXPECT_EQ(read("[s-1] PROGRESS", "Bead:\nStep: x").bead_id(), "s-1");
  EXPECT_EQ(read("PROGRESS", "  Bead:   a-1  ").bead_id(), "a-1");
  EXPECT_EQ(read("HELP_RESPONSE", "Bead: h-1\nLook here").bead_id(), "h-1");
}

TEST(Cases, A062_CrlfIsLf) {
  const Parsed progress = read("PROGRESS", "Bead: a-1\r\nStep: s\r\nContext usage: 9%\r\n");
  EXPECT_EQ(progress.value("step"), "s");
  EXPECT_EQ(progress.number("context_usage"), 9);
}

TEST(Cases, A064_A065_A067_Percents) {
  const Parsed too_much = read("PROGRESS", "Context usage: 101%", Strictness::strict);
  EXPECT_EQ(too_much.number("context_usage"), 101);
  EXPECT_TRUE(has_problem(too_much, "context_usage"));
  EXPECT_TRUE(read("PROGRESS", "Context usage: 101%").problems().empty());
  for (const char* value : {"~45%", "45.5%", "lots"})
    EXPECT_FALSE(read("PROGRESS", cat("Context usage: ", value)).has("context_usage")) << value;
  EXPECT_EQ(read("PROGRESS", "Context usage: +7").number("context_usage"), 7);
}

TEST(Cases, A072_A074_A075_A080_Sections) {
  const Parsed help = read("HELP_REQUEST", "## PROBLEM\nline1\nline2\n\n### Detail\nmore\n## Question\nWhy?");
  EXPECT_EQ(help.value("problem"), "line1\nline2\n\n### Detail\nmore");
  EXPECT_EQ(help.value("question"), "Why?");
  EXPECT_EQ(read("HELP_REQUEST", "## Problem: inline\nbody").value("problem"), "body");
  EXPECT_EQ(read("HELP_REQUEST", "## Problem\nUse `##` to start").value("problem"), "Use `##` to start");
  EXPECT_EQ(read("DONE", "## Summary\nOne\n## Summary\nTwo").value("summary"), "One");
}

TEST(Cases, A079_A082_A084_A085_FieldsInTheirSections) {
  EXPECT_FALSE(read("DONE", "Commit: top\nBead: d-1").has("commit_sha"));
  const Parsed failed = read("FAILED", "## Failure\nType: build_fail\nReason: R: x\nInternal Attempts: three");
  EXPECT_EQ(failed.value("failure_type"), "BUILD_FAIL");
  EXPECT_EQ(failed.value("reason"), "R: x");
  EXPECT_FALSE(failed.has("internal_attempts"));
  const Parsed checkpoint =
      read("CHECKPOINT",
           "Reason: TIMEOUT\nContext usage: 50%\n## Progress\n- Commit: k\n- Description: d\n- Context usage: 85%\n## "
           "Next Steps for Successor\n1. a\n2. b");
  EXPECT_EQ(checkpoint.number("context_usage"), 85);
  EXPECT_EQ(checkpoint.value("progress"), "d");
  EXPECT_EQ(checkpoint.value("next_steps"), "1. a\n2. b");
  EXPECT_FALSE(read("CHECKPOINT", "## Progress\n- Description: Reason: inner").has("checkpoint_reason"));
}

TEST(Cases, A087_ASpawnRequest) {
  const Parsed spawn = read("SPAWN_REQUEST", "Issue: s-2\nBead: s-1\nResume: 1");
  EXPECT_EQ(spawn.issue_id(), "s-2");
  EXPECT_EQ(spawn.flag("resume"), false);
}

TEST(Cases, A089_NothingAtAll) {
  EXPECT_EQ(read("", "").type_name(), "UNKNOWN");
  EXPECT_TRUE(read("", "").problems().empty());
  EXPECT_TRUE(has_problem(read("", "", Strictness::strict), "type"));
}

TEST(Cases, A094_A095_WhatStrictModeMisses) {
  EXPECT_TRUE(has_problem(read("FAILED", "Bead: a-1", Strictness::strict), "failure_type"));
  EXPECT_TRUE(has_problem(read("SPAWN_REQUEST", "Issue: a-1\nResume: true", Strictness::strict), "checkpoint"));
  EXPECT_TRUE(read("SPAWN_REQUEST", "Issue: a-1\nResume: false", Strictness::strict).problems().empty());
}

}  // namespace
}  // namespace townpost::protocol
