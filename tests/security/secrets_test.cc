// What must not be seen by others: mail on the disk, passwords in addresses, settings with keys in them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/text.h"
#include "support/test_town.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(const fs::path& path) {
  struct stat found {};
  EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

void expect_private(const fs::path& town) {
  EXPECT_EQ(mode_of(town), 0700u);
  for (const auto& entry : fs::recursive_directory_iterator(town))
    EXPECT_EQ(mode_of(entry.path()), entry.is_directory() ? 0700u : 0600u) << entry.path();
}

TEST(Secrets, ATownIsForItsUserOnlyWhateverTheUmaskSays) {
  for (const auto* mask : {"000", "022", "077"}) {
    SCOPED_TRACE(mask);
    const TestTown machine(TestTown::Start::empty_folder);
    const auto done = machine.shell(
        cat("umask ", mask,
            "; $GT init && $GT agent add coder && $GT mail send coder -s Hi -m x && $GT mail inbox coder"
            " && $GT nudge coder look; $GT mail check --inject --as coder; $GT mail wait --timeout 1ms --as coder;"
            " echo '{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s\"}' | $GT signal claude SessionStart --as "
            "coder;"
            " echo broken >> .town/town.toml; $GT mail check --inject"));
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    EXPECT_TRUE(fs::exists(machine.folder() / ".town/log/signal.log"));
    expect_private(machine.folder() / ".town");
    EXPECT_EQ(mode_of(machine.folder() / ".config/townpost/towns"), 0600u);
  }
}

TEST(Secrets, ATownThatOthersCouldReadIsMadePrivateByTheNextCommand) {
  const TestTown town;
  ASSERT_EQ(town.shell("chmod -R a+rX .town").exit_code, 0);
  EXPECT_EQ(town.gt({"mail", "check", "--inject"}).exit_code, 0);
  expect_private(town.folder() / ".town");
}

TEST(Secrets, OfATownAreSharedWithAGroupIfItsSettingsSaySo) {
  ASSERT_EQ(::geteuid(), 0u) << "only root is in every group";
  const TestTown town;
  town.settings("[town]\ngroup = \"daemon\"");
  ASSERT_EQ(town.gt({"mail", "send", "mayor/", "-s", "Hi", "-m", "x"}).exit_code, 0);
  const auto folder = town.folder() / ".town";
  EXPECT_EQ(mode_of(folder), 02770u);
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    EXPECT_EQ(mode_of(entry.path()), entry.is_directory() ? 02770u : 0660u) << entry.path();
  ASSERT_EQ(town.shell("chmod 755 .").exit_code, 0);
  // A member of the group uses it after a word of trust; who is none does not.
  const std::string as_member = "setpriv --reuid 12345 --regid daemon --clear-groups env HOME=$PWD/member ";
  const std::string as_stranger = "setpriv --reuid 12345 --regid 12345 --clear-groups env HOME=$PWD/member ";
  ASSERT_EQ(town.shell("mkdir member && chown 12345 member").exit_code, 0);
  EXPECT_EQ(town.shell(as_member + "$GT mail inbox").exit_code, 3);
  EXPECT_EQ(town.shell(as_member + "$GT trust --as overseer").exit_code, 0);
  const auto sent = town.shell(as_member + "$GT mail send mayor/ -s Hi -m y");
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  EXPECT_EQ(town.shell(as_stranger + "$GT mail inbox").exit_code, 3);
  EXPECT_EQ(town.gt({"mail", "send", "mayor/", "-s", "Hi", "-m", "z"}).exit_code, 0);
  town.settings("");
  EXPECT_EQ(town.gt({"mail", "inbox"}).exit_code, 0);
  expect_private(folder);
}

TEST(Secrets, InTheSettingsOfAHarnessStayAsPrivateAsTheyWere) {
  const TestTown town;
  fs::create_directory(town.folder() / ".claude");
  const auto settings = town.folder() / ".claude/settings.local.json";
  std::ofstream(settings) << R"({"env":{"KEY":"s3cret"}})";
  for (const auto* mode : {"600", "640", "644"}) {
    ASSERT_EQ(town.shell(cat("chmod ", mode, " .claude/settings.local.json")).exit_code, 0);
    ASSERT_EQ(town.gt({"harness", "install", "claude", "--as", "overseer"}).exit_code, 0);
    EXPECT_EQ(mode_of(settings), std::stoul(mode, nullptr, 8));
    ASSERT_EQ(town.gt({"harness", "uninstall", "claude", "--as", "overseer"}).exit_code, 0);
    EXPECT_EQ(mode_of(settings), std::stoul(mode, nullptr, 8));
  }
}

TEST(Secrets, InTheAddressOfAServerAreShownToNobody) {
  const TestTown town;
  for (const auto* who : {":s3cret", "user:s3cret", "s3cret", "user:s3cret@odd"}) {
    const auto session = cat("opencode:http://", who, "@127.0.0.1:1#ses_1");
    ASSERT_EQ(town.gt({"agent", "add", "oc", "--session", session}).exit_code, 0);
    std::string all;
    for (const auto& words : {TestTown::Words{"agent", "add", "oc", "--session", session},
                              {"agent", "list"},
                              {"agent", "show", "oc"},
                              {"mail", "send", "oc", "-s", "Hi", "-m", "x"},
                              {"mail", "directory"},
                              {"nudge", "oc", "look"},
                              {"nudge", "list"},
                              {"nudge", "carry", "oc"},
                              {"status"},
                              {"top"},
                              {"why", "oc"},
                              {"agent", "run", "--as", "oc", "--", "true"}}) {
      auto with_json = words;
      with_json.insert(std::find(with_json.begin(), with_json.end(), "--"), "--json");
      for (const auto& call : {words, with_json}) {
        const auto told = town.gt(call, {{"GT_WATCH", ""}});
        all += told.out + told.err;
      }
    }
    EXPECT_EQ(all.find("s3cret"), std::string::npos) << all;
    EXPECT_NE(all.find("127.0.0.1:1"), std::string::npos) << all;
    const auto log = town.shell("cat .town/log/* 2>/dev/null").out;
    EXPECT_EQ(log.find("s3cret"), std::string::npos) << log;
  }
}

}  // namespace
}  // namespace townpost
