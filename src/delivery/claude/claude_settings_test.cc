#include "delivery/claude/claude_settings.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/text.h"

namespace townpost {
namespace {

std::vector<JsonObject> hooks_in(std::string_view text) {
  std::vector<JsonObject> out;
  const auto settings = parse_json(text).value();
  for (const auto& [event, groups] : settings.get_object().at("hooks").get_object())
    for (const auto& group : groups.get_array())
      for (const auto& hook : group.get_object().at("hooks").get_array()) out.push_back(hook.get_object());
  return out;
}

TEST(ClaudeSettings, GiveNoHookMoreTimeThanAVersionCanCount) {
  const auto settings = with_hooks("{}", "gt");
  ASSERT_TRUE(settings.has_value());
  int waiters = 0;
  for (const auto& hook : hooks_in(*settings)) {
    const auto* seconds = hook.if_contains("timeout");
    if (!seconds) continue;
    ++waiters;
    EXPECT_LE(seconds->to_number<std::int64_t>() * 1000, std::numeric_limits<std::int32_t>::max())
        << "2.1.197 ends such a hook at once";
    EXPECT_GE(seconds->to_number<std::int64_t>(), 24 * 3600) << "an idle session is waited beside for long";
  }
  EXPECT_EQ(waiters, 2) << "at the start and at the end of a turn";
}

TEST(ClaudeSettings, OfAnEarlierProgramAreReplaced) {
  const auto settings = with_hooks("{}", "/old/gt");
  const auto again = with_hooks(settings.value(), "gt");
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(hooks_in(*again).size(), hooks_in(*settings).size());
  for (const auto& hook : hooks_in(*again))
    EXPECT_TRUE(hook.at("command").get_string().starts_with("gt signal claude"));
}

TEST(ClaudeSettings, KeepEveryByteThatIsNotOurs) {
  for (const std::string before :
       {"{}", R"({ "model" : "opus" })", "{\n    \"model\": \"opus\",\n    \"z\": 1.50\n}\n",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]},"a":[ ]})",
        "{\r\n\t\"hooks\": {\r\n\t\t\"Other\": [ {} ]\r\n\t}\r\n}"}) {
    SCOPED_TRACE(before);
    const auto with = with_hooks(before, "gt");
    ASSERT_TRUE(with.has_value());
    EXPECT_EQ(hooked_events(parse_json(*with).value()).size(), claude_events().size());
    EXPECT_EQ(with_hooks(*with, "gt").value(), *with) << "done again it changes nothing";
    EXPECT_EQ(without_hooks(*with).value(), before);
    EXPECT_EQ(without_hooks(with_hooks(*with, "/other/gt").value()).value(), before);
  }
}

TEST(ClaudeSettings, SayWhichProgramTheHooksCall) {
  EXPECT_EQ(hooked_program(with_hooks("{}", "'/a b/gt'").value()), "'/a b/gt'");
  EXPECT_EQ(hooked_program("{}"), std::nullopt);
  EXPECT_EQ(hooked_program("{"), std::nullopt);
}

TEST(ClaudeSettings, ThatAreNoneAreRefused) {
  for (const auto* text : {"[]", R"({"hooks":[]})", R"({"hooks":{"Stop":{}}})", "{"})
    EXPECT_FALSE(with_hooks(text, "gt").has_value()) << text;
}

}  // namespace
}  // namespace townpost
