#include "ops/shape.h"

#include <gtest/gtest.h>

#include <set>

#include "ops/schema.h"
#include "ops/shapes.h"

namespace townpost {
namespace {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that shapes are written in

Json json(std::string_view text) { return *parse_json(text); }

std::string wrong(const Shape& shape, std::string_view text) { return misfit(shape, json(text)).value_or("fits"); }

const Shape kPerson = object("person", {always("name", text()), maybe("born", instant()),
                                        always("tags", list_of(text())), always("mood", choice({"good", "bad"}))});

TEST(Shape, AValueThatIsAsDescribedFits) {
  EXPECT_EQ(wrong(kPerson, R"({"name":"max","tags":["a","b"],"mood":"good"})"), "fits");
  EXPECT_EQ(wrong(kPerson, R"({"name":"max","born":"2026-01-31T10:30:00Z","tags":[],"mood":"bad"})"), "fits");
  EXPECT_EQ(wrong(or_null(integer()), "null"), "fits");
  EXPECT_EQ(wrong(map_of(integer()), R"({"anything":1})"), "fits");
}

TEST(Shape, WhatDiffersIsToldWithItsPlace) {
  EXPECT_EQ(wrong(kPerson, R"({"tags":[],"mood":"good"})"), "name: is missing");
  EXPECT_EQ(wrong(kPerson, R"({"name":"max","tags":["a",7],"mood":"good"})"), "tags[1]: 7 is not a text");
  EXPECT_EQ(wrong(kPerson, R"({"name":"max","tags":[],"mood":"fine"})"), "mood: \"fine\" is not one of its words");
  EXPECT_EQ(wrong(kPerson, R"({"name":"max","tags":[],"mood":"good","born":"yesterday"})"),
            "born: \"yesterday\" is not an instant");
  EXPECT_EQ(wrong(kPerson, R"({"name":"max","tags":[],"mood":"good","age":7})"), "age: is not in the shape");
  EXPECT_EQ(wrong(list_of(kPerson), R"([{"name":7,"tags":[],"mood":"good"}])"), "[0].name: 7 is not a text");
  EXPECT_NE(wrong(one_of({text(), integer()}), "true"), "fits");
  EXPECT_NE(wrong(kPerson, "[]"), "fits");
  EXPECT_NE(wrong(flag(), "0"), "fits");
}

TEST(Shape, NamedObjectsBecomeDefinitionsOnce) {
  JsonObject definitions;
  const auto schema = json_schema(list_of(kPerson), definitions);
  EXPECT_EQ(to_line(schema), R"({"type":"array","items":{"$ref":"#/$defs/person"}})");
  EXPECT_EQ(to_line(json_schema(kPerson, definitions)), R"({"$ref":"#/$defs/person"})");
  ASSERT_EQ(definitions.size(), 1u);
  EXPECT_EQ(to_line(definitions.at("person").at("required")), R"(["name","tags","mood"])");
}

TEST(Shape, ItsKeySaysHowItIsShown) {
  EXPECT_EQ(view_key(list_of(kPerson)), "[person]");
  EXPECT_EQ(view_key(or_null(kPerson)), "person");
  EXPECT_EQ(view_key(text()), "");
}

TEST(Schema, DescribesEveryOperationOnce) {
  const auto document = schema_document();
  const auto& operations = document.at("operations").get_object();
  std::size_t rows = 0;
  for (const auto& entry : op_table()) {
    if (entry.op().name != entry.name) continue;
    ++rows;
    const auto* row = operations.if_contains(boost::json::string_view(entry.name.data(), entry.name.size()));
    ASSERT_TRUE(row) << entry.name;
    EXPECT_EQ(row->at("input").at("type"), "object") << entry.name;
  }
  EXPECT_EQ(operations.size(), rows);
}

TEST(Schema, SaysWhatAnArgumentTakes) {
  const auto input = input_schema(*find_op("mail.inbox"));
  const auto& limit = input.at("properties").at("limit");
  EXPECT_EQ(limit.at("type"), "integer");
  EXPECT_EQ(limit.at("minimum"), 1);
  EXPECT_EQ(limit.at("maximum"), 10000);
  EXPECT_EQ(limit.at("default"), 50);
  EXPECT_EQ(to_line(input_schema(*find_op("mail.send")).at("properties").at("type").at("enum")),
            R"(["notification","task","scavenge","reply","escalation"])");
  EXPECT_EQ(input_schema(*find_op("mail.reply")).at("required").get_array().front(), "id");
}

TEST(Schema, TellsAllThatARowSays) {
  const auto document = schema_document();
  const auto& send = document.at("operations").at("mail.send").get_object();
  EXPECT_EQ(send.at("arguments").at("to").at("kind"), "address");
  EXPECT_EQ(send.at("arguments").at("to").at("many"), true);
  EXPECT_EQ(send.at("arguments").at("subject").at("letter"), "s");
  EXPECT_EQ(send.at("arguments").at("type").at("choices").get_array().size(), message_type_names().size());
  EXPECT_FALSE(send.at("examples").get_array().empty());
  const auto& inbox = document.at("operations").at("mail.inbox").get_object();
  EXPECT_EQ(inbox.at("arguments").at("address").at("positional"), true);
  EXPECT_EQ(document.at("operations").at("channel.list").at("columns").get_array().front().at("key"), "name");
  EXPECT_EQ(document.at("operations").at("doctor").at("works_without_town"), true);
}

TEST(Schema, TellsTheOtherNamesOfAnOperation) {
  const auto document = schema_document();
  std::size_t names = 0;
  for (const auto& [name, row] : document.at("operations").get_object()) {
    ++names;
    const auto* aliases = row.get_object().if_contains("aliases");
    if (!aliases) continue;
    for (const auto& alias : aliases->get_array()) {
      ++names;
      EXPECT_EQ(find_op(std::string_view(alias.get_string()))->name, std::string_view(name)) << alias;
    }
  }
  EXPECT_EQ(names, op_table().size());
}

TEST(Schema, SaysWhichArgumentStandsInForAnother) {
  EXPECT_EQ(
      to_line(input_schema(*find_op("mail.send")).at("anyOf")),
      R"([{"properties":{"body":true},"required":["body"]},{"properties":{"protocol":true},"required":["protocol"]}])");
}

TEST(Schema, ListsEveryPriorityThatIsTaken) {
  const auto input = input_schema(*find_op("mail.send"));
  const auto& values = input.at("properties").at("priority").at("enum").get_array();
  EXPECT_EQ(values.size(), 15u);
  const std::vector<Arg> alone = {option("priority", "P", "how urgent", ArgKind::priority)};
  for (const auto& value : values) EXPECT_TRUE(Args::check(alone, {{"priority", value}}).has_value()) << value;
}

TEST(Schema, HasAWordForEveryKindOfArgument) {
  std::set<std::string_view> words;
  for (int kind = 0; kind <= static_cast<int>(ArgKind::map); ++kind) words.insert(name(static_cast<ArgKind>(kind)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(ArgKind::map) + 1);
}

}  // namespace
}  // namespace townpost
