#include "base/json_edit.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

const Json kValue = parse_json(R"({"run":["a",1]})").value();

TEST(JsonEdit, AMemberIsAddedAsItsNeighboursAreLaidOut) {
  EXPECT_EQ(add_member(R"({"a":1})", {}, "b", kValue), R"({"a":1,"b":{"run":["a",1]}})");
  EXPECT_EQ(add_member("{\n\t\"a\": 1\n}\n", {}, "b", Json(2)), "{\n\t\"a\": 1,\n\t\"b\": 2\n}\n");
  EXPECT_EQ(add_member("{}\n", {}, "b", Json(2)), "{\n  \"b\": 2\n}\n");
  EXPECT_EQ(add_member("{\n  \"in\": {}\n}", {"in"}, "b", Json(2)), "{\n  \"in\": {\n    \"b\": 2\n  }\n}");
}

TEST(JsonEdit, AnElementIsAddedAtTheEnd) {
  EXPECT_EQ(add_element(R"({"l":[1, {"x":[]}]})", {"l"}, Json(2)), R"({"l":[1, {"x":[]},2]})");
  EXPECT_EQ(add_element(R"({"l":[1,{"x":[0]}]})", {"l", std::size_t{1}, "x"}, Json(2)), R"({"l":[1,{"x":[0,2]}]})");
}

TEST(JsonEdit, OfTwoMembersWithOneNameTheLastIsMeant) {
  EXPECT_EQ(add_element(R"({"l":[1],"l":[2]})", {"l"}, Json(3)), R"({"l":[1],"l":[2,3]})");
}

TEST(JsonEdit, ANameIsReadAsJsonReadsIt) {
  EXPECT_EQ(remove_at(R"({"a\u0062 ,}\"":1,"c":"]}"})", {"ab ,}\""}), R"({"c":"]}"})");
}

TEST(JsonEdit, WhatWasAddedIsRemovedToTheByte) {
  for (const std::string before :
       {"{}", "{ }", "{\n}\n", R"({"a":1})", R"({ "a" : [ ] })", "{\r\n  \"a\": \"}\\\"{\"\r\n}\r\n",
        "  {\n      \"a\": {\"b\": null},\n\"c\": -1.5e3 }  \n", "{\n  \"a\": [\n    1\n  ]\n}"}) {
    SCOPED_TRACE(before);
    const auto with = add_member(before, {}, "ours", kValue);
    ASSERT_TRUE(parse_json(with).has_value()) << with;
    EXPECT_EQ(remove_at(with, {"ours"}), before);
    const auto deeper = add_element(add_member(before, {}, "ours", Json(JsonArray{})), {"ours"}, kValue);
    ASSERT_TRUE(parse_json(deeper).has_value()) << deeper;
    EXPECT_EQ(remove_at(remove_at(deeper, {"ours", std::size_t{0}}), {"ours"}), before);
  }
}

TEST(JsonEdit, AnyItemCanBeRemoved) {
  EXPECT_EQ(remove_at("[1, 2, 3]", {std::size_t{0}}), "[2, 3]");
  EXPECT_EQ(remove_at("[1, 2, 3]", {std::size_t{1}}), "[1, 3]");
  EXPECT_EQ(remove_at("[1, 2, 3]", {std::size_t{2}}), "[1, 2]");
}

}  // namespace
}  // namespace townpost
