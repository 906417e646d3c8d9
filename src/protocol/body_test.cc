// The grammar of bodies, rule by rule.
#include <gtest/gtest.h>

#include "base/text.h"
#include "protocol/parse.h"

namespace townpost::protocol {
namespace {

Parsed read(std::string_view subject, std::string_view body) {
  return parse(TypeRegistry::built_in(), {subject, body});
}

using List = std::vector<std::string_view>;

TEST(Body, AKeyStandsAtTheStartOfALineBehindAnOptionalBullet) {
  for (const char* line :
       {"Step: x", "- Step: x", "* Step: x", "  Step:x", "\t-  Step:  x  ", "-\tStep: x", "Step: x\r"})
    EXPECT_EQ(read("PROGRESS", line).value("step"), "x") << line;
  for (const char* line :
       {"the Step: x", "-Step: x", "> Step: x", "Step : x", "**Step:** x", "- - Step: x", "Step", "+ Step: x"})
    EXPECT_FALSE(read("PROGRESS", line).has("step")) << line;
}

TEST(Body, KeysAreExactInAgentMailAndWithoutCaseInGasTown) {
  EXPECT_FALSE(read("PROGRESS", "step: x").has("step"));
  EXPECT_FALSE(read("PROGRESS", "Context Usage: 5").has("context_usage"));
  EXPECT_EQ(read("MERGED nux", "MERGE-COMMIT: x\nmerged-at: y").value("merge_commit"), "x");
  EXPECT_EQ(read("MERGED nux", "MERGE-COMMIT: x\nmerged-at: y").value("merged_at"), "y");
}

TEST(Body, TheFirstValueWinsAndAnEmptyOneFallsThrough) {
  EXPECT_EQ(read("PROGRESS", "Step: a\nStep: b").value("step"), "a");
  EXPECT_EQ(read("PROGRESS", "Step:\nStep:   \nStep: b").value("step"), "b");
  EXPECT_EQ(read("PROGRESS", "Bead: \nAccepted bead: a-1\nBead: a-2").bead_id(), "a-1");
  EXPECT_EQ(read("DONE", "## Summary\n\n## Summary\nTwo").value("summary"), "Two");
}

TEST(Body, ATrailingCommentIsData) {
  EXPECT_EQ(read("POLECAT_DONE n", "Branch: b # if merged").value("branch"), "b # if merged");
}

TEST(Body, AValueMayHoldColonsAndAnythingElse) {
  EXPECT_EQ(read("PROGRESS", "Step: a: b\tc \xF0\x9F\x98\x80 ## d").value("step"), "a: b\tc \xF0\x9F\x98\x80 ## d");
  const std::string nul("Step: a\0b", 9);
  EXPECT_EQ(read("PROGRESS", nul).value("step"), std::string_view(nul).substr(6));
}

TEST(Body, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(read("PROGRESS", "Step: a\xFF\xC3").value("step"), "a\uFFFD\uFFFD");
  EXPECT_EQ(read("HELP: \xFFx", "").topic(), "\uFFFDx");
}

TEST(Body, OnlyCrlfIsALineEndBesidesLf) {
  const Parsed mixed = read("HELP_REQUEST", "Bead: a-1\r\n\r\n## Problem\r\none\ntwo\r\n\rthree\r\n## Question\r\nq");
  EXPECT_EQ(mixed.bead_id(), "a-1");
  EXPECT_EQ(mixed.value("problem"), "one\ntwo\n\rthree");
  EXPECT_EQ(mixed.value("question"), "q");
}

TEST(Body, ASectionGoesToTheNextHeadingOfLevelOneOrTwo) {
  const auto problem = [](std::string_view body) { return std::string(read("HELP_REQUEST", body).value("problem")); };
  EXPECT_EQ(problem("## Problem\na\n# Top\nb"), "a");
  EXPECT_EQ(problem("## Problem\na\n## Other\nb"), "a");
  EXPECT_EQ(problem("## Problem\na\n### Deep\n#### Deeper\n#hash\n##hash\n ## indented"),
            "a\n### Deep\n#### Deeper\n#hash\n##hash\n ## indented");
  EXPECT_EQ(problem("##  problem  \na"), "a");
  EXPECT_EQ(problem("##\tPROBLEM\na"), "a");
  EXPECT_EQ(problem("## Problem\n#\nb"), "");
  EXPECT_EQ(problem("## Problem"), "");
  for (const char* other : {"## Problems\na", "## The Problem\na", "### Problem\na", "# Problem\na", "##Problem\na",
                            "text ## Problem\na", "## Problem ##\na", "Problem\na"})
    EXPECT_EQ(problem(other), "") << other;
}

TEST(Body, FieldsOfASectionCountOnlyThere) {
  const Parsed done =
      read("DONE", "Commit: no\n## Notes\nCommit: no\n## changes\ntext\n- Commit: yes\n# Top\nFiles: no");
  EXPECT_EQ(done.value("commit_sha"), "yes");
  EXPECT_FALSE(done.has("files"));
  EXPECT_FALSE(read("CHECKPOINT", "# Top\n## Any\nReason: TIMEOUT").has("checkpoint_reason"));
  EXPECT_EQ(read("CHECKPOINT", "# Top\nReason: TIMEOUT\n## Any\n").value("checkpoint_reason"), "TIMEOUT");
  EXPECT_EQ(read("FAILED", "## Partial Progress\nCommit: c\nFiles: a, b").value("partial_commit_sha"), "c");
}

TEST(Body, AListIsCommaSeparatedOrTheBulletsThatFollow) {
  const auto files = [](std::string_view body) {
    const Parsed parsed = read("PROGRESS", body);
    std::vector<std::string> out;
    for (const auto item : parsed.list("files_touched")) out.emplace_back(item);
    return join(out, "|");
  };
  EXPECT_EQ(files("Files touched: a,b ,, c,"), "a|b|c");
  EXPECT_EQ(files("Files touched:\n- a, b\n* c\n  -  d \nStep: x\n- e"), "a, b|c|d");
  EXPECT_EQ(files("Files touched:\n\n- a\n- b\n\n- c"), "a|b");
  EXPECT_EQ(files("Files touched:\n- Step: x\n- a"), "") << "the next bullet is a field of its own";
  EXPECT_EQ(files("Files touched:\ntext\n- a"), "");
  EXPECT_EQ(files("Files touched: ,\nFiles touched: a"), "a");
  EXPECT_EQ(read("PROGRESS", "Files touched:\n- a\n- b\nStep: x").value("step"), "x");
}

TEST(Body, AListThatIsASectionTakesBulletsAndCommas) {
  EXPECT_EQ(read("HELP_REQUEST", "## Files Touched\n- a, b\n\n* c\nd, e\n- \n").list("files_touched"),
            (List{"a, b", "c", "d", "e"}));
  EXPECT_EQ(read("DONE", "## Changes\n- Files:\n  - a\n  - b\n- Commit: c").list("files"), (List{"a", "b"}));
  EXPECT_EQ(read("DONE", "## Changes\n- Files:\n  - a\n  - b\n- Commit: c").value("commit_sha"), "c");
}

TEST(Body, FlagsAreYesOnlyIfSomebodySaysSo) {
  const auto tests = [](std::string_view word) {
    return read("DONE", cat("## Self-Validation\n- Tests: ", word)).flag("tests_pass");
  };
  for (const char* yes : {"PASS", "pass", "True", "YES", "ok", "PASS (42 tests)", "ok, mostly"})
    EXPECT_EQ(tests(yes), true) << yes;
  for (const char* no : {"FAIL", "false", "No", "FAIL: 2", "maybe", "1", "PASSED", "not PASS"})
    EXPECT_EQ(tests(no), false) << no;
  EXPECT_EQ(tests(""), std::nullopt);
}

TEST(Body, NumbersAreWholeOrAbsent) {
  const auto context = [](std::string_view value) {
    return read("PROGRESS", cat("Context usage: ", value)).number("context_usage");
  };
  EXPECT_EQ(context("45%"), 45);
  EXPECT_EQ(context("45 %"), 45);
  EXPECT_EQ(context("-3"), -3);
  EXPECT_EQ(context("0"), 0);
  for (const char* other : {"%", "+", "+-3", "4 5", "0x10", "45%%", "99999999999999999999", "1e2"})
    EXPECT_EQ(context(other), std::nullopt) << other;
  EXPECT_FALSE(read("PROGRESS", "Context usage: lots\nContext usage: 5").has("context_usage"))
      << "the first value counts, readable or not";
}

TEST(Body, WordsOfAnEnumerationHaveTheSpellingOfTheType) {
  EXPECT_EQ(read("MERGE_FAILED n", "Failure-Type: TESTS").value("failure_type"), "tests");
  EXPECT_EQ(read("HELP_REQUEST", "Issue Type: odd").value("issue_type"), "odd") << "kept as it is";
}

TEST(Body, TheTextIsWhatFollowsTheFields) {
  const auto text = [](std::string_view subject, std::string_view body) {
    return std::string(read(subject, body).text());
  };
  EXPECT_EQ(text("MERGED n", "Branch: b\nRig: r\n\nAll good.\n\nBranch: other\n"), "All good.\n\nBranch: other");
  EXPECT_EQ(text("HELP_RESPONSE", "Bead: h-1\nLook here\nand there"), "Look here\nand there");
  EXPECT_EQ(text("HELP_RESPONSE", "Look here\n\nBead: h-1"), "Look here") << "nothing follows, so what stands before";
  EXPECT_EQ(text("RECOVERED_BEAD gt-1", "Recovered it.\n\nBead: gt-1\nPolecat: r/n\n\nPlease re-dispatch."),
            "Please re-dispatch.");
  EXPECT_EQ(text("HELP: x", "Agent: a\n\nProblem: p\n\nTried: t\n\nthe end"), "the end")
      << "blank lines between fields";
  EXPECT_EQ(text("POLECAT_DONE n", "Exit: DEFERRED\nMR:\n\nlater"), "later");
  EXPECT_EQ(text("REWORK_REQUEST n", "Conflict-Files:\n- a\n- b\n\n# Resolve\ngit push"), "# Resolve\ngit push");
  EXPECT_EQ(text("ALERT: x", "\n Bead: gt-1\nall of it \n"), "Bead: gt-1\nall of it") << "a free body has no fields";
  EXPECT_EQ(text("hello", "Bead: gt-1\nall of it"), "Bead: gt-1\nall of it");
  EXPECT_EQ(text("DONE", "Bead: a-1\n\nwords\n## Notes\nmore\n\n## Summary\ns"), "words\n## Notes\nmore");
  EXPECT_EQ(text("DONE", "Bead: a-1\n\n## Summary\ns\n\n## Notes\nmore"), "");
}

TEST(Body, EveryTypeMayNameItsBead) {
  EXPECT_EQ(read("ALERT: x", "see\nBead: gt-1").bead_id(), "gt-1");
  EXPECT_EQ(read("hello", "Accepted bead: gt-1").bead_id(), "gt-1");
  const Parsed recovered = read("RECOVERED_BEAD gt-1", "bead: gt-2");
  EXPECT_EQ(recovered.bead_id(), "gt-2");
  EXPECT_EQ(recovered.value("bead"), "gt-2");
}

TEST(Body, TheThreadIsThatOfTheBeadInAgentMailOnly) {
  EXPECT_EQ(read("[a-1] PROGRESS", "").thread(), "a-1");
  EXPECT_EQ(read("SPAWN_REQUEST", "Issue: a-2\nBead: a-1").thread(), "a-2");
  EXPECT_EQ(read("SPAWN_REQUEST", "Bead: a-1").issue_id(), "a-1");
  EXPECT_EQ(read("[a-3] SPAWN_ACK", "").thread(), "a-3");
  EXPECT_EQ(read("[a-1] MERGED n", "").thread(), "");
  EXPECT_EQ(read("[a-1] hello", "").thread(), "");
}

TEST(Body, TheRigIsItsOwnFieldOrThatOfThePolecat) {
  EXPECT_EQ(read("MERGED n", "Rig: r\nPolecat: x/n").rig(), "r");
  EXPECT_EQ(read("MERGE_READY gp/n", "Branch: b").rig(), "gp");
  EXPECT_EQ(read("HELP: a/b", "").rig(), "");
}

TEST(Body, AnExplicitTypeBeatsTheSubject) {
  const TypeRegistry& registry = TypeRegistry::built_in();
  const Parsed directory = parse(registry, {"Note: DONE soon", "x", "work_assignment"});
  EXPECT_EQ(directory.type_name(), "work_assignment");
  EXPECT_EQ(directory.topic(), "Note: DONE soon");
  EXPECT_EQ(parse(registry, {"DONE", "", "failed"}).type_name(), "FAILED");
  EXPECT_EQ(parse(registry, {"DONE x", "", "DONE"}).topic(), "x");
  EXPECT_EQ(parse(registry, {"DONE", "", "NO_SUCH_TYPE"}).type_name(), "UNKNOWN");
  for (const char* mail_type : {"", "notification", "task", "reply", "UNKNOWN"})
    EXPECT_EQ(parse(registry, {"DONE", "", mail_type}).type_name(), "DONE") << mail_type;
}

TEST(Body, TheJsonOfAMessageHoldsWhatIsThere) {
  EXPECT_EQ(to_line(read("RECOVERED_BEAD gt-1", "Bead: gt-1\nPolecat: gp/nux").json()),
            R"({"bead_id":"gt-1","bead":"gt-1","polecat":"gp/nux","rig":"gp","topic":"gt-1"})");
  EXPECT_EQ(to_line(read("[a-1] PROGRESS now", "Files touched: a, b\nContext usage: 5%\n\nhm").json()),
            R"({"bead_id":"a-1","context_usage":5,"files_touched":["a","b"],"topic":"now","text":"hm"})");
  EXPECT_EQ(to_line(read("", "").json()), "{}");
}

TEST(Body, AParsedMessageIsAValue) {
  Parsed first = read("PROGRESS", "Bead: a-1\nStep: s\nFiles touched: x");
  const Parsed copy = first;
  first = read("DONE", "");
  EXPECT_EQ(copy.value("step"), "s");
  EXPECT_EQ(copy.list("files_touched"), (List{"x"}));
  const Parsed moved = std::move(copy);
  EXPECT_EQ(moved.bead_id(), "a-1");
}

}  // namespace
}  // namespace townpost::protocol
