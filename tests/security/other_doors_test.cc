// One database, several doors: a town's own file is opened through the town only; a file that towns share has one bell.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/text.h"
#include "support/test_town.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;
using Words = TestTown::Words;
using Variables = TestTown::Variables;

class OtherDoors : public testing::Test {
 protected:
  OtherDoors() {
    machine.json({"init", "real"});
    machine.json({"init", "mine"});
    EXPECT_EQ(machine.gt_in("real", {"agent", "add", "coder"}).exit_code, 0);
  }
  fs::path at(const std::string& path) const { return machine.folder() / path; }
  void set_store(const std::string& town, const std::string& url) const {
    std::ofstream(at(town) / ".town/town.toml") << "[store]\nurl = \"" << url << "\"\n";
  }
  void expect_refused(const Words& words, const Variables& variables = {}) const {
    const auto told = machine.gt_in("mine", words, variables);
    EXPECT_EQ(told.exit_code, 5) << told.out << told.err;
    EXPECT_NE(told.err.find(cat("belongs to the town in ", at("real").string())), std::string::npos) << told.err;
    EXPECT_NE(told.err.find("--town"), std::string::npos) << told.err;
  }
  TestTown machine{TestTown::Start::empty_folder};
};

TEST_F(OtherDoors, ToAnotherTownsFileAreShut) {
  const std::string real = at("real/.town/town.db").string();
  fs::create_symlink(at("real"), at("alias"));
  fs::create_symlink(at("real/.town/town.db"), at("link.db"));
  fs::copy(at("real/.town/town.db"), at("real/.town/backup.db"));
  for (const auto& spelled : {real, "sqlite:" + real, std::string("../real/.town/town.db"),
                              std::string("sqlite:../real/.town/../.town/town.db"), at("alias/.town/town.db").string(),
                              at("link.db").string(), at("real/.town/backup.db").string(), "/proc/self/root" + real}) {
    SCOPED_TRACE(spelled);
    expect_refused({"mail", "send", "coder", "-s", "orders", "-m", "x"}, {{"GT_STORE", spelled}});
    expect_refused({"store", "info"}, {{"GT_STORE", spelled}});
    expect_refused({"store", "copy", "--to", spelled, "--as", "overseer"});
    expect_refused(
        {"store", "copy", "--from", spelled, "--to", "sqlite:" + at("copy.db").string(), "--as", "overseer"});
    set_store("mine", spelled);
    expect_refused({"mail", "send", "coder", "-s", "orders", "-m", "x", "--town", at("mine").string()});
    set_store("mine", "sqlite");
  }
  EXPECT_EQ(machine.gt_in("real", {"mail", "inbox", "coder", "-q"}).out, "");
}

TEST_F(OtherDoors, ToOneFileShareItsBells) {
  const std::string shared = "sqlite:" + at("shared.db").string();
  ASSERT_EQ(machine.gt_in("real", {"store", "copy", "--to", shared, "--as", "overseer"}).exit_code, 0);
  set_store("real", shared);
  set_store("mine", shared);
  const Variables coder = {{"MAIL_IDENTITY", "coder"}};
  EXPECT_EQ(machine.gt_in("real", {"mail", "check"}, coder).exit_code, 1);
  EXPECT_EQ(machine.gt_in("mine", {"mail", "send", "coder", "-s", "Hi", "-m", "x"}).exit_code, 0);
  EXPECT_EQ(machine.gt_in("real", {"mail", "check"}, coder).exit_code, 0) << "the mail is there, and nobody rang";
  struct stat found {};
  ASSERT_EQ(::stat(at("shared.db").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  EXPECT_TRUE(fs::exists(at("shared.db-bells")));
}

}  // namespace
}  // namespace townpost
