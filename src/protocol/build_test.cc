#include "protocol/build.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "protocol/parse.h"
#include "protocol/values.h"

namespace townpost::protocol {
namespace {

const TypeRegistry& kTypes = TypeRegistry::built_in();

Built must_build(std::string_view type, const JsonObject& fields) {
  auto built = build(kTypes, type, fields);
  EXPECT_TRUE(built.has_value()) << (built ? "" : built.error().message);
  return built ? *built : Built{};
}

std::string refusal(std::string_view type, const JsonObject& fields) {
  const auto built = build(kTypes, type, fields);
  EXPECT_FALSE(built.has_value()) << (built ? built->body : "");
  return built ? "" : built.error().message;
}

TEST(Build, WritesFieldsTextAndSectionsAsTheProtocolShowsThem) {
  const Built failed = must_build("FAILED", {{"bead_id", "ol-1"},
                                             {"failure_type", "tests_fail"},
                                             {"reason", "2 red"},
                                             {"internal_attempts", 3},
                                             {"files", JsonArray{"a", "b"}},
                                             {"recommendation", "fix\n\nthem"},
                                             {"text", "long output"}});
  EXPECT_EQ(failed.subject, "[ol-1] FAILED");
  EXPECT_EQ(failed.body,
            "Bead: ol-1\nStatus: FAILED\n\nlong output\n\n## Failure\nType: TESTS_FAIL\nReason: 2 red\nInternal "
            "Attempts: 3\n\n## Partial Progress\n- Files: a, b\n\n## Recommendation\nfix\n\nthem");
  EXPECT_TRUE(failed.problems.empty());
}

TEST(Build, FillsInTheTopicAndTextOfTheType) {
  const Built recovered =
      must_build("RECOVERED_BEAD", {{"bead", "gt-1"}, {"polecat", "gp/nux"}, {"previous_status", "hooked"}});
  EXPECT_EQ(recovered.subject, "RECOVERED_BEAD gt-1");
  EXPECT_EQ(recovered.body,
            "Recovered abandoned bead from dead polecat.\n\nBead: gt-1\nPolecat: gp/nux\nPrevious Status: "
            "hooked\n\nThe bead has been reset to open with no assignee.\nPlease re-dispatch to an available polecat.");
  EXPECT_EQ(must_build("MERGE_READY", {{"polecat", "nux"}, {"topic", "gp/nux"}}).subject, "MERGE_READY gp/nux");
}

TEST(Build, ValuesMayBeGivenAsTextAndByTheirLabels) {
  const Built progress = must_build(
      "progress",
      {{"Bead", "a-1"}, {"Context usage", "85%"}, {"files-touched", "a, b"}, {"step", ""}, {"status", nullptr}});
  EXPECT_EQ(progress.body, "Bead: a-1\nContext usage: 85%\nFiles touched: a, b");
  EXPECT_EQ(must_build("DONE", {{"tests_pass", "ok"}, {"lint_pass", false}}).body,
            "## Self-Validation\n- Tests: PASS\n- Lint: FAIL");
  EXPECT_EQ(must_build("CHECKPOINT", {{"reason", "manual"}}).body, "Reason: MANUAL");
}

TEST(Build, SaysWhichRequiredFieldsAreMissing) {
  const Built help = must_build("HELP_REQUEST", {{"problem", "x"}});
  ASSERT_EQ(help.problems.size(), 2u);
  EXPECT_EQ(help.problems[0].field, "bead_id");
  EXPECT_EQ(help.problems[1].field, "issue_type");
}

TEST(Build, RefusesByNameWhatWouldNotSurvive) {
  EXPECT_EQ(refusal("HELP", {{"agent", "a"}, {"problem", "one\ntwo"}}),
            "cannot build HELP: problem: a line break would not survive in a one-line field");
  EXPECT_EQ(refusal("REWORK_REQUEST", {{"conflict_files", JsonArray{"a,b"}}}),
            "cannot build REWORK_REQUEST: conflict_files: a comma in an item would make two of it");
  EXPECT_EQ(refusal("HELP_REQUEST", {{"problem", "a\n## b"}}),
            "cannot build HELP_REQUEST: problem: a heading (# or ## at a line start) would end the section");
  EXPECT_NE(refusal("HELP_REQUEST", {{"question", "a\n##b"}}).find("question: a heading"), std::string::npos);
  EXPECT_NE(refusal("DONE", {{"summary", " x"}}).find("summary: white space"), std::string::npos);
  EXPECT_NE(refusal("DONE", {{"summary", "a\r\nb"}}).find("summary: CRLF"), std::string::npos);
  EXPECT_NE(refusal("DONE", {{"status", "\xff"}}).find("status: it is not UTF-8"), std::string::npos);
  EXPECT_NE(refusal("HELP", {{"topic", "a\nb"}}).find("topic: a line break"), std::string::npos);
  EXPECT_NE(refusal("MERGE_READY", {{"branch", "b"}, {"text", "see\nRig: other"}}).find("rig: it is not given"),
            std::string::npos);
  EXPECT_NE(refusal("DONE", {{"text", "## Summary\nx"}}).find("text: it would not survive"), std::string::npos);
  EXPECT_NE(refusal("POLECAT_DONE", {{"topic", ": x"}}).find("topic: it would not survive"), std::string::npos);
  EXPECT_EQ(must_build("HELP_REQUEST", {{"problem", "a\n### b\n#c"}}).body, "## Problem\na\n### b\n#c");
}

TEST(Build, RefusesValuesThatAreNotOfTheirKind) {
  EXPECT_NE(refusal("POLECAT_DONE", {{"exit", "GONE"}}).find("exit: \"GONE\" is none of MERGED|"), std::string::npos);
  EXPECT_NE(refusal("PROGRESS", {{"context_usage", 101}}).find("context_usage: 101 is not"), std::string::npos);
  EXPECT_NE(refusal("PROGRESS", {{"context_usage", 4.5}}).find("context_usage: it must be"), std::string::npos);
  EXPECT_NE(refusal("DONE", {{"tests_pass", "maybe"}}).find("tests_pass: it must be"), std::string::npos);
  EXPECT_NE(refusal("MERGED", {{"merged_at", "now"}}).find("merged_at: \"now\" is not an instant"), std::string::npos);
  EXPECT_NE(refusal("FAILED", {{"status", "DONE"}}).find("status: it is always FAILED"), std::string::npos);
  EXPECT_NE(refusal("DONE", {{"files", JsonArray{1}}}).find("files: its items"), std::string::npos);
  EXPECT_NE(refusal("DONE", {{"summary", 1}}).find("summary: it must be a text"), std::string::npos);
  EXPECT_NE(refusal("DONE", {{"Bead", "a"}, {"bead_id", "b"}}).find("bead_id: it is given twice"), std::string::npos);
}

TEST(Build, NamesEveryFaultAtOnceAndTheFieldThatWasMeant) {
  EXPECT_EQ(
      refusal("HELP", {{"agent", " a"}, {"problme", "x"}, {"tried", "a\nb"}}),
      "cannot build HELP: agent: white space at its ends would not survive; HELP has no field \"problme\"; did you "
      "mean problem?; tried: a line break would not survive in a one-line field");
  const auto unknown = build(kTypes, "POLECAT_DUNE", {});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Code::not_found);
  EXPECT_NE(unknown.error().hint.find("POLECAT_DONE"), std::string::npos);
}

TEST(Build, OutputOfATestRunSurvivesAsText) {
  JsonObject fields = {{"branch", "b"},           {"issue", "i"},
                       {"polecat", "p"},          {"rig", "r"},
                       {"target", "t"},           {"failed_at", "2026-01-31T10:30:00Z"},
                       {"failure_type", "tests"}, {"error", "red"}};
  fields["text"] = "# FAIL\n## Summary\nError: x\n- Branch: y\n\n\n   indented\nRig: z\n\tend";
  const Built failed = must_build("MERGE_FAILED", fields);
  EXPECT_EQ(parse(kTypes, {failed.subject, failed.body}).text(), std::string_view(fields["text"].get_string()));
}

// ---- parse(build(x)) = x, for every type ---------------------------------------------------------------------------

rc::Gen<std::string> any_line() {
  return rc::gen::map(rc::gen::oneOf(rc::gen::element<std::string>("x", "## x", "- a: b", "Bead: z-9", "#", "a, b",
                                                                   "100%", "\u0130\u212A", "e\u0301\u0301",
                                                                   "\U0001F91D", "<b>", "PASS", ": :", "[a-1] DONE"),
                                     rc::gen::arbitrary<std::string>()),
                      [](std::string text) {
                        text = to_utf8(text);
                        std::replace(text.begin(), text.end(), '\n', ' ');
                        std::replace(text.begin(), text.end(), '\r', ' ');
                        return std::string(trim(text));
                      });
}

/// Without a comma, and nothing that a bullet could be taken for a field by.
rc::Gen<std::string> item() {
  return rc::gen::map(any_line(), [](std::string text) {
    std::replace(text.begin(), text.end(), ',', ';');
    return cat("~", text);
  });
}

/// Several lines; none is a heading, and none begins with a label, because no colon has only letters before it.
rc::Gen<std::string> paragraphs() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(any_line()), [](std::vector<std::string> lines) {
    for (std::string& line : lines)
      if (!line.empty()) line = cat("| ", line);
    return std::string(trim(join(lines, "\n")));
  });
}

Json any_value(const Field& field) {
  switch (field.kind) {
    case Kind::integer:
      return *rc::gen::arbitrary<std::int64_t>();
    case Kind::percent:
      return *rc::gen::inRange<std::int64_t>(0, 101);
    case Kind::flag:
      return *rc::gen::arbitrary<bool>();
    case Kind::instant:
      return Json(*rc::gen::element<std::string>("2026-01-31T10:30:00Z", "1999-12-31t23:59:59.999+14:00"));
    case Kind::enumeration:
      return Json(*rc::gen::elementOf(words_of(field.values)));
    case Kind::list: {
      JsonArray items;
      for (const auto& text : *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(item())))
        items.emplace_back(text);
      return items;
    }
    case Kind::section:
      return Json(*paragraphs());
    case Kind::text:
      break;
  }
  return Json(*any_line());
}

struct Expected {
  JsonObject fields;
  std::string topic, text;
};

/// What parse() must give for what build() is given.
Expected expected(const ProtocolType& type, JsonObject given) {
  Expected out;
  const auto take = [&given](std::string_view key) {
    const auto* value = given.if_contains(key);
    std::string text = value ? std::string(std::string_view(value->get_string())) : "";
    given.erase(key);
    return text;
  };
  out.topic = take("topic");
  out.text = take("text");
  for (const auto& [key, value] : given)
    if (!value.is_string() || !value.get_string().empty()) out.fields[key] = value;
  if (type.field("status") && !type.field("status")->fixed.empty()) out.fields["status"] = "FAILED";
  if (type.name.starts_with("SPAWN_") && !out.fields.contains("issue_id") && out.fields.contains("bead_id"))
    out.fields["issue_id"] = out.fields["bead_id"];
  return out;
}

// G260
RC_GTEST_PROP(Build, WhatWasBuiltIsReadBack, ()) {
  const ProtocolType& type = **rc::gen::elementOf(kTypes.types());
  JsonObject given;
  for (const Field& field : type.fields)
    if (field.fixed.empty() && *rc::gen::weightedElement<bool>({{4, true}, {1, false}}))
      given[field.key] = any_value(field);
  // The defaults of topic and text have a test of their own.
  given["topic"] = *rc::gen::element<std::string>("nux", "gp/nux", "a: b", "\U0001F91D x");
  given["text"] = cat("| ", std::string_view(*paragraphs()), "x");

  const auto built = build(kTypes, type.name, given);
  if (!built) RC_FAIL(built.error().message);
  const Expected wanted = expected(type, given);
  const Parsed parsed = parse(kTypes, {built->subject, built->body,
                                       type.named_by_subject() ? std::string_view() : std::string_view(built->type)});
  RC_ASSERT(parsed.type() == &type);
  RC_ASSERT(parsed.fields() == wanted.fields);
  RC_ASSERT(parsed.topic() == wanted.topic);
  RC_ASSERT(parsed.text() == wanted.text);
}

RC_GTEST_PROP(Build, WhateverIsGivenIsRefusedOrReadBack, ()) {
  const ProtocolType& type = **rc::gen::elementOf(kTypes.types());
  const auto any_text = rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
          rc::gen::element<std::string>("", "\n", "## Problem", "# x", "### y", "Bead: b-1", "- Commit: c", "Rig: r",
                                        ",", "\r\n", " ", "## Failure", "Status: s", "\xff", std::string(1, '\0')),
          rc::gen::arbitrary<std::string>())),
      [](const std::vector<std::string>& parts) { return join(parts, "\n"); });
  JsonObject given;
  for (const Field& field : type.fields)
    if (*rc::gen::arbitrary<bool>()) given[field.key] = *any_text;
  if (*rc::gen::arbitrary<bool>()) given["text"] = *any_text;
  if (*rc::gen::arbitrary<bool>()) given["topic"] = *any_text;
  const auto built = build(kTypes, type.name, given);
  if (!built) {
    RC_ASSERT(built.error().code == Code::usage);
    return;
  }
  const Parsed parsed = parse(kTypes, {built->subject, built->body,
                                       type.named_by_subject() ? std::string_view() : std::string_view(built->type)});
  for (const Field& field : type.fields) {
    const auto* value = given.if_contains(field.key);
    if (value == nullptr || !value->is_string() || field.kind == Kind::enumeration || field.kind == Kind::list ||
        field.kind == Kind::flag || field.kind == Kind::percent || field.kind == Kind::integer || !field.fixed.empty())
      continue;
    if (field.key == "issue_id" && value->get_string().empty()) continue;
    RC_ASSERT(parsed.value(field.key) == std::string_view(value->get_string()));
  }
}

}  // namespace
}  // namespace townpost::protocol
