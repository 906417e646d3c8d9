// `gt doctor`: what is wrong with a town and its machine, found by trying.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class Doctor : public testing::Test {
 protected:
  Doctor() {
    fs::create_directories(programs.folder() / "bin");
    fs::create_symlink(gt_program(), programs.folder() / "bin" / "gt");
    program("claude", "echo '2.1.325 (Claude Code)'");
    program("tmux", "echo 'tmux 3.3a'");
  }
  void program(const std::string& name, const std::string& script) const {
    const auto file = programs.folder() / "bin" / name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  ProcessOutput run(Words words = {}) const {
    words.insert(words.begin(), {"doctor", "--json", "--as", "overseer"});
    return town.gt(words, {{"PATH", cat((programs.folder() / "bin").string(), ":/usr/bin:/bin")}});
  }
  /// "good", "absent", "warning" or "problem": the worst that is said about it, and what it says.
  std::pair<std::string, std::string> found(const std::string& about, const Words& words = {}) const {
    std::pair<std::string, std::string> worst;
    const auto out = run(words);
    for (const auto& one : items_of(parse_json(out.out).value_or(Json(JsonArray()))))
      if (text_at(one, "about") == about && (worst.first != "problem"))
        worst = {text_at(one, "health"), text_at(one, "what")};
    return worst;
  }
  TestTown town;
  TestTown programs{TestTown::Start::empty_folder};  ///< not below the town: of a project's own programs none is run
};

TEST_F(Doctor, FindsNothingWrongInANewTown) {
  const auto out = run();
  EXPECT_EQ(out.exit_code, 0) << out.out;
  EXPECT_EQ(out.out.find("\"problem\""), std::string::npos) << out.out;
  EXPECT_EQ(found("dispatcher").first, "warning");
  EXPECT_EQ(found("claude").first, "warning") << "it has no hooks yet";
}

TEST_F(Doctor, CallsTheHooksThatAreInstalled) {
  town.json({"harness", "install", "claude"});
  EXPECT_EQ(found("claude").first, "good");
  const auto settings = town.folder() / ".claude" / "settings.local.json";
  auto text = read_file(settings).value();
  const std::string ours = gt_program();
  const TestTown elsewhere(TestTown::Start::empty_folder);
  const auto gone = (elsewhere.folder() / "old" / "gt").string();
  for (auto at = text.find(ours); at != std::string::npos; at = text.find(ours, at + gone.size()))
    text.replace(at, ours.size(), gone);
  std::ofstream(settings) << text;
  EXPECT_EQ(found("claude").first, "problem");
  EXPECT_NE(found("claude").second.find("does not run"), std::string::npos);
  EXPECT_EQ(run().exit_code, 1);
  EXPECT_EQ(found("claude", {"--fix"}).first, "good");
  EXPECT_EQ(found("claude").first, "good");
}

TEST_F(Doctor, DoesNotWaitAtSettingsThatAreNoOrdinaryFile) {
  fs::create_directories(town.folder() / ".claude");
  const auto settings = town.folder() / ".claude" / "settings.json";
  ASSERT_EQ(::mkfifo(settings.c_str(), 0600), 0);
  EXPECT_NE(found("claude").first, "good");
  EXPECT_EQ(town.gt({"harness", "status", "claude"}).err, "");
  fs::remove(settings);
  fs::create_symlink("/proc/kmsg", settings);  // only root may open it, and then it waits for the kernel's next message
  EXPECT_NE(found("claude").first, "good");
  EXPECT_NE(town.gt({"harness", "status", "claude"}).exit_code, -1);
}

TEST_F(Doctor, FindsHooksThatRunAndDoNotAnswer) {
  town.json({"harness", "install", "claude"});
  const auto settings = town.folder() / ".claude" / "settings.local.json";
  const TestTown elsewhere(TestTown::Start::empty_folder);
  const auto in_path = programs.folder() / "bin" / "gt";
  const auto call_instead = [&](const fs::path& program, const std::string& script) {
    fs::remove(program);  // it may be a link to us
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(program, fs::perms::owner_all);
    town.json({"harness", "install", "claude"});
    auto text = read_file(settings).value();
    const std::string ours = gt_program();
    for (auto at = text.find(ours); at != std::string::npos; at = text.find(ours, at + program.string().size()))
      text.replace(at, ours.size(), program.string());
    std::ofstream(settings) << text;
    return found("claude");
  };
  const auto version = cat("[ \"$1\" = --version ] && exec ", gt_program(), " --version; ");
  EXPECT_EQ(call_instead(in_path, version + "exit 1").first, "problem");
  EXPECT_NE(found("claude").second.find("does not answer"), std::string::npos) << found("claude").second;
  EXPECT_EQ(call_instead(in_path, version + "cat >/dev/null").first, "good");
  EXPECT_EQ(call_instead(in_path, "touch " + (elsewhere.folder() / "called").string()).first, "problem");
  EXPECT_NE(found("claude").second.find("another version"), std::string::npos) << found("claude").second;
  EXPECT_EQ(call_instead(elsewhere.folder() / "gt", "touch " + (elsewhere.folder() / "ran").string()).first, "problem");
  EXPECT_FALSE(fs::exists(elsewhere.folder() / "ran")) << "a program that is not the gt of the PATH was run";
  const auto mark = town.folder() / "ran";
  EXPECT_EQ(call_instead(town.folder() / "gt", "touch " + mark.string()).first, "problem");
  EXPECT_FALSE(fs::exists(mark)) << "a repository's own program was run";
}

TEST_F(Doctor, NamesCuresAsTheyAreTyped) {
  town.settings("[limits]\nspeed = 5\n");
  const auto text =
      town.gt({"doctor", "--as", "overseer"}, {{"PATH", cat((programs.folder() / "bin").string(), ":/usr/bin:/bin")}})
          .out;
  for (const Words& cure : {Words{"up", "--detach"}, {"config", "edit"}, {"harness", "install", "claude"}}) {
    EXPECT_NE(text.find(cat("gt ", join(cure, " "))), std::string::npos) << join(cure, " ") << " in\n" << text;
    EXPECT_EQ(town.gt(with(cure, {"--help"})).exit_code, 0) << join(cure, " ");
  }
}

TEST_F(Doctor, CallsNothingGoodThatIsNotThere) {
  fs::remove(programs.folder() / "bin" / "claude");
  EXPECT_EQ(found("claude").first, "absent");
  EXPECT_NE(found("claude").second.find("not installed"), std::string::npos) << found("claude").second;
  EXPECT_EQ(run().exit_code, 0) << "nobody needs Claude Code";
}

TEST_F(Doctor, FindsTheProgramThatNotifies) {
  EXPECT_EQ(found("notify").first, "absent");
  town.settings("[notify]\ncommand = \"no-such-program --loud\"\n");
  EXPECT_EQ(found("notify").first, "problem");
  EXPECT_NE(found("notify").second.find("no-such-program"), std::string::npos) << found("notify").second;
  EXPECT_EQ(run().exit_code, 1);
  town.settings("[notify]\ncommand = \"/nowhere/ring\"\n");
  EXPECT_EQ(found("notify").first, "problem");
  const auto mark = programs.folder() / "rang";
  program("ring", cat("touch ", mark.string()));
  town.settings("[notify]\ncommand = \"ring\"\n");
  EXPECT_EQ(found("notify").first, "good") << found("notify").second;
  fs::permissions(programs.folder() / "bin" / "ring", fs::perms::owner_read);
  EXPECT_EQ(found("notify").first, "problem") << "it may not be run";
  EXPECT_FALSE(fs::exists(mark)) << "a person would be told of something that did not happen";
}

TEST_F(Doctor, LooksIntoTheStore) {
  std::ofstream(town.folder() / ".town" / "town.db", std::ios::in | std::ios::out) << "garbage at the very beginning";
  EXPECT_EQ(found("store").first, "problem");
  EXPECT_EQ(run().exit_code, 1);
}

TEST_F(Doctor, NamesSettingsThatNothingReads) {
  town.settings("[limits]\nspeed = 5\n");
  EXPECT_EQ(found("settings").first, "warning");
  EXPECT_NE(found("settings").second.find("limits.speed"), std::string::npos);
}

TEST_F(Doctor, WorksWithoutATown) {
  const TestTown nowhere(TestTown::Start::empty_folder);
  const auto out = nowhere.gt({"doctor", "--json"});
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_NE(out.out.find("no town here"), std::string::npos) << out.out;
}

}  // namespace
}  // namespace townpost
