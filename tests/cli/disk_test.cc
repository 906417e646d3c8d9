// Disks that are full or read-only. Each is a mount of its own, seen by nobody else; that needs root.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

// `call NAME gt-words…` keeps what a call printed and its exit code in ../NAME.*; the scripts run inside the folder
// "disk".
constexpr std::string_view kPrelude = R"sh(
fail_mount() { echo "cannot mount ($1): this test needs root and unshare" >&2; exit 99; }
call() {
  name=$1; shift
  "$GT" "$@" >"../$name.out" 2>"../$name.err"; echo $? >"../$name.code"
  "$GT" "$@" --json >"../$name.json" 2>/dev/null; echo $? >"../$name.json_code"
}
fill() { head -c 64M /dev/zero >filler 2>/dev/null; sync filler; }
dump() { sqlite3 .town/town.db .dump; }
# What is mounted here stays here. In a chroot / is no mount of its own: then there is nothing to make private.
mount --make-rprivate / 2>/dev/null || :
mkdir disk
)sh";
constexpr std::string_view kSmallDisk = R"sh(
mount -t tmpfs -o size=2m tmpfs disk || fail_mount tmpfs
cd disk
)sh";
constexpr std::string_view kTown = R"sh(
"$GT" init && "$GT" agent add alice && "$GT" mail send alice -s before -m before || exit 98
)sh";

class Disk : public testing::Test {
 protected:
  void run(const std::string& script) {
    std::ofstream(town.folder() / "script.sh") << script;
    const auto ran = town.shell("unshare -m --propagation unchanged sh script.sh");
    ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  }
  std::string text(const std::string& file) const {
    return read_file(town.folder() / file).value_or("(no file " + file + ")");
  }
  void expect_unavailable(const std::string& name) const {
    SCOPED_TRACE(name);
    EXPECT_EQ(text(name + ".code"), "6\n") << text(name + ".err");
    EXPECT_EQ(text(name + ".json_code"), "6\n") << text(name + ".err");
    EXPECT_EQ(text(name + ".out"), "");
    EXPECT_EQ(lines_of(text(name + ".err")).size(), 1u) << text(name + ".err");
    const auto answer = parse_json(trim(text(name + ".json")));
    ASSERT_TRUE(answer.has_value()) << text(name + ".json");
    const auto error = value_at(*answer, "error");
    EXPECT_EQ(text_at(error, "code"), "unavailable");
    EXPECT_NE(text_at(error, "hint"), "") << text_at(error, "message");
  }
  TestTown town{TestTown::Start::empty_folder};
};

TEST_F(Disk, ThatIsFullStoresNothingHalf) {
  run(cat(kPrelude, kSmallDisk, kTown, R"sh(
    dump >../before
    fill
    call send mail send alice -s "no room" -m "$(head -c 100000 /dev/zero | tr '\0' x)"
    call agent agent add bob
    call rig rig add beads .
    rm filler
    dump >../after
    call again mail send alice -s "room again" -m text
    sqlite3 .town/town.db 'PRAGMA integrity_check' >../integrity
  )sh"));
  for (const auto* name : {"send", "agent", "rig"}) expect_unavailable(name);
  EXPECT_EQ(text("after"), text("before"));
  EXPECT_EQ(text("again.code"), "0\n") << text("again.err");
  EXPECT_EQ(text("integrity"), "ok\n");
}

TEST_F(Disk, ThatIsAlmostFullStoresAllOrNothing) {
  run(cat(kPrelude, kSmallDisk, kTown, R"sh(
    body=$(head -c 60000 /dev/zero | tr '\0' y)
    for free in 0 8 32 40 64 80 96 112 128 144 192; do
      fill
      truncate -s -${free}K filler
      "$GT" mail send alice -s "with $free KiB" -m "$body" >/dev/null 2>../errors
      code=$?
      rm filler
      stored=$(sqlite3 .town/town.db "SELECT count(*) FROM message m JOIN delivery d ON d.message = m.id
                                      WHERE subject = 'with $free KiB' AND length(body) = 60000")
      half=$(sqlite3 .town/town.db "SELECT count(*) FROM message WHERE subject = 'with $free KiB'")
      echo "$code $stored $half" >>../told
      "$GT" mail delete --as alice $("$GT" mail inbox -q --as alice) >/dev/null 2>&1
      sqlite3 .town/town.db "DELETE FROM message; DELETE FROM delivery; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
    done
  )sh"));
  const auto told = lines_of(text("told"));
  ASSERT_EQ(told.size(), 11u);
  for (const auto& line : told) EXPECT_TRUE(line == "0 1 1" || line == "6 0 0") << "exit code, whole, any: " << line;
  EXPECT_EQ(told.front(), "6 0 0");
  EXPECT_EQ(told.back(), "0 1 1");
}

TEST_F(Disk, ThatIsFullGetsNoHalfTown) {
  run(cat(kPrelude, kSmallDisk, R"sh(
    fill
    call init init
    rm filler
    ls -A >../left
    call again init
  )sh"));
  expect_unavailable("init");
  EXPECT_EQ(text("left"), "");
  EXPECT_EQ(text("again.code"), "0\n") << text("again.err");
}

TEST_F(Disk, ThatIsFullLeavesHooksSilent) {
  run(cat(kPrelude, kSmallDisk, kTown, R"sh(
    fill
    call hook mail check --inject --as alice
  )sh"));
  EXPECT_EQ(text("hook.code"), "0\n");
  EXPECT_EQ(text("hook.err"), "");
}

TEST_F(Disk, ThatIsReadOnlyIsToldAndLeftAlone) {
  run(cat(kPrelude, "cd disk\n", kTown, R"sh(
    dump >../before
    cd ..
    mount --bind disk disk && mount -o remount,ro,bind disk || fail_mount "read-only"
    cd disk
    call send mail send alice -s "not here" -m text
    call agent agent add bob
    call ack mail ack --all --as alice
    call init init sub --nested
    "$GT" mail check --inject --as alice >../hook.out 2>../hook.err; echo $? >../hook.code
    "$GT" mail inbox --as alice >/dev/null 2>../inbox.err; echo $? >../inbox.code
  )sh"));
  for (const auto* name : {"send", "agent", "ack", "init"}) expect_unavailable(name);
  EXPECT_EQ(text("hook.code") + text("hook.out") + text("hook.err"), "0\n");
  EXPECT_TRUE(text("inbox.code") == "0\n" || text("inbox.code") == "6\n") << text("inbox.err");
  std::ofstream(town.folder() / "script.sh") << "cd disk; sqlite3 .town/town.db .dump";
  EXPECT_EQ(town.shell("sh script.sh").out, text("before"));
}

}  // namespace
}  // namespace townpost
