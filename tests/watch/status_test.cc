// `gt status`: who needs a person, and where everybody is.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "support/terminal.h"

namespace townpost {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class StatusCommand : public testing::Test {
 protected:
  StatusCommand() {
    town.rigs({"api"});
    town.agents({"alice", "api/crew/max", "api/polecats/nux"});
  }
  /// A session of Claude Code in which that happens.
  void hook(const std::string& agent, const std::string& event, const std::string& more = "") const {
    const auto out = town.gt({"signal", "claude", event}, {{"MAIL_IDENTITY", agent}},
                             cat(R"({"hook_event_name":")", event, R"(","session_id":"s-)",
                                 agent.substr(agent.rfind('/') + 1), "\"", more, "}"));
    EXPECT_EQ(out.exit_code, 0) << out.err;
  }
  void blocks(const std::string& agent) const {
    hook(agent, "SessionStart", R"(,"source":"startup")");
    hook(agent, "Notification",
         R"(,"notification_type":"permission_prompt","message":"Claude needs your permission to use Bash")");
  }
  Words states(const Words& words) const { return texts_in(value_at(town.json(words), "agents"), "address"); }
  TestTown town;
};

TEST_F(StatusCommand, HasHeadingsAndSaysFirstWhoNeedsAPersonAndWhatIsAsked) {
  blocks("api/crew/max");
  town.send("alice", "api/crew/max", "waiting for you");
  const auto lines = lines_of(town.gt({"status", "--as", "overseer"}).out);
  ASSERT_GE(lines.size(), 5u);
  EXPECT_TRUE(holds(lines[0], " agents · 1 needs you")) << lines[0];
  for (const auto* heading : {"AGENT", "STATE", "FOR", "UNREAD", "NUDGES", "NOTE"})
    EXPECT_TRUE(holds(lines[1], heading)) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("!")) << lines[2];
  EXPECT_TRUE(holds(lines[2], "api/crew/max")) << lines[2];
  EXPECT_TRUE(holds(lines[2], "blocked")) << lines[2];
  EXPECT_TRUE(holds(lines[2], "Claude needs your permission to use Bash")) << lines[2];
  EXPECT_TRUE(holds(lines[3], "not running")) << "and not unknown: " << lines[3];
}

TEST_F(StatusCommand, TellsTheWholeQuestionHoweverNarrowTheTerminal) {
  hook("api/crew/max", "SessionStart", R"(,"source":"startup")");
  hook("api/crew/max", "Notification",
       R"(,"notification_type":"permission_prompt","message":"Claude needs your permission to use Bash )"
       R"(in the folder build of the branch that reviews the parser")");
  const auto shown = gt_on_terminal(town, {"status", "--color", "never", "--as", "overseer"}).out;
  std::string words;
  for (const auto& line : lines_of(shown)) words += cat(trim(line), " ");
  EXPECT_TRUE(holds(words,
                    "max is blocked: \"Claude needs your permission to use Bash "
                    "in the folder build of the branch that reviews the parser\""))
      << shown;
}

TEST_F(StatusCommand, ColumnsStandBelowEachOther) {
  blocks("api/crew/max");
  const auto lines = lines_of(town.gt({"status", "--as", "overseer"}).out);
  const auto state = lines[1].find("STATE");
  EXPECT_EQ(lines[2].find("blocked"), state) << lines[1] << "\n" << lines[2];
  EXPECT_EQ(lines[3].find("not running"), state) << lines[3];
}

TEST_F(StatusCommand, ShowsOneAgentAPatternOrAWildcard) {
  EXPECT_EQ(states({"status", "max"}), Words{"api/crew/max"});
  EXPECT_EQ(states({"status", "@crew"}), Words{"api/crew/max"});
  EXPECT_EQ(states({"status", "alice", "@polecats"}).size(), 2u);
  EXPECT_GE(states({"status"}).size(), 3u);
  expect_refusal(town, {"status", "nobody"}, {4, "not_found", "nobody"});
}

TEST_F(StatusCommand, LineIsOneShortLineForTheStatusLineOfTmux) {
  EXPECT_TRUE(town.gt({"status", "--line"}).out.ends_with(" agents\n"));
  blocks("api/crew/max");
  town.send("alice", "overseer", "for you");
  const auto line = town.gt({"status", "--line", "--as", "overseer"}).out;
  EXPECT_TRUE(line.starts_with("1 needs you: api/crew/max blocked ")) << line;
  EXPECT_TRUE(line.ends_with(" · 1 unread\n")) << line;
  EXPECT_FALSE(holds(line, "permission")) << "tmux reads formats in it: nobody's words stand there";
}

TEST_F(StatusCommand, JsonIsComplete) {
  blocks("api/crew/max");
  const auto status = town.json({"status"});
  EXPECT_EQ(text_at(status, "town"), text_at(town.json({"init"}), "name"));
  const auto agent = items_of(value_at(status, "agents")).at(0);
  EXPECT_TRUE(flag_at(agent, "needs_you"));
  EXPECT_EQ(text_at(agent, "role"), "crew");
  EXPECT_EQ(text_at(agent, "harness"), "claude");
  EXPECT_EQ(text_at(agent, "incarnation"), "s-max");
  EXPECT_TRUE(is_instant(text_at(agent, "since")));
  EXPECT_EQ(number_at(agent, "held"), 0);
}

TEST_F(StatusCommand, MarksWhoIsHeldOrQuarantined) {
  ASSERT_EQ(town.gt({"hold", "alice", "--as", "overseer"}).exit_code, 0);
  ASSERT_EQ(town.gt({"agent", "quarantine", "nux", "--as", "overseer"}).exit_code, 0);
  const auto out = town.gt({"status"}).out;
  EXPECT_TRUE(holds(out, "  held\n")) << out;
  EXPECT_TRUE(holds(out, "  quarantined\n")) << out;
}

TEST_F(StatusCommand, WatchShowsItAgainWhenSomethingChanges) {
  const auto out = town.shell(R"sh(
    "$GT" status --watch >seen &
    watch=$!
    until [ "$(grep -c AGENT seen)" -ge 2 ]; do sleep 0.05; done
    "$GT" agent add newcomer -q >/dev/null
    until grep -q newcomer seen; do sleep 0.05; done
    echo '{"hook_event_name":"SessionStart","session_id":"s-9","source":"startup"}' | MAIL_IDENTITY=newcomer "$GT" signal claude SessionStart >/dev/null
    until grep newcomer seen | grep -qv "not running"; do sleep 0.05; done
    kill $watch
    echo done
  )sh");
  EXPECT_EQ(out.out, "done\n") << out.err;
}

TEST_F(StatusCommand, AgentShowIsTheWholeCard) {
  blocks("api/crew/max");
  town.send("alice", "api/crew/max", "waiting");
  ASSERT_EQ(town.gt({"hold", "max", "--as", "overseer"}).exit_code, 0);
  const auto agent = town.json({"agent", "show", "max"});
  EXPECT_EQ(text_at(agent, "state"), "blocked");
  EXPECT_TRUE(holds(text_at(agent, "detail"), "Claude needs your permission to use Bash"));
  EXPECT_EQ(number_at(agent, "unread"), 1);
  EXPECT_EQ(text_at(agent, "held_until"), "released");
  const auto card = town.gt({"agent", "show", "max"}).out;
  for (const auto* word : {"blocked", "permission", "crew"}) EXPECT_TRUE(holds(card, word)) << card;
}

}  // namespace
}  // namespace townpost
