#include "ops/shape.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace townpost
