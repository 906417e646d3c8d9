#include <gtest/gtest.h>

#include <future>
#include <set>

#include "base/text.h"
#include "hosts/host.h"
#include "support/await.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

// Without being woken, whoever waits looks again after 15 s; that would be too late here.
constexpr auto kBeforeTheNextLook = 12s;

/// Three machines whose agents share one town, and the machine of its database.
class SharedTown : public testing::Test {
 protected:
  SharedTown() {
    network_.on("database", [&] {
      server_ = std::make_unique<PostgresServer>(PostgresServer::Options{.listen = network_.address("database")});
    });
    make_guest_and_town(*server_);
    for (const auto* name : {"alpha", "beta", "gamma"}) {
      hosts_.push_back(std::make_unique<Host>(network_, name));
      hosts_.back()->keep_password(hosts_.back()->home() / ".pgpass", kPassword);
    }
    for (const auto& host : hosts_) host->join(url_);
    for (const auto* agent : {"ann", "bob", "cid"})
      if (alpha().gt({"agent", "add", agent}).exit_code != 0) throw std::runtime_error("no agent");
  }

  const Host& alpha() const { return *hosts_[0]; }
  const Host& beta() const { return *hosts_[1]; }
  const Host& gamma() const { return *hosts_[2]; }

  /// Starts `gt WORDS…` on a host and returns once it listens at the database.
  std::future<ProcessOutput> waiting(const Host& host, const TestTown::Words& words) {
    auto waiter = std::async(std::launch::async, [&host, words] { return host.gt(words); });
    await("it listens",
          [&] { return server_->psql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'") != "0"; });
    return waiter;
  }

  Network network_{{{"database", 10}, {"alpha", 1}, {"beta", 2}, {"gamma", 3}}};
  std::unique_ptr<PostgresServer> server_;
  std::string url_ = cat("postgres://guest@", network_.address("database"), "/town");
  std::vector<std::unique_ptr<Host>> hosts_;
};

TEST_F(SharedTown, CarriesMailFromHostToHost) {
  const auto id = text_at(alpha().json({"mail", "send", "bob", "-s", "over there", "-m", "Hi", "--as", "ann"}), "id");
  const auto inbox = beta().json({"mail", "inbox", "--as", "bob"});
  EXPECT_EQ(texts_in(inbox, "id"), std::vector<std::string>{id});
  EXPECT_EQ(gamma().gt({"mail", "check", "--as", "bob"}).exit_code, 0);
  EXPECT_EQ(beta().gt({"mail", "reply", id, "-m", "and back", "--as", "bob"}).exit_code, 0);
  EXPECT_EQ(texts_in(alpha().json({"mail", "inbox", "--as", "ann"}), "subject"),
            std::vector<std::string>{"Re: over there"});
  EXPECT_EQ(beta().gt({"mail", "ack", id, "--as", "bob"}).exit_code, 0);
  EXPECT_EQ(gamma().gt({"mail", "check", "--as", "bob"}).exit_code, 1) << "an old hint on this host says otherwise";
  EXPECT_EQ(alpha().gt({"store", "check"}).exit_code, 0);
}

TEST_F(SharedTown, TellsWhoJoinedAndWhoCannotGetIn) {
  const Host& stranger = gamma();
  std::filesystem::remove(stranger.home() / ".pgpass");
  const auto refused = stranger.gt({"mail", "inbox"});
  EXPECT_EQ(refused.exit_code, 6) << refused.out;
  EXPECT_NE(refused.err.find(".pgpass"), std::string::npos) << refused.err;

  stranger.keep_password(stranger.home() / "passwords", kPassword);
  EXPECT_EQ(stranger.gt({"mail", "inbox"}, {{"PGPASSFILE", (stranger.home() / "passwords").string()}}).exit_code, 0);
  EXPECT_EQ(stranger.gt({"mail", "inbox"}, {{"PGPASSWORD", kPassword}}).exit_code, 0);
  EXPECT_EQ(stranger.gt({"mail", "inbox"}, {{"PGPASSWORD", "wrong"}}).exit_code, 6);
  EXPECT_TRUE(
      flag_at(stranger.json({"init", "second", "--nested", "--store", url_}, {{"PGPASSWORD", kPassword}}), "joined"));
}

TEST_F(SharedTown, WakesWhoeverWaitsOnAnotherHost) {
  auto reader = waiting(beta(), {"mail", "wait", "--timeout", "100s", "--as", "bob"});
  ASSERT_EQ(alpha().gt({"mail", "send", "-m", "", "bob", "-s", "wake up", "--as", "ann"}).exit_code, 0);
  ASSERT_EQ(reader.wait_for(kBeforeTheNextLook), std::future_status::ready) << "nobody woke it";
  EXPECT_EQ(reader.get().exit_code, 0);

  ASSERT_EQ(alpha().gt({"queue", "create", "jobs"}).exit_code, 0);
  auto worker = waiting(gamma(), {"mail", "claim", "jobs", "--wait=100s", "--as", "cid"});
  ASSERT_EQ(beta().gt({"mail", "send", "-m", "", "queue:jobs", "-s", "work", "--as", "bob"}).exit_code, 0);
  ASSERT_EQ(worker.wait_for(kBeforeTheNextLook), std::future_status::ready) << "nobody woke it";
  EXPECT_EQ(worker.get().exit_code, 0);
}

TEST_F(SharedTown, HandsEveryMessageOfAQueueToOneHostOnly) {
  constexpr int kJobs = 60;
  ASSERT_EQ(alpha().gt({"queue", "create", "jobs"}).exit_code, 0);
  for (int i = 0; i < kJobs; ++i)
    ASSERT_EQ(hosts_[static_cast<std::size_t>(i % 3)]
                  ->gt({"mail", "send", "-m", "", "queue:jobs", "-s", cat("job ", i)})
                  .exit_code,
              0);
  std::vector<std::future<std::vector<std::string>>> workers;
  for (const auto& host : hosts_)
    for (const auto* agent : {"ann", "bob"})
      workers.push_back(std::async(std::launch::async, [&host = *host, agent] {
        std::vector<std::string> done;
        while (true) {
          const auto claimed = host.gt({"mail", "claim", "jobs", "--json", "--as", agent});
          if (claimed.exit_code != 0) return done;
          const auto id = text_at(parse_json(trim(claimed.out)).value_or(Json()), "id");
          const auto completed = host.gt({"mail", "complete", id, "--as", agent});
          done.push_back(completed.exit_code == 0 ? id : cat(id, " failed: ", completed.err));
        }
      }));
  std::multiset<std::string> done;
  for (auto& worker : workers)
    for (const auto& id : worker.get()) done.insert(id);
  EXPECT_EQ(done.size(), std::size_t{kJobs});
  EXPECT_EQ(std::set<std::string>(done.begin(), done.end()).size(), std::size_t{kJobs}) << "somebody had another's";
  const auto queue = gamma().json({"queue", "show", "jobs"});
  EXPECT_NE(serialize(queue).find("\"completed\":60"), std::string::npos) << serialize(queue);
}

TEST_F(SharedTown, HasChannelsForEverybody) {
  ASSERT_EQ(gamma().gt({"channel", "create", "news"}).exit_code, 0);
  ASSERT_EQ(gamma().gt({"channel", "subscribe", "news", "--as", "cid"}).exit_code, 0);
  ASSERT_EQ(beta().gt({"channel", "subscribe", "news", "--as", "bob"}).exit_code, 0);
  ASSERT_EQ(
      alpha().gt({"mail", "send", "channel:news", "-s", "extra", "-m", "read all about it", "--as", "ann"}).exit_code,
      0);
  for (const auto& [host, agent] : {std::pair(&beta(), "bob"), std::pair(&gamma(), "cid")}) {
    const auto news = host->gt({"channel", "read", "news", "--unread", "--as", agent});
    EXPECT_EQ(news.exit_code, 0) << news.err;
    EXPECT_NE(news.out.find("extra"), std::string::npos) << news.out;
  }
}

}  // namespace
}  // namespace townpost
