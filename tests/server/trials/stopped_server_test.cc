// A server that is there and does nothing: no command waits for it, and nothing is done twice or not at all.
#include <signal.h>

#include "base/text.h"
#include "server/served_town.h"
#include "store/db/sqlite.h"
#include "support/await.h"

namespace townpost {
namespace {

class StoppedServer : public ServedTown {
 protected:
  /// Stops it. What it writes by itself meanwhile ends first: in the middle of a write nobody could pass.
  void stop() {
    EXPECT_TRUE(store_->begin(Access::write).has_value());
    stop_now();
    store_->rollback();
  }
  void stop_now() {
    stopped_ = server();
    ::kill(stopped_, SIGSTOP);
    await("it is stopped", [&] {
      const auto stat = read_file(cat("/proc/", stopped_, "/stat")).value_or("");
      return stat.find(") T ") != std::string::npos;
    });
  }
  void go_on() const {
    if (stopped_ > 0) ::kill(stopped_, SIGCONT);
  }
  ~StoppedServer() override { go_on(); }

  /// Everything that the server was ever given is done by then.
  void end_server() const { EXPECT_EQ(town.gt({"down", "--as", "overseer"}).exit_code, 0); }

  /// Starts a send whose call the server has begun and cannot end, because we write. `more` are its words.
  void begin_send(const std::string& more) {
    const auto before = metric("socket_frames_sent_total");
    EXPECT_TRUE(store_->begin(Access::write).has_value());
    sender_ = std::jthread([this, more] {
      out_ = town.shell(cat(R"sh("$GT" mail send bob -s Hi -m there --as alice )sh", more, " 2>&1"));
    });
    await("the server says that it begins", [&] { return metric("socket_frames_sent_total") > before; });
  }
  ProcessOutput sent() {
    sender_.join();
    return out_;
  }

  std::unique_ptr<Database> store_ = SqliteDatabase::open(town.store(), SqliteDatabase::Mode::existing).value();

 private:
  int stopped_ = 0;
  ProcessOutput out_;
  std::jthread sender_;
};

TEST_F(StoppedServer, DoesNotDoLaterWhatACommandDidItself) {
  stop();
  const auto out = town.shell(R"sh(
    for i in 1 2 3 4 5; do "$GT" mail send bob -s "$i" -m there --as alice >/dev/null 2>>errors || echo "lost $i" & done
    wait
    grep -c 'did its own work' errors
  )sh");
  EXPECT_EQ(out.out, "5\n") << out.err;
  EXPECT_EQ(inbox_ids(town, "bob").size(), 5u);
  go_on();
  end_server();
  EXPECT_EQ(inbox_ids(town, "bob").size(), 5u) << "the server did it as well";
}

TEST_F(StoppedServer, KeepsNobodyWaitingWhateverIsAsked) {
  const auto id = town.send("alice", "bob", "before");
  stop();
  EXPECT_EQ(inbox_ids(town, "bob").size(), 1u);
  EXPECT_EQ(town.gt({"mail", "read", id, "--as", "bob"}).exit_code, 0);
  EXPECT_EQ(town.gt({"mail", "wait", "--timeout", "1s", "--as", "carol"}).exit_code, 8);
  EXPECT_EQ(town.gt({"status"}).exit_code, 0);
  EXPECT_EQ(town.shell(R"sh(echo '{"session_id":"x","hook_event_name":"PostToolUse"}' |
                            "$GT" signal claude PostToolUse --as bob)sh")
                .exit_code,
            0);
}

TEST_F(StoppedServer, ThatHadBegunLeavesTheCommandInDoubtAndItSaysSo) {
  begin_send("");
  stop_now();
  const auto out = sent();
  EXPECT_NE(out.exit_code, 0);
  EXPECT_NE(out.out.find("this may be done or not"), std::string::npos) << out.out;
  store_->rollback();
  go_on();
  end_server();
  EXPECT_LE(inbox_ids(town, "bob").size(), 1u);
}

TEST_F(StoppedServer, ThatHadBegunASendWithAKeyDoesItOnceWithTheCommand) {
  begin_send("--key k1");
  stop_now();
  store_->rollback();
  const auto out = sent();
  EXPECT_EQ(out.exit_code, 0) << out.out;
  go_on();
  end_server();
  EXPECT_EQ(inbox_ids(town, "bob").size(), 1u);
}

TEST_F(StoppedServer, ThatIsKilledInTheMiddleOfACallLeavesTheCommandInDoubt) {
  begin_send("");
  kill_server();
  const auto out = sent();
  EXPECT_NE(out.exit_code, 0);
  EXPECT_NE(out.out.find("ended before it answered"), std::string::npos) << out.out;
  store_->rollback();
  EXPECT_TRUE(inbox_ids(town, "bob").empty()) << "nothing was committed";
}

TEST_F(StoppedServer, ThatStoppedInTheMiddleOfAWriteKeepsNobodyWaiting) {
  EXPECT_TRUE(store_->begin(Access::write).has_value());  // so does it, as others see it
  stop_now();
  const auto out = town.gt({"mail", "send", "bob", "-s", "Hi", "-m", "there", "--as", "alice"});
  EXPECT_EQ(out.exit_code, 6) << out.err;
  EXPECT_NE(out.err.find("the town's server does not answer"), std::string::npos) << out.err;
  store_->rollback();
}

TEST_F(StoppedServer, IsReplacedAllTheSame) {
  stop();
  begin();
  town.send("alice", "bob", "Hi");
  EXPECT_GT(metric("socket_frames_sent_total"), 0);
}

TEST_F(StoppedServer, DoesNotKeepMailFromWhoeverWaitsForIt) {
  const auto waits = [&] { return metric("socket_connections") > 0; };
  std::string out;
  std::jthread waiting([&] { out = town.shell(R"sh("$GT" mail wait --as bob --json)sh").out; });
  await("it waits in the server", waits);
  stop();
  town.send("alice", "bob", "Hi");
  waiting.join();
  EXPECT_NE(out.find("\"unread\":1"), std::string::npos) << out;
}

}  // namespace
}  // namespace townpost
