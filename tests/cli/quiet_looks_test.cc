// Commands that only look change nothing in the store.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

TEST(Looking, ChangesNothingInTheStore) {
  const TestTown town;
  town.rigs({"beads"});
  town.agents({"alice", "beads/crew/max"});
  const auto id = town.send("alice", "beads/crew/max", "Hi", {"--reply-by", "30m", "--ack"});
  town.send("beads/crew/max", "alice", "Hello", {"--urgent"});
  const auto before = town.dump();
  for (const auto& words : {Words{"whoami"},
                            {"why"},
                            {"why", id},
                            {"why", "beads/crew/max"},
                            {"mail", "why"},
                            {"mail", "inbox"},
                            {"mail", "inbox", "--unread"},
                            {"mail", "inbox", "--archived"},
                            {"inbox"},
                            {"mail", "inbox", "beads/crew/max"},
                            {"mail", "peek"},
                            {"mail", "check"},
                            {"mail", "wait"},
                            {"mail", "sent"},
                            {"mail", "waiting"},
                            {"mail", "thread", id},
                            {"mail", "explain", id},
                            {"mail", "directory"},
                            {"mail", "budget"},
                            {"rig", "list"},
                            {"rig", "show", "beads"},
                            {"agent", "list"},
                            {"agent", "show", "alice"}}) {
    for (const auto& form : {Words{}, Words{"--json"}, Words{"-q"}}) {
      const auto looked = town.gt(with(with(words, {"--as", "alice"}), form));
      EXPECT_EQ(looked.exit_code, 0) << join(words, " ") << ": " << looked.err;
      EXPECT_EQ(looked.err, "") << join(words, " ");
    }
    EXPECT_EQ(town.dump(), before) << "changed by gt " << join(words, " ");
  }
}

TEST(Looking, AnswersJsonOfTheSameThingThatItPrints) {
  const TestTown town;
  town.agents({"alice"});
  const auto id = town.send("overseer", "alice", "A subject");
  for (const auto& words : {Words{"mail", "inbox"},
                            {"mail", "peek"},
                            {"mail", "read", id},
                            {"mail", "thread", id},
                            {"mail", "explain", id},
                            {"mail", "search", "subject"}}) {
    const auto text = town.gt(with(words, {"--as", "alice"}));
    const auto json = town.gt(with(words, {"--as", "alice", "--json"}));
    EXPECT_NE(text.out.find("A subject"), std::string::npos) << text.out;
    EXPECT_NE(json.out.find("\"A subject\""), std::string::npos) << json.out;
    EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 1) << "JSON is one line: " << json.out;
  }
}

}  // namespace
}  // namespace townpost
