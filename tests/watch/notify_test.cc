// `[notify]`: how a person is told who does not look.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

class NotifyCommand : public testing::Test {
 protected:
  NotifyCommand() { town.agents({"alice", "bob"}); }
  /// What the command wrote while `gt up` ran and the script went on.
  ProcessOutput while_up(const std::string& script, const Variables& variables = {}) const {
    return town.shell(cat(R"sh(
      "$GT" up --as overseer >seen 2>said &
      up=$!
      until grep -q "watching over" said; do sleep 0.05; done
    )sh",
                          script, R"sh(
      kill $up; wait $up
    )sh"),
                      variables);
  }
  void command(const std::string& toml) const { town.settings(cat("[notify]\ncommand = ", toml, "\n")); }
  TestTown town;
};

TEST_F(NotifyCommand, IsRunForUrgentMailToThePersonWithItsWordsInVariables) {
  command(R"("sh -c 'printf \"%s|%s|%s\\n\" \"$GT_NOTIFY_AGENT\" \"$GT_NOTIFY_WHY\" \"$GT_NOTIFY_TEXT\" >>told'")");
  const auto out = while_up(R"sh(
      "$GT" mail send overseer -s 'help $(touch owned) `touch owned`' -m x --priority urgent --as alice -q >/dev/null
      until [ -s told ]; do sleep 0.05; done
  )sh");
  EXPECT_EQ(read_file(town.folder() / "told").value(),
            "alice|mail|urgent mail from alice: help $(touch owned) `touch owned`\n")
      << out.err;
  EXPECT_FALSE(std::filesystem::exists(town.folder() / "owned"));
}

TEST_F(NotifyCommand, IsNotRunAgainForTheSameAgentSoonAfter) {
  command(R"("sh -c 'echo $GT_NOTIFY_AGENT >>told'")");
  while_up(R"sh(
      for i in 1 2 3; do
        "$GT" mail send overseer -s "help $i" -m "$i" --priority urgent --as alice -q >/dev/null
      done
      "$GT" mail send overseer -s help -m x --priority urgent --as bob -q >/dev/null
      until grep -q bob told; do sleep 0.05; done
  )sh");
  EXPECT_EQ(read_file(town.folder() / "told").value(), "alice\nbob\n");
}

TEST_F(NotifyCommand, TellsOfABlockedAgentWhateverUrgentMailCame) {
  command(R"("sh -c 'echo $GT_NOTIFY_AGENT $GT_NOTIFY_WHY >>told'")");
  while_up(R"sh(
      event() {
        printf '{"hook_event_name":"%s","session_id":"s-1","source":"startup"%s}' "$1" "$2" |
          MAIL_IDENTITY=alice "$GT" signal claude "$1" >/dev/null 2>&1
      }
      "$GT" mail send overseer -s "all is well" -m x --priority urgent --as alice -q >/dev/null
      until grep -q mail told; do sleep 0.05; done
      event SessionStart
      event Notification ',"notification_type":"permission_prompt","message":"may I?"'
      until grep -q blocked told; do sleep 0.05; done
  )sh");
  EXPECT_EQ(read_file(town.folder() / "told").value(), "alice mail\nalice blocked\n");
}

TEST_F(NotifyCommand, OfATownThatNobodyTrustedIsNotRun) {
  command(R"("sh -c 'echo told >>told'")");
  auto out =
      while_up(R"sh(
      "$GT" mail send overseer -s help -m x --priority urgent --as alice -q >/dev/null
      until grep -q "have not trusted" said; do sleep 0.05; done
  )sh",
               {{"XDG_CONFIG_HOME", (town.folder() / "elsewhere").string()}, {"GT_TOWN", town.folder().string()}});
  EXPECT_FALSE(std::filesystem::exists(town.folder() / "told")) << out.err;
}

TEST_F(NotifyCommand, ThatIsNoProgramIsToldOfAndHarmsNothing) {
  command(R"("no-such-program-at-all")");
  const auto out = while_up(R"sh(
      "$GT" mail send overseer -s help -m x --priority urgent --as alice -q >/dev/null
      until grep -q "notify.command" said; do sleep 0.05; done
      "$GT" mail send bob -s "and on" -m x --as alice -q >/dev/null
      until grep -q "and on" seen; do sleep 0.05; done
  )sh");
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_EQ(read_file(town.folder() / "seen").value().find('\a'), std::string::npos) << "no bell into a file";
}

TEST_F(NotifyCommand, SettingsAreChecked) {
  command("\"sh -c 'not closed\"");
  expect_refusal(town, {"status"}, {2, "usage", "quotes that are closed"});
  town.settings("[notify]\nbell = \"loud\"\n");
  expect_refusal(town, {"status"}, {2, "usage", "bell must be true or false"});
}

}  // namespace
}  // namespace townpost
