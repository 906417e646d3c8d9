#include "base/json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

TEST(JsonText, KeepsKeysInTheOrderTheyWereAdded) {
  JsonObject object;
  object["z"] = 1;
  object["a"] = nullptr;
  object["m"] = JsonArray{true, "x"};
  EXPECT_EQ(to_line(object), R"({"z":1,"a":null,"m":[true,"x"]})");
}

TEST(JsonText, PrettyIsIndentedByTwoAndEndsWithANewline) {
  EXPECT_EQ(to_pretty(*parse_json(R"({"a":[1,{"b":[]}],"c":{}})")),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}\n");
  EXPECT_EQ(to_pretty(JsonArray{}), "[]\n");
}

TEST(JsonText, OtherThanJsonIsAUsageError) {
  for (const std::string text :
       {"", " ", "{", "[1,]", "{\"a\":}", "nul", "1 2", "'a'", "{\"a\":1} x", "\"\xff\"", "\"\x01\""}) {
    const auto parsed = parse_json(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, Code::usage);
    EXPECT_TRUE(parsed.error().message.starts_with("not valid JSON: ")) << parsed.error().message;
  }
}

TEST(JsonText, IsAtMostThirtyTwoLevelsDeep) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_TRUE(parse_json(nested(32)).has_value());
  EXPECT_FALSE(parse_json(nested(33)).has_value());
  EXPECT_FALSE(parse_json(nested(100'000)).has_value());
}

RC_GTEST_PROP(JsonText, AnyBytesAreJsonOrAnError, (const std::string& bytes)) {
  const auto parsed = parse_json(bytes);
  if (parsed) RC_ASSERT(parse_json(to_line(*parsed)).has_value());
}

RC_GTEST_PROP(JsonText, AnyTextSurvivesBothSpellings, (const std::string& bytes)) {
  const std::string text = to_utf8(bytes);
  JsonObject object;
  object[text] = text;
  const auto line = to_line(object);
  RC_ASSERT(line.find('\n') == std::string::npos);
  RC_ASSERT(*parse_json(line) == Json(object));
  RC_ASSERT(*parse_json(to_pretty(object)) == Json(object));
}

}  // namespace
}  // namespace townpost
