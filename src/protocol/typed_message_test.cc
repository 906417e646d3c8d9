#include "protocol/typed_message.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "protocol/filters.h"

namespace townpost::protocol {
namespace {

const TypeRegistry& kTypes = TypeRegistry::built_in();
constexpr ParseOptions kStrict{.strictness = Strictness::strict};

TypedMessage must_read(const JsonObject& raw, ParseOptions options = {}) {
  auto message = read_message(kTypes, raw, options);
  EXPECT_TRUE(message.has_value());
  return *message;
}

TEST(TypedMessage, AnswersInTheShapeItCameIn) {
  const auto batch =
      read_batch(kTypes, R"({"id": 7, "sender_name": "GreenLake", "to": ["A"], "subject": "[ol-1] PROGRESS",
      "body_md": "Step: s", "timestamp": "2026-01-31T12:30:00+02:00", "acked": false})");
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->str(),
            R"({"id":7,"sender_name":"GreenLake","to":["A"],"subject":"[ol-1] PROGRESS","body_md":"Step: s",)"
            R"("timestamp":"2026-01-31T10:30:00Z","acked":false,"thread_id":"ol-1","ack_required":false,)"
            R"("type":"PROGRESS","dialect":"agent_mail","parsed":{"bead_id":"ol-1","step":"s"},"problems":[]})"
            "\n");
}

// A022, A090
TEST(TypedMessage, ATimestampIsAnInstantInUtcOrNothing) {
  const TypedMessage good = must_read({{"subject", "PROGRESS"}, {"timestamp", "2026-01-31T10:30:00Z"}});
  EXPECT_EQ(good.timestamp, parse_instant("2026-01-31T10:30:00Z"));
  EXPECT_EQ(good.json().at("timestamp"), "2026-01-31T10:30:00Z");
  EXPECT_EQ(must_read({{"timestamp", "2026-01-31T10:30:00.5Z"}}).json().at("timestamp"), "2026-01-31T10:30:00.500Z");

  const TypedMessage bad = must_read({{"subject", "PROGRESS"}, {"timestamp", "31/01/2026"}});
  EXPECT_EQ(bad.timestamp, std::nullopt);
  EXPECT_TRUE(bad.json().at("timestamp").is_null());
  EXPECT_TRUE(bad.parsed.problems().empty());
  const TypedMessage strict = must_read({{"subject", "[a-1] PROGRESS"}, {"timestamp", "31/01/2026"}}, kStrict);
  ASSERT_EQ(strict.parsed.problems().size(), 1u);
  EXPECT_EQ(strict.parsed.problems()[0].field, "timestamp");
  EXPECT_TRUE(must_read({{"subject", "[a-1] PROGRESS"}}, kStrict).parsed.problems().empty()) << "none is none";
}

TEST(TypedMessage, TheTypeSaysWhetherAnAcknowledgementIsAskedForUnlessTheSenderDoes) {
  for (const char* type : {"HELP_REQUEST", "OFFERING_READY", "SPAWN_REQUEST"})
    EXPECT_TRUE(must_read({{"subject", type}}).ack_required) << type;
  for (const char* type :
       {"BEAD_ACCEPTED", "PROGRESS", "HELP_RESPONSE", "DONE", "FAILED", "CHECKPOINT", "SPAWN_ACK", "x"})
    EXPECT_FALSE(must_read({{"subject", type}}).ack_required) << type;
  EXPECT_FALSE(must_read({{"subject", "HELP_REQUEST"}, {"ack_required", false}}).ack_required);
  EXPECT_TRUE(must_read({{"subject", "DONE"}, {"ack_required", true}}).ack_required);
}

TEST(TypedMessage, TheThreadIsItsOwnOrThatOfItsBead) {
  EXPECT_EQ(must_read({{"subject", "[a-1] DONE"}, {"thread_id", "t"}}).thread_id, "t");
  EXPECT_EQ(must_read({{"subject", "[a-1] DONE"}, {"thread_id", ""}}).thread_id, "a-1");
  EXPECT_FALSE(must_read({{"subject", "hello"}}).json().contains("thread_id"));
}

TEST(TypedMessage, TakesAMailOfOursToo) {
  const TypedMessage mail = must_read({{"subject", "HELP: x"}, {"body", "Agent: a"}, {"type", "notification"}});
  EXPECT_EQ(mail.parsed.type_name(), "HELP");
  EXPECT_EQ(mail.parsed.value("agent"), "a");
  EXPECT_EQ(must_read({{"subject", "x"}, {"type", "task"}, {"protocol_type", "DONE"}}).parsed.type_name(), "DONE");
  EXPECT_EQ(must_read({{"subject", "x"}, {"type", "coordination"}}).json().at("dialect"), "directory");
}

TEST(TypedMessage, MembersOfAnotherKindAreAsGoodAsNotThere) {
  const JsonObject raw = {{"subject", 5}, {"body_md", nullptr}, {"ack_required", "yes"}, {"timestamp", 1}, {"to", 3}};
  EXPECT_EQ(must_read(raw).parsed.type_name(), "UNKNOWN");
  EXPECT_TRUE(must_read(raw).parsed.problems().empty());
  const TypedMessage strict = must_read(raw, kStrict);
  std::string fields;
  for (const Problem& problem : strict.parsed.problems()) fields += problem.field + " ";
  EXPECT_EQ(fields, "type subject ack_required timestamp ");
}

// A092
TEST(Batch, WhatIsNoMessageHasAnErrorInItsPlace) {
  for (const ParseOptions options : {ParseOptions{}, kStrict}) {
    const auto batch = read_batch(kTypes, R"([{"subject": "[a-1] DONE"}, null, {"subject": "x"}])", options);
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(batch->messages(), 2u);
    EXPECT_EQ(batch->errors(), 1u);
    const auto answer = parse_json(batch->str());
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(to_line(answer->at(1)), R"({"error":"there is no message: null","index":1})");
    EXPECT_EQ(answer->at(2).at("type"), "UNKNOWN");
  }
}

TEST(Batch, TakesJsonLines) {
  const auto batch =
      read_batch(kTypes, "{\"subject\": \"DONE\"}\n\r\n{\"subject\": \n7\nnull\n{\"subject\": \"HELP\"}\n");
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->shape, Batch::Shape::lines);
  EXPECT_EQ(batch->messages(), 2u);
  EXPECT_EQ(batch->errors(), 3u);
  const std::string answer = batch->str();
  const auto lines = split(answer, '\n');
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(parse_json(lines[0])->at("type"), "DONE");
  EXPECT_EQ(parse_json(lines[1])->at("line"), 3);
  EXPECT_EQ(parse_json(lines[4])->at("type"), "HELP");
}

TEST(Batch, AnObjectOverSeveralLinesIsOneMessageAndAnEmptyArrayNone) {
  EXPECT_EQ(read_batch(kTypes, "\n{\n\"subject\":\n\"DONE\"}\n")->shape, Batch::Shape::one);
  EXPECT_EQ(read_batch(kTypes, "[]")->str(), "[]\n");
}

TEST(Batch, BytesThatAreNoUtf8AreReplaced) {
  const auto batch = read_batch(kTypes, "{\"subject\": \"HELP: \xFF\"}");
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->entries[0].message->parsed.topic(), "\uFFFD");
}

TEST(Batch, HalfACharacterInAnEscapeIsReplaced) {
  const auto topic = [](std::string_view json) {
    const auto batch = read_batch(kTypes, json);
    return batch ? std::string(batch->entries[0].message->parsed.topic()) : batch.error().message;
  };
  EXPECT_EQ(topic(R"({"subject":"HELP: a\udcffb"})"), "a\uFFFDb");
  EXPECT_EQ(topic(R"({"subject":"HELP: a\uD83Db"})"), "a\uFFFDb");
  EXPECT_EQ(topic(R"({"subject":"HELP: \ud83d\ud83e\udd1d"})"), "\uFFFD\U0001F91D");
  // What is whole stays as it is, and a backslash that is escaped begins no escape.
  EXPECT_EQ(topic(R"({"subject":"HELP: \ud83e\udd1d \u0041\t\\ud800"})"), "\U0001F91D A\t\\ud800");
  EXPECT_EQ(read_batch(kTypes, "{\"subject\":\"DONE\"}\n{\"subject\":\"\\udcff\"}\n")->messages(), 2u);
}

TEST(Batch, AByteOrderMarkIsDropped) {
  EXPECT_EQ(read_batch(kTypes, "\uFEFF{\"subject\":\"DONE\"}")->messages(), 1u);
  EXPECT_EQ(read_batch(kTypes, "\uFEFF{\"subject\":\"DONE\"}\n{\"subject\":\"DONE\"}")->messages(), 2u);
}

TEST(Batch, NoMessageAtAllIsAnError) {
  for (const char* input : {"", " \n", "null", "7", "\"DONE\"", "{", "DONE\nBead: x", "{\"subject\": \"DONE\"} x"}) {
    const auto batch = read_batch(kTypes, input);
    ASSERT_FALSE(batch.has_value()) << input;
    EXPECT_EQ(batch.error().code, Code::usage);
  }
}

std::vector<TypedMessage> messages(std::initializer_list<std::pair<const char*, const char*>> letters) {
  std::vector<TypedMessage> out;
  for (const auto& [subject, body] : letters) out.push_back(must_read({{"subject", subject}, {"body_md", body}}));
  return out;
}

std::string topics(const std::vector<TypedMessage>& kept) {
  std::string out;
  for (const TypedMessage& message : kept) out += cat(message.parsed.topic(), " ");
  return out;
}

// A024, A025, A027
TEST(Filters, KeepTheOrder) {
  const auto all = messages({{"BEAD_ACCEPTED 1", "Bead: t-1"},
                             {"PROGRESS 2", "Bead: t-2"},
                             {"OFFERING_READY 3", "Bead: t-1"},
                             {"PROGRESS 4", ""},
                             {"[t-1] DONE 5", ""},
                             {"FAILED 6", ""},
                             {"SPAWN_REQUEST 7", "Issue: t-1"},
                             {"CHECKPOINT 8", ""},
                             {"POLECAT_DONE 9", ""}});
  EXPECT_EQ(topics(of_type(all, "PROGRESS")), "2 4 ");
  EXPECT_EQ(topics(of_type(all, "progress")), "2 4 ");
  EXPECT_EQ(topics(of_bead(all, "t-1")), "1 3 5 7 ");
  EXPECT_EQ(topics(of_bead(all, "")), "");
  EXPECT_EQ(topics(completions(all)), "3 5 6 8 ");
  EXPECT_EQ(topics(successes(all)), "3 5 ");
  EXPECT_EQ(topics(pending(all)), "3 7 ");
}

TEST(Filters, PendingIsRequiredAndNotGiven) {
  std::vector<TypedMessage> all;
  all.push_back(must_read({{"subject", "HELP_REQUEST 1"}, {"acked", true}}));
  all.push_back(must_read({{"subject", "HELP_REQUEST 2"}}));
  all.push_back(must_read({{"subject", "hello"}, {"ack_required", true}}));
  EXPECT_EQ(pending(all).size(), 2u);
  EXPECT_EQ(of_type(all, "UNKNOWN").size(), 1u);
}

}  // namespace
}  // namespace townpost::protocol
