#include <gtest/gtest.h>

#include <future>

#include "base/text.h"
#include "hosts/host.h"
#include "support/await.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

/// Three machines that go on sending to ann whatever happens to the database, the network or its server.
class RestlessHosts : public testing::Test {
 protected:
  void serve(const std::string& machine, std::vector<std::string> settings = {}) {
    network_.on(machine, [&] {
      primary_ = std::make_unique<PostgresServer>(
          PostgresServer::Options{.listen = network_.address(machine), .settings = std::move(settings)});
    });
    make_guest_and_town(*primary_);
  }
  void join(const std::string& url) {
    for (const auto* name : {"alpha", "beta", "gamma"}) {
      hosts_.push_back(std::make_unique<Host>(network_, name));
      hosts_.back()->keep_password(hosts_.back()->home() / ".pgpass", kPassword);
      hosts_.back()->join(url);
    }
    ASSERT_EQ(alpha().gt({"agent", "add", "ann"}).exit_code, 0);
  }
  const Host& alpha() const { return *hosts_[0]; }
  std::string plain_url() const { return cat("postgres://guest@", network_.address("database"), "/town"); }

  void expect_nothing_lost(Senders& senders) {
    senders.stop();
    EXPECT_EQ(senders.errors(), std::vector<std::string>()) << "it was away for less than commands wait";
    EXPECT_FALSE(senders.sent().empty());
    expect_each_once(alpha(), "ann", senders.sent());
    EXPECT_EQ(alpha().gt({"store", "check"}).exit_code, 0);
    std::printf("%zu sends\n", senders.sent().size());
  }

  Network network_{{{"database", 10}, {"standby", 11}, {"alpha", 1}, {"beta", 2}, {"gamma", 3}}};
  std::unique_ptr<PostgresServer> primary_;
  std::vector<std::unique_ptr<Host>> hosts_;
};

TEST_F(RestlessHosts, LoseAndRepeatNothingWhenTheDatabaseIsKilledAndComesBack) {
  serve("database");
  ASSERT_NO_FATAL_FAILURE(join(plain_url()));
  Senders senders(hosts_, "ann");
  for (int times = 0; times < 3; ++times) {
    senders.await_more(5);
    primary_->kill();
    std::this_thread::sleep_for(times * 500ms);
    network_.on("database", [&] { primary_->start(); });
  }
  senders.await_more(5);
  expect_nothing_lost(senders);
}

TEST_F(RestlessHosts, GiveUpWithAnErrorThatSaysWhatToDoWhenTheDatabaseStaysAway) {
  serve("database");
  ASSERT_NO_FATAL_FAILURE(join(plain_url()));
  primary_->kill();
  auto later = std::async(std::launch::async, [&] {
    return alpha().gt({"mail", "send", "-m", "", "ann", "-s", "too late"});
  });
  const auto hook = hosts_[1]->gt({"mail", "check", "--inject"});
  EXPECT_EQ(hook.exit_code, 0) << "a hook never stands in the way";
  EXPECT_EQ(hook.out, "");
  EXPECT_EQ(later.wait_for(0s), std::future_status::timeout) << "a hook waits less than a command";
  const auto refused = later.get();
  EXPECT_EQ(refused.exit_code, 6) << refused.out;
  EXPECT_NE(refused.err.find(network_.address("database")), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("psql"), std::string::npos) << refused.err;
  network_.on("database", [&] { primary_->start(); });
  EXPECT_EQ(items_of(alpha().json({"mail", "inbox", "ann"})).size(), 0u) << "what was refused is not there";
}

TEST_F(RestlessHosts, GoOnWhenACableWasPulledForAMoment) {
  serve("database");
  ASSERT_NO_FATAL_FAILURE(join(plain_url()));
  const Host& beta = *hosts_[1];
  auto waiter = std::async(std::launch::async, [&] {
    return beta.gt({"mail", "wait", "--as", "ann", "--timeout", "100s"});
  });
  await("beta listens",
        [&] { return primary_->psql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'") != "0"; });
  network_.pull_cable("beta");
  Senders senders(hosts_, "ann");  // beta's first waits for its cable, the others do not
  await("six messages are there", [&] { return items_of(alpha().json({"mail", "inbox", "ann"})).size() >= 6; });
  std::this_thread::sleep_for(1s);
  network_.plug_in("beta");
  senders.await_more(3);
  network_.pull_cable("beta");
  std::this_thread::sleep_for(2s);
  network_.plug_in("beta");
  senders.await_more(3);
  expect_nothing_lost(senders);
  EXPECT_EQ(waiter.get().exit_code, 0) << "the bell that rang while the cable was out was lost for good";
}

TEST_F(RestlessHosts, LoseNothingWhenAReplicaTakesOver) {
  serve("database");
  std::unique_ptr<PostgresServer> standby;
  network_.on("standby", [&] {
    standby = primary_->make_replica({.listen = network_.address("standby"),
                                      .settings = {cat("primary_conninfo=host=", network_.address("database"),
                                                       " user=town application_name=standby")}});
  });
  // From now on a commit is answered when both have it.
  primary_->psql("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  primary_->psql("SELECT pg_reload_conf()");
  await("the standby follows",
        [&] { return primary_->psql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"; });
  ASSERT_NO_FATAL_FAILURE(join(cat("postgres://guest@", network_.address("database"), ",", network_.address("standby"),
                                   "/town?target_session_attrs=read-write")));
  Senders senders(hosts_, "ann");
  senders.await_more(10);
  primary_->kill();
  network_.on("standby", [&] { standby->promote(); });
  senders.await_more(10);
  expect_nothing_lost(senders);
  EXPECT_EQ(standby->psql("SELECT pg_is_in_recovery()"), "f");
}

}  // namespace
}  // namespace townpost
