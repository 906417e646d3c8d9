// gt mail send --bead: mail for the holder of a bead, and what the next one of the same name sees of it.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

class PreviousHolder : public testing::Test {
 protected:
  PreviousHolder() { town.agents({"coder", "tester"}); }
  void works_on(const Words& bead) const { town.json(with({"agent", "hook", "coder"}, bead)); }
  int check() const { return town.gt({"mail", "check", "--as", "coder"}).exit_code; }
  std::string injected(const Words& more = {}) const {
    return town.gt(with({"mail", "check", "--inject", "--as", "coder"}, more)).out;
  }
  std::string inbox() const { return town.gt({"mail", "inbox", "--as", "coder"}).out; }
  Json listed() const { return town.json({"mail", "inbox", "--as", "coder"}).at(0); }
  static bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
  TestTown town;
};

constexpr std::string_view kNote = "for the previous holder (bead gp-7)";

TEST_F(PreviousHolder, MailForAnotherBeadIsListedWithItsNoteAndNotAnnounced) {
  works_on({"gp-7"});
  const auto id = town.send("tester", "coder", "rebase", {"--bead", "gp-7"});
  EXPECT_EQ(check(), 0);
  EXPECT_FALSE(has(inbox(), kNote)) << inbox();
  EXPECT_EQ(text_at(listed(), "bead"), "gp-7");
  EXPECT_EQ(value_at(listed(), "for_previous_holder"), Json(nullptr));

  works_on({"gp-9"});
  EXPECT_EQ(check(), 1);
  EXPECT_EQ(check(), 1) << "now by the hint";
  EXPECT_EQ(injected(), "");
  EXPECT_EQ(injected({"--after-compaction"}), "");
  EXPECT_EQ(town.gt({"mail", "peek", "--as", "coder"}).exit_code, 1);
  EXPECT_TRUE(has(inbox(), id) && has(inbox(), kNote)) << inbox();
  EXPECT_TRUE(flag_at(listed(), "for_previous_holder"));
  EXPECT_EQ(text_at(listed(), "bead"), "gp-7");
  EXPECT_EQ(inbox_ids(town, "coder", {"--unread"}), std::vector<std::string>{id});

  works_on({"gp-7"});
  EXPECT_EQ(check(), 0) << "the hint of the last look is no longer trusted";
  EXPECT_TRUE(has(injected(), id));
  EXPECT_FALSE(has(inbox(), kNote)) << inbox();
}

TEST_F(PreviousHolder, ReadAndExplainTellIt) {
  works_on({"gp-7"});
  const auto id = town.send("tester", "coder", "rebase", {"--bead", "gp-7"});
  EXPECT_TRUE(has(town.gt({"mail", "read", id, "--as", "coder"}).out, "Bead: gp-7"));
  works_on({});
  const auto text = town.gt({"mail", "read", id, "--as", "coder"}).out;
  EXPECT_TRUE(has(text, kNote)) << text;
  EXPECT_TRUE(flag_at(read_as(town, "coder", id), "for_previous_holder"));
  const auto told = value_at(town.json({"mail", "explain", id}), "recipients").at(0);
  EXPECT_TRUE(flag_at(told, "for_previous_holder"));
  EXPECT_EQ(text_at(told, "bead"), "gp-7");
  const auto explained = town.gt({"mail", "explain", id}).out;
  EXPECT_TRUE(has(explained, kNote)) << explained;
  EXPECT_TRUE(has(town.gt({"why", id}).out, kNote));
}

TEST_F(PreviousHolder, OrdinaryMailHasNeitherField) {
  works_on({"gp-7"});
  town.send("tester", "coder", "hello");
  for (const auto* key : {"bead", "for_previous_holder"}) EXPECT_EQ(value_at(listed(), key), Json(nullptr)) << key;
  works_on({"gp-9"});
  EXPECT_EQ(check(), 0);
}

TEST_F(PreviousHolder, TypedMailAndThreadsAreBoundByTheRecipientsBead) {
  works_on({"gp-7"});
  town.json({"mail", "send", "coder", "--protocol", "HELP_RESPONSE", "--field", "bead_id=gp-7", "--as", "tester"});
  town.send("tester", "coder", "by thread", {"--thread", "gp-7"});
  town.send("tester", "coder", "of another bead", {"--thread", "gp-8"});
  works_on({"gp-9"});
  EXPECT_EQ(number_at(town.json({"mail", "check", "--as", "coder"}), "unread"), 1);
  EXPECT_TRUE(has(injected(), "of another bead"));
}

TEST_F(PreviousHolder, AReplyMayNameTheBeadToo) {
  works_on({"gp-9"});
  const auto id = town.send("coder", "tester", "question");
  town.json({"mail", "reply", id, "-m", "answer", "--bead", "gp-7", "--as", "tester"});
  EXPECT_TRUE(flag_at(listed(), "for_previous_holder"));
  EXPECT_EQ(check(), 1);
}

TEST_F(PreviousHolder, WhatIsNoBeadIsRefused) {
  for (const auto* bead : {"two words", "-"})
    expect_refused_untouched(town, {"mail", "send", "-m", "", "coder", "-s", "x", "--bead", bead},
                             {2, "usage", "bead"});
}

}  // namespace
}  // namespace townpost
