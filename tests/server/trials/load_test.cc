// The server under load: killed again and again, and with very many who send and follow.
#include "server/trials/load.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "base/number.h"
#include "base/random.h"
#include "base/text.h"
#include "net/url.h"
#include "server/served_town.h"
#include "support/await.h"
#include "support/stress.h"

namespace townpost {
namespace {

class LoadedServer : public ServedTown {
 protected:
  LoadedServer() : ServedTown("", "requests_per_minute = 0\nconnections = 4096\n") { where_.set(url()); }

  std::int64_t number(const std::string& sql) const {
    return whole_number<std::int64_t>(trim(town.sql(sql))).value_or(0);
  }
  std::int64_t newest_event() const { return number("SELECT coalesce(max(seq), 0) FROM event"); }

  /// How often each subject is stored.
  std::map<std::string, int> stored() const {
    std::map<std::string, int> out;
    const auto subjects = town.sql("SELECT subject FROM message WHERE subject <> 'template'");
    for (const auto line : split(subjects, '\n'))
      if (!line.empty()) ++out[std::string(line)];
    return out;
  }
  void expect_all_stored_once(const std::set<std::string>& acknowledged) const {
    const auto found = stored();
    for (const auto& subject : acknowledged) EXPECT_TRUE(found.contains(subject)) << subject << " is lost";
    for (const auto& [subject, times] : found) EXPECT_EQ(times, 1) << subject;
  }

  /// The numbers of what came since `after`: of everything, and of each agent's.
  struct Came {
    std::vector<std::int64_t> all;
    std::map<std::string, std::vector<std::int64_t>> to;
  };
  Came came_since(std::int64_t after) const {
    Came out;
    const auto lines =
        town.sql(cat("SELECT e.seq || ' ' || a.address FROM event e JOIN delivery d ON d.message = e.message "
                     "JOIN agent a ON a.id = d.mailbox WHERE e.kind = 'stored' AND e.seq > ",
                     after, " ORDER BY e.seq"));
    for (const auto line : split(lines, '\n')) {
      const auto space = line.find(' ');
      const auto seq = whole_number<std::int64_t>(line.substr(0, space));
      if (!seq) continue;
      out.all.push_back(*seq);
      out.to[std::string(line.substr(space + 1))].push_back(*seq);
    }
    return out;
  }
  /// Each is told all of that, in order and once. Waits for it.
  static void expect_told(Followers& followers, const std::vector<std::vector<std::int64_t>>& expected) {
    std::vector<std::int64_t> ends;
    for (const auto& one : expected) ends.push_back(one.empty() ? 0 : one.back());
    await("the streams have come to the end", [&] { return followers.have_come_to(ends); });
    const auto told = followers.end();
    for (std::size_t i = 0; i < told.size(); ++i)
      EXPECT_TRUE(told[i] == expected[i])
          << "stream " << i << " was told " << told[i].size() << " of " << expected[i].size();
  }
  void expect_all_told(Followers& followers, int number, std::int64_t after) const {
    const auto all = came_since(after).all;
    ASSERT_FALSE(all.empty());
    expect_told(followers, std::vector(static_cast<std::size_t>(number), all));
  }

  std::vector<std::string> tokens(const Words& whom, int number) const {
    std::vector<std::string> out;
    for (int i = 0; i < number; ++i) out.push_back(token(whom));
    return out;
  }

  /// So many more messages in bob's mailbox, archived, as if they had come before everything else.
  void fill(int messages) const {
    const auto id = town.send("alice", "bob", "template");
    EXPECT_EQ(town.gt({"mail", "archive", id, "--as", "bob"}).exit_code, 0);
    for (const std::string table : {"message", "delivery"}) {
      const auto listed =
          town.sql(cat("SELECT group_concat(name) FROM pragma_table_info('", table, "') WHERE cid > 0"));
      const auto others = trim(listed);
      const std::string key = table == "message" ? "id" : "message";
      town.sql(cat("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ", messages,
                   ") INSERT INTO ", table, " SELECT one.", key, " - n.i, ", others, " FROM n, (SELECT * FROM ", table,
                   " ORDER BY ", key, " DESC LIMIT 1) one"));
    }
  }
  std::int64_t resident_kib() const {
    std::ifstream status(cat("/proc/", server(), "/status"));
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
    return -1;
  }

  Whereabouts where_;
};

TEST_F(LoadedServer, KilledAgainAndAgainKeepsWhatItAcknowledgedAndItsStreamsGoOn) {
  const int rounds = stress(20, 3);
  const std::size_t each_round = 60;
  SystemRandom random;
  const auto after = newest_event();
  const int following = stress(50, 8);
  Followers followers(where_, tokens({"--human"}, following), after);
  Senders senders(where_, token({"--agent", "alice"}), {"bob"}, 8);

  // Commands of an agent that waits for mail, reads it, and waits again.
  std::atomic<bool> ends = false;
  std::set<std::string> read;
  std::jthread waiting([&] {
    const auto read_all = [&] {
      const auto unread = town.json({"mail", "inbox", "--unread", "--limit", "200", "--as", "carol"});
      for (const auto& mail : unread.get_array()) {
        read.insert(text_at(mail, "subject"));
        const auto gone = town.gt({"mail", "ack", text_at(mail, "id"), "--as", "carol"});
        EXPECT_TRUE(gone.exit_code == 0 || gone.exit_code == 6) << gone.err;
      }
    };
    while (!read.contains("the last")) {
      const auto woken = town.gt({"mail", "wait", "--timeout", "60s", "--as", "carol"});
      ASSERT_TRUE(woken.exit_code == 0 || woken.exit_code == 6) << woken.exit_code << ": " << woken.err;
      read_all();
    }
  });
  // Commands that send to it.
  std::set<std::string> sent;
  std::jthread sending([&] {
    for (int n = 0; !ends; ++n) {
      const auto subject = cat("command-", n);
      const auto out = town.gt({"mail", "send", "carol", "-s", subject, "-m", "there", "--as", "bob"});
      if (out.exit_code == 0) sent.insert(subject);
      EXPECT_TRUE(out.exit_code == 0 || out.exit_code == 6) << out.exit_code << ": " << out.err;
    }
  });

  for (int round = 0; round < rounds; ++round) {
    const auto enough = senders.count() + each_round + random.bits() % each_round;
    await("enough was sent", [&] { return senders.count() >= enough; });
    kill_server();
    begin();
    where_.set(url());
  }
  senders.end();
  ends = true;
  sending.join();
  EXPECT_EQ(town.gt({"mail", "send", "carol", "-s", "the last", "-m", "there", "--as", "bob"}).exit_code, 0);
  waiting.join();

  expect_all_stored_once(senders.acknowledged());
  expect_all_stored_once(sent);
  EXPECT_GE(senders.acknowledged().size(), static_cast<std::size_t>(rounds) * each_round);
  for (const auto& subject : sent) EXPECT_TRUE(read.contains(subject)) << "nobody was woken for " << subject;
  expect_all_told(followers, following, after);
}

TEST_F(LoadedServer, IsHandedToASuccessorWithoutLosingARequestOverHttp) {
  const auto after = newest_event();
  const auto first = url();
  Followers followers(where_, tokens({"--human"}, 4), after);
  Senders senders(where_, token({"--agent", "alice"}), {"bob"}, 8);
  for (int round = 0; round < stress(20, 3); ++round) {
    const auto enough = senders.count() + 50;
    await("enough was sent", [&] { return senders.count() >= enough; });
    begin();
    EXPECT_EQ(url(), first) << "it is where it was";
  }
  senders.end();
  EXPECT_EQ(senders.unanswered(), 0u);
  expect_all_stored_once(senders.acknowledged());
  expect_all_told(followers, 4, after);
}

/// A client that asks for events and reads none of them.
class DeafClient {
 public:
  DeafClient(const std::string& url, const std::string& token) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int little = 4096;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(whole_number<std::uint16_t>(url.substr(url.rfind(':') + 1)).value_or(0));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const auto request =
        cat("GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ", token, "\r\n\r\n");
    EXPECT_EQ(::send(fd_, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  }
  ~DeafClient() { ::close(fd_); }
  DeafClient(const DeafClient&) = delete;
  DeafClient& operator=(const DeafClient&) = delete;

 private:
  int fd_;
};

// Of the streams most are of agents, each of which is told its own mail; some are of people, who are told everything.
TEST_F(LoadedServer, ServesVeryManyWhoFollowAndSendAndKeepsLittleInMemory) {
  const int agents = stress(980, 50), people = stress(20, 5), senders_number = stress(200, 12), deaf = 2;
  const auto streams = static_cast<std::size_t>(agents + people);
  const auto time = std::chrono::seconds(stress(60, 2));
  const bool is_full = stress(1, 0) == 1;
  if (is_full) fill(1'000'000);
  const auto person = token({"--human"});
  std::vector<std::string> addresses, tokens(static_cast<std::size_t>(people), person);
  for (int i = 0; i < agents; ++i) addresses.push_back(cat("agent", i));
  town.agents(addresses);
  for (const auto& address : addresses) tokens.push_back(token({"--agent", address}));

  const auto after = newest_event();
  Followers followers(where_, tokens, after);
  await("all follow", [&] { return followers.opened() == streams; });
  std::vector<std::unique_ptr<DeafClient>> deaf_ones;
  for (int i = 0; i < deaf; ++i) deaf_ones.push_back(std::make_unique<DeafClient>(url(), person));
  await("the deaf ones follow, too",
        [&] { return metric("event_streams") == static_cast<std::int64_t>(streams) + deaf; });

  Senders senders(where_, token({"--agent", "alice"}), addresses, senders_number);
  std::this_thread::sleep_for(time);  // the load itself: nothing is waited for
  senders.end();
  std::printf("%zu sent, %zu streams, %zu opened\n", senders.count(), streams, followers.opened());
  std::fflush(stdout);
  expect_all_stored_once(senders.acknowledged());
  const auto came = came_since(after);
  std::vector<std::vector<std::int64_t>> expected(static_cast<std::size_t>(people), came.all);
  for (const auto& address : addresses)
    expected.push_back(came.to.contains(address) ? came.to.at(address) : std::vector<std::int64_t>());
  if (is_full)
    await(
        "the deaf ones are dropped", [&] { return metric("event_streams") <= static_cast<std::int64_t>(streams); },
        [&] { return cat(", of ", metric("event_streams"), " streams"); });
  const auto memory = resident_kib();
  expect_told(followers, expected);
  EXPECT_EQ(followers.opened(), streams) << "some were dropped, who did read";
  std::printf("server: %lld KiB\n", static_cast<long long>(memory));
  EXPECT_FALSE(came.all.empty());
  EXPECT_LT(memory, 64 * 1024) << "KiB";
}

}  // namespace
}  // namespace townpost
