// `gt start`: agents in tmux windows, on a server of their own, with a program that is called claude and only waits.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"
#include "support/tmux_server.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class Start : public testing::Test {
 protected:
  Start() {
    fs::create_directories(town.folder() / "bin");
    install("claude", "exec cat");
    for (const auto* tool : {"tmux", "sh", "cat", "env"}) {
      const auto found = town.shell(cat("command -v ", tool)).out;
      fs::create_symlink(std::string(trim(found)), town.folder() / "bin" / tool);
    }
  }
  ~Start() override { town.gt({"down"}); }

  void install(const std::string& name, const std::string& script) const {
    const auto file = town.folder() / "bin" / name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  Variables variables() const {
    auto out = tmux.variables();
    out["PATH"] = (town.folder() / "bin").string();
    return out;
  }
  ProcessOutput start(Words words) const {
    words.insert(words.begin(), {"start", "--as", "overseer"});
    return town.gt(words, variables());
  }
  Json started(Words words) const {
    words.insert(words.begin(), "--json");
    const auto out = start(words);
    EXPECT_EQ(out.exit_code, 0) << out.err << out.out;
    return parse_json(out.out).value_or(Json());
  }
  Texts windows() const {
    Texts out;
    const auto printed = tmux.tmux({"list-windows", "-a", "-F", "#{window_name}"}).out;
    for (const auto line : split(trim(printed), '\n')) out.emplace_back(line);
    return out;
  }

  TestTown town;
  TmuxServer tmux{town};
};

TEST_F(Start, RegistersHooksWatchesAndOpensAWindow) {
  const auto out = started({"coder"});
  EXPECT_EQ(texts_in(value_at(out, "agents"), "address"), Texts{"coder"});
  EXPECT_EQ(text_at(value_at(out, "hooks"), "file"), (town.folder() / ".claude/settings.local.json").string());
  EXPECT_TRUE(flag_at(value_at(out, "dispatcher"), "started"));
  EXPECT_EQ(windows(), Texts{"coder"});
  const auto agent = town.json({"agent", "show", "coder"});
  EXPECT_EQ(text_at(agent, "session"), text_at(items_of(value_at(out, "agents")).at(0), "session"));
  EXPECT_TRUE(flag_at(town.json({"status"}), "watching"));
}

TEST_F(Start, GivesWhatRunsThereItsName) {
  install("claude", cat("'", gt_program(), "' whoami >'", (town.folder() / "who").string(), "'; exec cat"));
  started({"coder", "--", "claude", "--model", "a;b;"});
  const auto who = town.shell("until [ -s who ]; do sleep 0.05; done; cat who");
  EXPECT_EQ(who.out, "coder (pane)\n");
}

TEST_F(Start, PassesTheCommandOnWordByWord) {
  install("agentic", cat("printf '<%s>' \"$@\" >'", (town.folder() / "words").string(), "'; exec cat"));
  started({"coder", "--", "agentic", "two words", "$HOME", ";", "x;", "#{pane_id}", "'"});
  const auto words = town.shell("until [ -s words ]; do sleep 0.05; done; cat words");
  EXPECT_EQ(words.out, "<two words><$HOME><;><x;><#{pane_id}><'>");
}

TEST_F(Start, OfManyFindsNamesForThem) {
  town.agents({"claude-2"});
  EXPECT_EQ(texts_in(value_at(started({"3"}), "agents"), "address"), (Texts{"claude-1", "claude-3", "claude-4"}));
  EXPECT_EQ(windows().size(), 3u);
}

TEST_F(Start, OfWhoRunsAlreadyIsRefusedAndOpensNothing) {
  started({"coder"});
  const auto again = start({"coder"});
  EXPECT_EQ(again.exit_code, 5) << again.err;
  EXPECT_NE(again.err.find("coder runs already"), std::string::npos) << again.err;
  EXPECT_EQ(windows(), Texts{"coder"});
  EXPECT_EQ(texts_in(value_at(started({"other"}), "agents"), "address"), Texts{"other"});
  EXPECT_EQ(windows(), (Texts{"coder", "other"})) << "beside the first, in the same session";
}

TEST_F(Start, InsideTmuxOpensTheWindowThere) {
  const auto pane = tmux.start_session("desk");
  auto inside = variables();
  const auto out = tmux.gt_in_pane(pane, {"start", "coder", "--json"}, inside);
  ASSERT_EQ(out.exit_code, 0) << out.out << out.err;
  EXPECT_EQ(text_at(items_of(value_at(parse_json(out.out).value(), "agents")).at(0), "tmux_session"), "desk");
}

TEST_F(Start, WithoutTmuxOrTheProgramChangesNothing) {
  const auto before = town.dump();
  fs::remove(town.folder() / "bin" / "tmux");
  const auto no_tmux = start({"coder"});
  EXPECT_EQ(no_tmux.exit_code, 4);
  EXPECT_NE(no_tmux.err.find("there is no program tmux"), std::string::npos) << no_tmux.err;
  EXPECT_NE(no_tmux.err.find("gt agent run --as coder -- COMMAND"), std::string::npos) << no_tmux.err;
  const auto no_program = start({"coder", "--", "nowhere-to-be-found"});
  EXPECT_EQ(no_program.exit_code, 4);
  EXPECT_NE(no_program.err.find("there is no program nowhere-to-be-found"), std::string::npos) << no_program.err;
  fs::remove(town.folder() / "bin" / "claude");
  EXPECT_NE(start({"coder"}).err.find("install Claude Code"), std::string::npos);
  EXPECT_EQ(town.dump(), before);
  EXPECT_FALSE(fs::exists(town.folder() / ".claude"));
  EXPECT_FALSE(flag_at(town.json({"status"}), "watching"));
}

TEST_F(Start, OfAProgramThatEndsAtOnceShowsItsLastWords) {
  install("claude", "echo 'not logged in'; exit 3");
  const auto out = start({"coder"});
  EXPECT_EQ(out.exit_code, 6) << out.err;
  EXPECT_NE(out.err.find("coder ended at once"), std::string::npos) << out.err;
  EXPECT_NE(out.err.find("not logged in"), std::string::npos) << out.err;
}

TEST_F(Start, IsForPeople) {
  const auto before = town.dump();
  town.agents({"mallory"});
  const auto out = town.gt({"start", "coder"}, {{"MAIL_IDENTITY", "mallory"}});
  EXPECT_EQ(out.exit_code, 5) << out.err;
  EXPECT_EQ(town.gt({"start", "0", "--as", "overseer"}, variables()).exit_code, 2);
  EXPECT_EQ(town.gt({"start", "21", "--as", "overseer"}, variables()).exit_code, 2);
  EXPECT_EQ(town.gt({"start", "Not A Name", "--as", "overseer"}, variables()).exit_code, 2);
}

TEST_F(Start, OfAProgramThatNobodyKnowsSaysHowNudgesAreTypedThere) {
  install("reader", "exec cat");
  const auto out = start({"bob", "--", "reader"});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_NE(out.err.find("no nudge is typed into reader"), std::string::npos) << out.err;
  const auto add =
      cat("gt agent add bob --session ", text_at(town.json({"agent", "show", "bob"}), "session"), " --harness raw");
  EXPECT_NE(out.err.find(add), std::string::npos) << out.err;
  EXPECT_EQ(start({"coder"}).err.find("no nudge is typed"), std::string::npos);
}

TEST_F(Start, InASessionMakesNoOtherAgentOfIt) {
  const auto pane = tmux.start_session("desk");
  auto inside = variables();
  ASSERT_EQ(tmux.gt_in_pane(pane, {"start", "coder", "--json"}, inside).exit_code, 0);
  const auto status = town.gt({"status"}, variables());
  EXPECT_EQ(status.out.find("claude runs in it"), std::string::npos) << status.out;
  EXPECT_NE(town.gt({"stop", "coder", "--now", "--as", "overseer"}, variables()).out.find("told to end"),
            std::string::npos);
}

}  // namespace
}  // namespace townpost
