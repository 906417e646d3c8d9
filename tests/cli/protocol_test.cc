// gt protocol types|parse|build|lint: typed messages as people and programs ask about them.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

class Protocol : public testing::Test {
 protected:
  Json parse(const std::string& input, const Words& more = {}) const {
    const auto out = town.gt(with({"protocol", "parse", "--stdin", "--json"}, more), {}, input);
    return parse_json(out.out).value_or(Json(nullptr));
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((town.folder() / name).parent_path());
    std::ofstream(town.folder() / name) << text;
  }
  TestTown town;
};

TEST_F(Protocol, TypesListsEveryDialectAndWhatAFieldWants) {
  const auto all = texts_in(town.json({"protocol", "types"}), "name");
  for (const auto* name : {"POLECAT_DONE", "MERGE_FAILED", "HELP", "PROGRESS", "SPAWN_ACK", "work_assignment"})
    EXPECT_NE(std::find(all.begin(), all.end(), name), all.end()) << name;
  const auto failed = items_of(town.json({"protocol", "types", "merge_failed"}));
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(text_at(failed[0], "from"), "refinery");
  EXPECT_EQ(text_at(failed[0], "to"), "witness");
  bool found = false;
  for (const auto& field : items_of(value_at(failed[0], "fields")))
    if (text_at(field, "key") == "failure_type") {
      found = true;
      EXPECT_TRUE(flag_at(field, "required"));
      EXPECT_EQ(texts_in(value_at(field, "values")), (Words{"tests", "build", "push", "other"}));
    }
  EXPECT_TRUE(found);
  EXPECT_NE(town.gt({"protocol", "types", "MERGE_FAILED"}).out.find("failure_type"), std::string::npos);
  expect_refusal(town, {"protocol", "types", "MERGE_FALED"}, {4, "not_found", "no message type"});
}

TEST_F(Protocol, ParseWorksOutsideOfATown) {
  const TestTown nowhere(TestTown::Start::empty_folder);
  const auto out = nowhere.gt({"protocol", "parse", "--stdin", "--json"}, {}, R"({"subject":"MERGED nux"})");
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_EQ(text_at(*parse_json(out.out), "type"), "MERGED");
}

TEST_F(Protocol, ParseAnswersInTheShapeOfTheInput) {
  EXPECT_EQ(text_at(parse(R"({"subject":"[ol-1] done"})"), "type"), "DONE");
  const auto list = items_of(parse(R"([{"subject":"MERGED nux"}, null, {"subject":"hello"}])"));
  ASSERT_EQ(list.size(), 3u);  // A092
  EXPECT_EQ(text_at(list[0], "type"), "MERGED");
  EXPECT_FALSE(text_at(list[1], "error").empty());
  EXPECT_EQ(text_at(list[2], "type"), "UNKNOWN");
  const auto lines =
      town.gt({"protocol", "parse", "--stdin", "--json"}, {}, "{\"subject\":\"DONE\"}\n{\"subject\":\"x\"}\n");
  ASSERT_EQ(lines_of(lines.out).size(), 2u) << lines.out;
  EXPECT_EQ(text_at(*parse_json(lines_of(lines.out)[0]), "type"), "DONE");
}

TEST_F(Protocol, SomeThatAreNoMessagesMakeItPartial) {
  EXPECT_EQ(town.gt({"protocol", "parse", "--stdin"}, {}, R"([{"subject":"DONE"}, null])").exit_code, 9);
  expect_refusal(town, {"protocol", "parse", "--stdin"}, {2, "usage", ""}, {}, "not json");
  expect_refusal(town, {"protocol", "parse"}, {2, "usage", "give the id"});
  expect_refusal(town, {"protocol", "parse", "--stdin", "--compat", "else"}, {2, "usage", "--compat"}, {}, "{}");
}

TEST_F(Protocol, AnInputWithoutASingleMessageIsRefused) {
  expect_refusal(town, {"protocol", "parse", "--stdin"}, {2, "usage", "none of 2 is a message"}, {}, "[null, 7]");
  expect_refusal(town, {"protocol", "parse", "--stdin"}, {2, "usage", "none of 2 is a message"}, {}, "[1]\n[2]\n");
  expect_refusal(town, {"protocol", "parse", "--stdin"}, {2, "usage", "no message: null"}, {}, "[null]");
  EXPECT_EQ(town.gt({"protocol", "parse", "--stdin", "--json"}, {}, "[]").out, "[]\n");
}

TEST_F(Protocol, BytesThatAreNoTextAreReplacedWhereMessagesOfOthersAreRead) {
  for (const auto* input : {"{\"subject\":\"HELP: a\xff\"}", R"({"subject":"HELP: a\udcff"})"})
    EXPECT_EQ(text_at(value_at(parse(input), "parsed"), "topic"), "a\uFFFD") << input;
  write("raw.json", "\uFEFF{\"subject\":\"ALERT: a\xff\"}");
  const auto file = town.gt({"protocol", "parse", "-F", "raw.json", "--json"});
  EXPECT_EQ(text_at(*parse_json(file.out), "type"), "ALERT") << file.err;
  EXPECT_EQ(town.gt({"protocol", "lint", "raw.json"}).exit_code, 0);
}

TEST_F(Protocol, StrictReportsEveryProblemAtOnceWithFieldAndLine) {
  const auto input = R"({"subject":"[ol-1] PROGRESS","body_md":"Context usage: 101%\nBead: ol-1"})";
  const auto out = town.gt({"protocol", "parse", "--stdin", "--strict", "--json"}, {}, input);
  EXPECT_EQ(out.exit_code, 1);
  const auto message = *parse_json(out.out);
  bool found = false;
  for (const auto& problem : items_of(value_at(message, "problems")))
    if (text_at(problem, "field") == "context_usage") {
      found = true;
      EXPECT_EQ(number_at(problem, "line"), 1);
    }
  EXPECT_TRUE(found) << out.out;
  EXPECT_EQ(number_at(value_at(message, "parsed"), "context_usage"), 101) << "the lenient result comes along";
  EXPECT_EQ(town.gt({"protocol", "parse", "--stdin"}, {}, input).exit_code, 0);
}

TEST_F(Protocol, CompatAgentopsFindsTypesAsPartsOfTheSubject) {
  const auto input = R"({"subject":"Abandoned work"})";
  EXPECT_EQ(text_at(parse(input), "type"), "UNKNOWN");
  EXPECT_EQ(text_at(parse(input, {"--compat", "agentops"}), "type"), "DONE");
}

TEST_F(Protocol, ParsesAMessageOfTheTownForThoseWhoMaySeeIt) {
  town.agents({"alice", "bob", "carol"});
  const auto id = town.send("alice", "bob", "[ol-1] PROGRESS", {"-m", "Bead: ol-1\nStep: two\nContext usage: 40%"});
  const auto parsed = town.json({"protocol", "parse", id, "--as", "bob"});
  EXPECT_EQ(text_at(parsed, "type"), "PROGRESS");
  EXPECT_EQ(text_at(value_at(parsed, "parsed"), "step"), "two");
  EXPECT_EQ(text_at(read_as(town, "overseer", id), "delivered_at"), "") << "parsing is not reading";
  expect_refusal(town, {"protocol", "parse", id, "--as", "carol"}, {5, "forbidden", "is not carol's mail"});
}

TEST_F(Protocol, WhatIsBuiltIsParsedAgain) {
  const auto built = town.json({"protocol",
                                "build",
                                "MERGE_FAILED",
                                "--field",
                                "topic=nux",
                                "--field",
                                "branch=b",
                                "--field",
                                "issue=gp-1",
                                "--field",
                                "polecat=nux",
                                "--field",
                                "rig=gp",
                                "--field",
                                "target=main",
                                "--field",
                                "failed_at=2026-03-05T10:30:00Z",
                                "--field",
                                "failure_type=tests",
                                "--field",
                                "error=2 = 3?"});
  EXPECT_EQ(text_at(built, "subject"), "MERGE_FAILED nux");
  JsonObject raw;
  raw["subject"] = text_at(built, "subject");
  raw["body_md"] = text_at(built, "body");
  const auto parsed = value_at(parse(to_line(raw), {"--strict"}), "parsed");
  EXPECT_EQ(text_at(parsed, "error"), "2 = 3?");
  EXPECT_EQ(text_at(parsed, "failure_type"), "tests");
  expect_refusal(town, {"protocol", "build", "DONE", "--field", "bead"}, {2, "usage", "key=value"});
  expect_refusal(town, {"protocol", "build", "DONE", "--field", "a=1", "--field", "a=2"}, {2, "usage", "twice"});
  expect_refusal(town, {"protocol", "build", "NOTHING"}, {4, "not_found", "no message type"});
}

constexpr const char* kDeployType = R"([types.DEPLOY_READY]
summary = "A release may go out"
subject = "DEPLOY_READY <name>"
from = "refinery"
to = "mayor"

[types.DEPLOY_READY.fields]
Version = "text, required"
)";

TEST_F(Protocol, ATypeOfTheTownIsListedBuiltParsedLintedAndRouted) {
  write(".town/types/deploy.toml", kDeployType);
  EXPECT_EQ(texts_in(town.json({"protocol", "types", "DEPLOY_READY"}), "dialect"), Words{"own"});
  const auto built = town.json({"protocol", "build", "DEPLOY_READY", "--field", "topic=web", "--field", "version=1.2"});
  EXPECT_EQ(text_at(built, "subject"), "DEPLOY_READY web");
  EXPECT_EQ(text_at(parse(R"({"subject":"DEPLOY_READY web","body_md":"Version: 1.2"})"), "type"), "DEPLOY_READY");
  EXPECT_EQ(town.gt({"protocol", "lint", ".town/types/deploy.toml"}).exit_code, 0);
  write("messages.jsonl", R"({"subject":"DEPLOY_READY web","body_md":"no version"})");
  const auto lint = town.gt({"protocol", "lint", "messages.jsonl", "--json"});
  EXPECT_EQ(lint.exit_code, 1);
  EXPECT_EQ(texts_in(value_at(*parse_json(lint.out), "problems"), "field"), Words{"version"});
  const auto receipt =
      town.json({"mail", "send", "--protocol", "DEPLOY_READY", "--field", "topic=web", "--field", "version=1.2"});
  EXPECT_EQ(texts_in(value_at(receipt, "recipients"), "address"), Words{"mayor/"});
}

TEST_F(Protocol, TheHandlerOfATypeIsShownAndRunByNobody) {
  write(".town/types/deploy.toml", "[types.DEPLOYED]\nto = \"mayor\"\nhandler = [\"touch\", \"ran it\"]\n");
  const auto type = town.json({"protocol", "types", "DEPLOYED"});
  EXPECT_EQ(to_line(value_at(items_of(type).at(0), "command")), R"(["touch","ran it"])");
  const auto shown = town.gt({"protocol", "types", "DEPLOYED"}).out;
  EXPECT_NE(shown.find(R"(Handled by ["touch","ran it"]: a patrol's work; this version has no patrols)"),
            std::string::npos)
      << shown;
  town.json({"mail", "send", "--protocol", "DEPLOYED", "--field", "topic=x"});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "mayor/"}).exit_code, 0) << "it waits for its reader";
  EXPECT_EQ(town.shell("test -e 'ran it'").exit_code, 1);
}

TEST_F(Protocol, ABrokenDefinitionIsToldWithItsLineAndTheTownWorksOn) {
  write(".town/types/bad.toml",
        "[types.BROKEN]\nsubject = \"BROKEN <topic>\"\n\n[types.BROKEN.fields]\nX = \"colour\"\n");
  write(".town/types/deploy.toml", kDeployType);
  const auto out = town.gt({"protocol", "types"});
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_NE(out.err.find("types/bad.toml"), std::string::npos) << out.err;
  EXPECT_NE(out.err.find("line 5"), std::string::npos) << out.err;
  EXPECT_NE(out.out.find("DEPLOY_READY"), std::string::npos);
  EXPECT_EQ(town.gt({"mail", "send", "-m", "", "mayor/", "-s", "hello"}).exit_code, 0);
  EXPECT_EQ(town.gt({"protocol", "lint", ".town/types/bad.toml"}).exit_code, 1);
}

TEST_F(Protocol, LintSaysWhatLoadingTheFileSays) {
  write(".town/types/odd.toml", "[other]\na = 1\n[types.AA]\n");
  EXPECT_NE(town.gt({"protocol", "types"}).err.find("only [types.NAME] tables belong here"), std::string::npos);
  const auto lint = town.gt({"protocol", "lint", ".town/types/odd.toml"});
  EXPECT_EQ(lint.exit_code, 1);
  EXPECT_NE(lint.out.find("only [types.NAME] tables belong here"), std::string::npos) << lint.out;
  EXPECT_EQ(town.gt({"protocol", "lint", ".town/town.toml"}).exit_code, 0) << "the settings stand there, too";
}

TEST_F(Protocol, WhatCannotBeReadIsNotTheStoresFault) {
  expect_refusal(town, {"protocol", "lint", ".town"}, {2, "usage", ".town"});
  expect_refusal(town, {"protocol", "lint", "nothing.json"}, {4, "not_found", "nothing.json"});
}

TEST_F(Protocol, TypesMayStandInTownToml) {
  town.settings(std::string("[town]\nname = \"t\"\n\n") + kDeployType);
  EXPECT_EQ(texts_in(town.json({"protocol", "types", "DEPLOY_READY"}), "to"), Words{"mayor"});
}

}  // namespace
}  // namespace townpost
