// gt service: a systemd user unit of the town. systemctl is one of ours, which writes down what it is asked; what
// systemd makes of the unit itself says systemd-analyze.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

class Service : public testing::Test {
 protected:
  /// A systemctl that knows one unit, or one that reaches no session.
  void systemctl(const std::string& text) const {
    town.shell(cat("mkdir -p bin && cat >bin/systemctl <<'X' && chmod +x bin/systemctl\n#!/bin/sh\n", text, "\nX"));
  }
  void systemd_runs() const {
    systemctl(R"sh(echo "$*" >>"$HOME/asked"
case "$2" in
  --version) ;;
  show) cat "$HOME/state" 2>/dev/null || echo inactive ;;
  restart) echo active >"$HOME/state" ;;
  stop) rm -f "$HOME/state" ;;
esac)sh");
  }
  Variables path() const { return {{"PATH", (town.folder() / "bin").string() + ":/usr/bin:/bin"}}; }
  ProcessOutput service(const Words& words) const { return town.gt(with({"service"}, words), path()); }
  std::string files() const { return town.shell("find . -path ./.town -prune -o -print | LC_ALL=C sort").out; }
  std::string asked() const { return read_file(town.folder() / "asked").value_or(""); }

  TestTown town;
};

TEST_F(Service, StartsNowAndWithTheSession) {
  systemd_runs();
  const auto made = service({"install", "--as", "overseer"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("is installed and runs"), std::string::npos) << made.out;
  const auto told = town.json({"service", "status"}, path());
  EXPECT_TRUE(flag_at(told, "installed") && flag_at(told, "running")) << to_line(told);
  const std::filesystem::path file = text_at(told, "file");
  EXPECT_EQ(file.parent_path(), std::filesystem::canonical(town.folder()) / ".config/systemd/user");
  EXPECT_TRUE(std::filesystem::equivalent(file.parent_path() / "default.target.wants" / file.filename(), file));
  EXPECT_NE(asked().find("daemon-reload\n--user restart " + text_at(told, "unit")), std::string::npos) << asked();
}

TEST_F(Service, MayBeInstalledTwice) {
  systemd_runs();
  ASSERT_EQ(service({"install", "--as", "overseer"}).exit_code, 0);
  const auto before = files();
  EXPECT_FALSE(flag_at(town.json({"service", "install", "--as", "overseer"}, path()), "changed"));
  EXPECT_EQ(files(), before);
  const auto all = asked();
  EXPECT_EQ(all.find("restart"), all.rfind("restart")) << "what runs goes on:\n" << all;
}

TEST_F(Service, LeavesNoTrace) {
  systemd_runs();
  const auto before = files();
  ASSERT_EQ(service({"install", "--as", "overseer"}).exit_code, 0);
  ASSERT_NE(files(), before);
  ASSERT_EQ(service({"uninstall", "--as", "overseer"}).exit_code, 0);
  town.shell("rm -f asked");
  EXPECT_EQ(files(), before);
  EXPECT_EQ(service({"status"}).exit_code, 1);
  EXPECT_EQ(service({"uninstall", "--as", "overseer"}).exit_code, 0) << "twice";
}

TEST_F(Service, LeavesOtherUnitsAlone) {
  systemd_runs();
  town.shell("mkdir -p .config/systemd/user && echo x >.config/systemd/user/mine.service");
  ASSERT_EQ(service({"install", "--as", "overseer"}).exit_code, 0);
  ASSERT_EQ(service({"uninstall", "--as", "overseer"}).exit_code, 0);
  EXPECT_EQ(town.shell("find .config/systemd -type f -o -type l").out, ".config/systemd/user/mine.service\n");
}

TEST_F(Service, SaysWhatToDoWhereNoSessionIsReached) {
  systemctl(R"([ "$1" = --version ] || { echo "Failed to connect to bus: No medium found" >&2; exit 1; })");
  const auto made = service({"install", "--as", "overseer"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("systemctl --user start townpost-"), std::string::npos) << made.out;
  EXPECT_EQ(service({"status"}).exit_code, 1);
  EXPECT_EQ(service({"uninstall", "--as", "overseer"}).exit_code, 0);
  EXPECT_EQ(town.shell("find .config -name 'townpost-*'").out, "");
}

TEST_F(Service, SaysWhatToDoWithoutSystemd) {
  town.shell("mkdir bin && ln -s $(command -v env) bin");
  const auto made = town.gt({"service", "install", "--as", "overseer"}, {{"PATH", (town.folder() / "bin").string()}});
  EXPECT_EQ(made.exit_code, 6);
  EXPECT_NE(made.err.find("gt up --detach"), std::string::npos) << made.err;
  EXPECT_EQ(town.shell("ls -A .config/systemd 2>/dev/null").out, "");
}

TEST_F(Service, TellsWhySystemdRefuses) {
  systemctl(R"(case "$2" in restart) echo "Job failed. See journalctl" >&2; exit 1 ;; show) echo inactive ;; esac)");
  const auto made = service({"install", "--as", "overseer"});
  EXPECT_EQ(made.exit_code, 6);
  EXPECT_NE(made.err.find("Job failed"), std::string::npos) << made.err;
}

TEST_F(Service, IsForPeople) {
  systemd_runs();
  const auto refused =
      town.gt({"service", "install", "--as", "overseer"}, {{"PATH", path()["PATH"]}, {"CLAUDECODE", "1"}});
  EXPECT_EQ(refused.exit_code, 5) << refused.out;
  EXPECT_EQ(town.shell("ls -A .config/systemd 2>/dev/null").out, "");
}

TEST_F(Service, WantsTheStoreInTheSettings) {
  auto variables = path();
  variables["GT_STORE"] = "sqlite:" + (town.folder() / "other.db").string();
  systemd_runs();
  const auto refused = town.gt({"service", "install", "--print", "--as", "overseer"}, variables);
  EXPECT_EQ(refused.exit_code, 5) << refused.err;
  EXPECT_NE(refused.err.find("gt config set store.url"), std::string::npos) << refused.err;
}

/// What systemd reads from the unit: no complaint, and as command line exactly the program and this folder.
TEST_F(Service, IsReadBySystemdAsItWasMeantWhateverTheFolderIsCalled) {
  ASSERT_EQ(town.shell("systemd-analyze --version").exit_code, 0) << "install systemd, which brings systemd-analyze";
  for (const std::string name : {"plain", "with space", "100%h $HOME ${X}", "quo\"te's", "back\\slash\\", "two\nlines",
                                 "schön", "not\xff utf8", ";#", "-option"}) {
    const auto folder = town.folder() / name;
    std::filesystem::create_directory(folder);
    town.gt_in(folder, {"init", "--nested"});
    const auto unit = town.gt({"service", "install", "--print", "--town", folder.string(), "--as", "overseer"});
    ASSERT_EQ(unit.exit_code, 0) << name << unit.err;
    const auto read = town.shell(R"sh(
      rm -rf units && mkdir -p units run && cat >units/townpost-x.service <<'X'
)sh" + unit.out + R"sh(
X
      export XDG_RUNTIME_DIR="$PWD/run"
      systemd-analyze --user verify units/townpost-x.service 2>&1 | grep -a townpost
      SYSTEMD_LOG_LEVEL=debug systemd-analyze --user verify units/townpost-x.service 2>&1 |
        python3 -c '
import os, re, sys
shown = [line for line in sys.stdin.buffer.read().split(b"\n") if b"Command Line:" in line and b" up --replace" in line][0]
quoted = shown.split(b" --town ", 1)[1].strip()
if quoted.startswith(b"\""):
    quoted = quoted[1:-1]
    ends = {b"n": b"\n", b"t": b"\t"}
    quoted = re.sub(rb"\\([0-7]{3}|.)", lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else ends.get(m[1], m[1]), quoted)
sys.stdout.buffer.write(quoted)')sh");
    EXPECT_EQ(read.out, std::filesystem::canonical(folder).string()) << name << "\n" << unit.out << read.err;
  }
}

}  // namespace
}  // namespace townpost
