// `gt config`: the town's settings, one at a time.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

std::string file_of(const TestTown& town) { return read_file(town.folder() / ".town/town.toml").value_or(""); }

TEST(Config, ListsEverySettingWithItsOriginAndDefault) {
  const TestTown town;
  const auto all = items_of(town.json({"config", "list"}));
  EXPECT_GT(all.size(), 30u);
  EXPECT_EQ(text_at(all.front(), "key"), "town.name");
  EXPECT_EQ(text_at(all.front(), "origin").substr(0, 15), "town.toml, line");
  const auto rate = town.json({"config", "get", "limits.sender_per_hour"});
  EXPECT_EQ(text_at(rate, "value"), "120");
  EXPECT_EQ(text_at(rate, "origin"), "default");
}

TEST(Config, IsChangedInPlaceAndPutBack) {
  const TestTown town;
  const auto before = file_of(town);
  const auto set = town.json({"config", "set", "limits.sender_per_hour", "500", "--as", "overseer"});
  EXPECT_TRUE(flag_at(set, "changed"));
  EXPECT_EQ(text_at(town.json({"config", "get", "limits.sender_per_hour"}), "value"), "500");
  EXPECT_EQ(items_of(town.json({"config", "list", "--changed"})).size(), 2u) << "and the town's name";
  EXPECT_NE(file_of(town).find("\nsender_per_hour = 500     # L3"), std::string::npos) << "its comment stays";
  town.json({"config", "unset", "limits.sender_per_hour", "--as", "overseer"});
  EXPECT_EQ(text_at(town.json({"config", "get", "limits.sender_per_hour"}), "origin"), "default");
  EXPECT_EQ(file_of(town), before);
}

TEST(Config, RefusesWhatTheSettingsDoNotTakeAndChangesNothing) {
  const TestTown town;
  const auto before = file_of(town);
  expect_refusal(town, {"config", "set", "limits.sender_per_hour", "many", "--as", "overseer"},
                 {2, "usage", "must be a whole number"});
  expect_refusal(town, {"config", "set", "limits.sender_per_huor", "5", "--as", "overseer"},
                 {2, "usage", "there is no setting limits.sender_per_huor"});
  expect_refusal(town, {"config", "set", "roles.polecat.idle_timeout", "soon", "--as", "overseer"},
                 {2, "usage", "idle_timeout"});
  expect_refusal(town, {"config", "set", "mail.wisp_age", "2", "--as", "overseer"}, {2, "usage", "has no unit"});
  expect_refusal(town, {"config", "set", "store.url", "mysql://x", "--as", "overseer"}, {2, "usage", "PostgreSQL"});
  town.agents({"mallory"});
  EXPECT_EQ(town.gt({"config", "set", "limits.enabled", "false"}, {{"MAIL_IDENTITY", "mallory"}}).exit_code, 5);
  EXPECT_EQ(file_of(town), before);
}

TEST(Config, ShowsNoPassword) {
  const TestTown town;
  const auto shown =
      town.gt({"config", "get", "store.url"}, {{"GT_STORE", "postgres://u:s3cret@db/town?password=s3cret"}});
  EXPECT_EQ(shown.out.find("s3cret"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("GT_STORE"), std::string::npos) << shown.out;
}

TEST(Config, IsCheckedAfterItWasEdited) {
  const TestTown town;
  const auto edit = [&](const std::string& command) {
    return town.shell(cat("printf '#!/bin/sh\\n", command,
                          "\\n' >editor && chmod +x editor && EDITOR=$PWD/editor \"$GT\" "
                          "config edit --as overseer --json"));
  };
  EXPECT_NE(edit("true").out.find("\"changed\":false"), std::string::npos);
  EXPECT_NE(edit("echo \"# more\" >>\"$1\"").out.find("\"changed\":true"), std::string::npos);
  const auto broken = edit("echo \"[\" >>\"$1\"");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_NE(broken.err.find("line "), std::string::npos) << broken.err;
}

}  // namespace
}  // namespace townpost
