#include "post/town/settings_text.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "post/town/settings.h"

namespace townpost {
namespace {

TEST(SettingsText, KnowsEverySettingThatANewFileShowsWithItsDefault) {
  const auto& all = shown_settings();
  const auto has = [&](const std::string& key, const std::string& standard) {
    for (const auto& one : all)
      if (one.key == key && one.standard == standard) return true;
    return false;
  };
  EXPECT_TRUE(has("limits.sender_per_hour", "120"));
  EXPECT_TRUE(has("roles.polecat.idle_timeout", "\"2m\""));
  EXPECT_TRUE(has("store.url", "\"sqlite\""));
  EXPECT_TRUE(has("budgets.dog", "0"));
  for (const auto& one : all) {
    const auto toml = with_setting(new_town_toml("town"), one.key, one.standard);
    ASSERT_TRUE(toml.has_value()) << one.key;
    const auto settings = Settings::parse(*toml);
    ASSERT_TRUE(settings.has_value()) << one.key;
    EXPECT_TRUE(settings->warnings.empty()) << one.key;
  }
}

TEST(SettingsText, OfAFileChangesOneLineOnly) {
  const std::string before = "[town]\nname = \"x\"  # ours\r\n\n[limits]   # few\n# hops_held = 8   # L1\n";
  EXPECT_EQ(with_setting(before, "town.name", "\"y\"").value(),
            "[town]\nname = \"y\"  # ours\r\n\n[limits]   # few\n# hops_held = 8   # L1\n");
  EXPECT_EQ(with_setting(before, "limits.hops_held", "9").value(),
            "[town]\nname = \"x\"  # ours\r\n\n[limits]   # few\nhops_held = 9   # L1\n");
  EXPECT_EQ(with_setting(before, "limits.enabled", "false").value(),
            "[town]\nname = \"x\"  # ours\r\n\n[limits]   # few\nenabled = false\n# hops_held = 8   # L1\n");
  EXPECT_EQ(with_setting("", "roles.crew.idle_timeout", "\"5m\"").value(), "\n[roles.crew]\nidle_timeout = \"5m\"\n");
  EXPECT_EQ(without_setting("[limits]\nenabled = false\nhops_held = 9\n", "limits.enabled").value(),
            "[limits]\nhops_held = 9\n");
}

TEST(SettingsText, OfANewFileIsWhatItWasAfterASettingIsSetAndUnset) {
  const auto fresh = new_town_toml("town");
  for (const auto* key : {"http.listen", "limits.sender_per_hour"}) {
    const auto set = with_setting(fresh, key, key == std::string("http.listen") ? "\"off\"" : "7");
    ASSERT_TRUE(set.has_value());
    EXPECT_NE(*set, fresh);
    EXPECT_EQ(without_setting(*set, key).value(), fresh);
  }
}

TEST(SettingsText, LeavesToAPersonWhatItCannotChangeSafely) {
  EXPECT_FALSE(with_setting("limits.enabled = true\n", "limits.enabled", "false").has_value());
  EXPECT_FALSE(with_setting("limits = { enabled = true }\n", "limits.enabled", "false").has_value());
  EXPECT_FALSE(without_setting("limits.enabled = true\n", "limits.enabled").has_value());
  EXPECT_FALSE(with_setting("[town]\nname = \"\"\"\n[limits]\n\"\"\"\n", "limits.enabled", "false").has_value());
  EXPECT_FALSE(with_setting("[town]\n", "town.name", "\"x\"\nstore = 1").has_value());
}

TEST(SettingsText, TakesWhatIsTypedForWhatItSays) {
  EXPECT_EQ(toml_value("5"), "5");
  EXPECT_EQ(toml_value("true"), "true");
  EXPECT_EQ(toml_value("10m"), "\"10m\"");
  EXPECT_EQ(toml_value("\"10m\""), "\"10m\"");
  EXPECT_EQ(toml_value("a\"b\nc"), "\"a\\\"b\\u000ac\"");
}

}  // namespace
}  // namespace townpost
