// A town of one's own, in which somebody who may write there (a sandboxed agent) put links: nothing outside is touched.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/text.h"
#include "security/snapshot.h"
#include "support/test_town.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;
using Words = TestTown::Words;

class LinkedFiles : public testing::Test {
 protected:
  LinkedFiles() {
    town.agents({"coder"});
    town.send("overseer", "coder", "hello");
    fs::create_directory(outside());
    std::ofstream(outside() / "precious") << "precious\n";
    fs::create_directory(outside() / "folder");
  }
  fs::path outside() const { return town.folder() / "outside"; }
  fs::path inside(const std::string& name) const { return town.folder() / ".town" / name; }
  /// Puts a link in the place of `name`.
  void link(const std::string& name, const fs::path& target) const {
    fs::remove_all(inside(name));
    fs::create_directories(inside(name).parent_path());
    fs::create_symlink(target, inside(name));
  }
  /// All that a day brings; whether it works is another question.
  void live() const {
    for (const auto& words : {Words{"mail", "send", "coder", "-s", "more", "-m", "x"},
                              {"mail", "inbox"},
                              {"mail", "check"},
                              {"mail", "check", "--inject", "--as", "coder"},
                              {"mail", "wait", "--timeout", "1ms"},
                              {"nudge", "coder", "look"},
                              {"nudge", "drain", "--as", "coder"},
                              {"signal", "claude", "SessionStart", "--as", "coder"},
                              {"signal", "claude", "Stop", "--as", "coder"},
                              {"status"},
                              {"store", "check"},
                              {"store", "purge", "--as", "overseer"},
                              {"down", "--as", "overseer"}})
      town.gt(words, {}, R"({"hook_event_name":"SessionStart","session_id":"s1","cwd":"/"})");
  }
  TestTown town;
};

TEST_F(LinkedFiles, AreNeverWrittenOrReadThrough) {
  for (const auto* name : {"log/signal.log", "log/up.log", "write.lock", "run/watcher", "run/presence/5", "run/hint/x",
                           "run/bell/registry", "run/bell/5", "town.db-wal", "town.db-shm", "town.db-journal", "id",
                           "redirect", "town.toml", "town.db"}) {
    for (const auto* target : {"precious", "not-there-yet"}) {
      SCOPED_TRACE(cat(name, " -> ", target));
      const auto before = snapshot_of(outside());
      fs::remove(inside("town.db-wal"));
      link(name, outside() / target);
      live();
      EXPECT_EQ(changed(before, snapshot_of(outside())), std::vector<std::string>());
    }
    fs::remove(inside(name));
  }
}

TEST_F(LinkedFiles, AreNotReachedThroughALinkedFolder) {
  for (const auto* name :
       {"log", "run", "run/bell", "run/ear", "run/hint", "run/listing", "run/presence", "run/lock", "types"}) {
    SCOPED_TRACE(name);
    const auto before = snapshot_of(outside());
    link(name, outside() / "folder");
    live();
    EXPECT_EQ(changed(before, snapshot_of(outside())), std::vector<std::string>());
    fs::remove(inside(name));
  }
}

TEST_F(LinkedFiles, OfTheStoreAreRefusedWithAWord) {
  fs::rename(town.store(), outside() / "town.db");
  fs::create_symlink(outside() / "town.db", town.store());
  auto told = town.gt({"mail", "inbox"});
  EXPECT_EQ(told.exit_code, 6);
  EXPECT_NE(told.err.find("is a link or something else"), std::string::npos) << told.err;
  fs::remove(town.store());
  fs::create_hard_link(outside() / "town.db", town.store());
  told = town.gt({"mail", "inbox"});
  EXPECT_EQ(told.exit_code, 6);
  EXPECT_NE(told.err.find("a second name"), std::string::npos) << told.err;
  fs::remove(outside() / "town.db");
  EXPECT_EQ(town.gt({"mail", "inbox"}).exit_code, 0) << "it is whole again";
}

}  // namespace
}  // namespace townpost
