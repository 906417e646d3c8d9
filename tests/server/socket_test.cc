// Commands whose work the town's server does: the same answers, the same caller, and nothing lost when it goes.
#include "base/text.h"
#include "server/served_town.h"
#include "support/await.h"

namespace townpost {
namespace {

using SocketOfTheTown = ServedTown;

TEST_F(SocketOfTheTown, DoesTheWorkOfACommandInTheServer) {
  const auto out = town.shell(
      R"sh(strace -f -o trace -e trace=connect,openat "$GT" mail send bob -s Hi -m there --as alice --json)sh");
  ASSERT_EQ(out.exit_code, 0) << out.err;
  const auto trace = read_file(town.folder() / "trace").value();
  EXPECT_NE(trace.find("AF_UNIX"), std::string::npos) << trace;
  EXPECT_EQ(trace.find("town.db"), std::string::npos) << "the command opened the store itself:\n" << trace;
  EXPECT_EQ(inbox_ids(town, "bob").size(), 1u);
}

TEST_F(SocketOfTheTown, KnowsWhoCallsByTheCallersOwnProcess) {
  EXPECT_EQ(text_at(town.json({"whoami", "--as", "alice"}), "address"), "alice");
  EXPECT_EQ(text_at(town.json({"whoami"}, {{"MAIL_IDENTITY", "bob"}}), "address"), "bob");
  const auto inside = town.shell(R"sh("$GT" agent run --as carol --adapter lines -- "$GT" whoami --json </dev/null)sh");
  EXPECT_NE(inside.out.find("\"carol\""), std::string::npos) << inside.out << inside.err;
  const auto other = town.shell(
      R"sh("$GT" agent run --as carol --adapter lines -- "$GT" mail send bob -s x -m y --as alice </dev/null 2>&1)sh");
  EXPECT_NE(other.out.find("carol"), std::string::npos) << other.out;
  EXPECT_TRUE(inbox_ids(town, "bob").empty()) << "somebody's session spoke as another";
}

TEST_F(SocketOfTheTown, TellsWhoeverWaitsOfWhatCame) {
  const auto out = town.shell(R"sh(
    "$GT" mail wait --as bob --json >got & wait=$!
    sleep 0.2
    "$GT" mail send bob -s Hi -m there --as alice -q >/dev/null
    wait $wait; echo "exit $?"; cat got
  )sh");
  EXPECT_TRUE(out.out.starts_with("exit 0\n")) << out.out << out.err;
  EXPECT_NE(out.out.find("\"unread\":1"), std::string::npos) << out.out;
}

TEST_F(SocketOfTheTown, LosesNothingWhenItIsKilled) {
  town.send("alice", "bob", "before");
  kill_server();
  town.send("alice", "bob", "after");
  EXPECT_EQ(inbox_ids(town, "bob").size(), 2u);
  begin();
  town.send("alice", "bob", "again");
  EXPECT_EQ(inbox_ids(town, "bob").size(), 3u);
}

TEST_F(SocketOfTheTown, TellsWhoeverWaitsAlsoAfterTheServerWasKilled) {
  const auto out = town.shell(cat(R"sh(
    "$GT" mail wait --as bob --json >got & wait=$!
    sleep 0.3
    kill -9 $(head -n 2 .town/run/server | tail -n 1 | cut -d. -f1)
    "$GT" mail send bob -s Hi -m there --as alice -q >/dev/null
    wait $wait; echo "exit $?"
  )sh"));
  EXPECT_EQ(out.out, "exit 0\n") << out.err;
}

TEST_F(SocketOfTheTown, FollowsOnFromWhereItWasWhenTheServerGoesAndAnotherComes) {
  const auto out = town.shell(R"sh(
    send() { "$GT" mail send bob -s "$1" -m there --as alice -q >/dev/null; }
    seen() { until grep -q "\"$1\"" got; do sleep 0.05; done; }
    send one
    "$GT" feed -f --json --type mail --as overseer >got & follower=$!
    seen one
    kill -9 $(head -n 2 .town/run/server | tail -n 1 | cut -d. -f1)
    send two; seen two
    "$GT" up --detach --as overseer >/dev/null
    send three; seen three
    kill $follower
    for subject in one two three; do grep -c "\"$subject\"" got; done
  )sh");
  EXPECT_EQ(out.out, "1\n1\n1\n") << out.err << read_file(town.folder() / "got").value_or("");
}

TEST_F(SocketOfTheTown, IsHandedToASuccessorWithoutLosingACommand) {
  const auto out = town.shell(R"sh(
    for i in 1 2 3; do
      ( for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
          "$GT" mail send bob -s "$i-$n" -m x --as alice -q >/dev/null 2>>errors || echo "lost $i-$n"
        done ) &
    done
    "$GT" up --detach --replace --as overseer >/dev/null
    "$GT" up --detach --replace --as overseer >/dev/null
    wait
    cat errors 2>/dev/null
  )sh");
  EXPECT_EQ(out.out, "") << out.err;
  EXPECT_EQ(inbox_ids(town, "bob", {"--limit", "100"}).size(), 45u);
}

TEST_F(SocketOfTheTown, LeavesTimesOfDayToACommandOfAnotherTimeZone) {
  const auto at = [&](const std::string& zone) {
    const auto id =
        town.gt({"mail", "send", "bob", "-s", zone, "-m", "x", "--reply-by", "2031-05-01", "--as", "alice", "-q"},
                {{"TZ", zone}});
    EXPECT_EQ(id.exit_code, 0) << id.err;
    return text_at(read_as(town, "bob", std::string(trim(id.out))), "reply_by");
  };
  EXPECT_NE(at("Asia/Tokyo"), at("America/New_York"));
}

}  // namespace
}  // namespace townpost
