// The town's server under load: what it stores a second, how soon it tells of it, and what a command costs with it.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>

#include "base/json_fields.h"
#include "base/text.h"
#include "bench/many_threads.h"
#include "bench/peers.h"
#include "bench/postgres_reference.h"
#include "support/postgres_server.h"

namespace townpost::bench {

namespace {

constexpr std::size_t kConnections = 64;
constexpr int kRounds = 5;
constexpr std::int64_t kMessages = 10'000;

struct Rates {
  std::vector<double> ours, theirs;
  static double median(std::vector<double> some) {
    std::sort(some.begin(), some.end());
    return some[some.size() / 2];
  }
  static std::string str(const std::vector<double>& some) {
    std::string out;
    for (const double one : some) out += cat(out.empty() ? "" : " ", static_cast<long>(one));
    return out;
  }
  Measured measured(const std::string& them) const {
    return {.value = median(ours),
            .unit = "sends/s",
            .reference = median(theirs),
            .remarks = {cat("townpost: ", str(ours)), cat(them, ": ", str(theirs))}};
  }
};

/// a b, b a, a b …: one round of each, so that both meet the same disk.
Rates alternate_rates(const std::function<double()>& ours, const std::function<double()>& theirs) {
  ours();
  theirs();
  Rates out;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 2 == 0) out.ours.push_back(ours());
    out.theirs.push_back(theirs());
    if (round % 2 != 0) out.ours.push_back(ours());
  }
  return out;
}

std::int64_t messages_in(const FilledTown& town) {
  const auto stored = stored_messages(town);
  if (!stored) give_up(stored.error().message);
  return *stored;
}

Measured against(Workshop& workshop, const std::string& name, std::uint16_t port, const Language& language,
                 std::size_t requests) {
  const auto& town = workshop.town(name, kMessages);
  const auto before = messages_in(town);
  const OurServer server(workshop, town.folder);
  Connections us(server.port(), kConnections, server.sends(town.worker.address));
  Connections them(port, kConnections, language);
  const auto rates = alternate_rates([&] { return us.rate(requests); }, [&] { return them.rate(requests); });
  if (messages_in(town) != before + static_cast<std::int64_t>((kRounds + 1) * requests))
    give_up("the sends were not all stored");
  return rates.measured(name);
}

/// The one in the middle, and the one that 99 of 100 do not exceed.
double share(std::vector<double> times, double of) {
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1, static_cast<std::size_t>(of * static_cast<double>(times.size())))];
}

std::string in_ms(const std::vector<double>& times) {
  std::array<char, 96> line{};
  std::snprintf(line.data(), line.size(), "p50 %.3f ms, p99 %.3f (%zu)", share(times, 0.5), share(times, 0.99),
                times.size());
  return line.data();
}

using Timer = std::chrono::steady_clock;
double ms_since(Timer::time_point start) {
  return std::chrono::duration<double, std::milli>(Timer::now() - start).count();
}

/// Reads on until `text` was heard.
void hear_until(const FileDescriptor& socket, std::string_view text) {
  std::string heard;
  while (heard.find(text) == std::string::npos) heard += hear(socket);
}

}  // namespace

/// Durable sends a second over 64 connections to the server, over HTTP, against a Redis that syncs each write and keeps
/// the message in a stream and in three indexes.
Measured server_send_64(Workshop& workshop) {
  const RedisServer redis(workshop.folder("redis"));
  return against(workshop, "redis streams", redis.port(), RedisServer::sends(), 10'000);
}

/// The same against NATS JetStream with synchronous writes: the message alone.
Measured server_send_64_nats(Workshop& workshop) {
  const NatsServer nats(workshop.folder("nats"));
  return against(workshop, "nats jetstream", nats.port(), NatsServer::sends(), 5'000);
}

/// From a send to the event at a client that follows, against Redis: from XADD to the answer of XREAD BLOCK.
Measured push_latency(Workshop& workshop) {
  constexpr int kSends = 600, kWarmUp = 50;
  const auto& town = workshop.town("push", kMessages);
  const OurServer server(workshop, town.folder);
  const auto follower = connected_to(server.port());
  say(follower, cat("GET /api/events?kind=mail_received HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ",
                    server.token(), "\r\n\r\n"));
  hear_until(follower, "event: connected");
  const auto sender = connected_to(server.port());
  const auto language = server.sends(town.worker.address);
  const RedisServer redis(workshop.folder("redis-push"));
  const auto reader = connected_to(redis.port());
  const auto writer = connected_to(redis.port());

  std::vector<double> ours, theirs;
  for (int i = 0; i < kSends + kWarmUp; ++i) {
    const auto number = static_cast<std::size_t>(i);
    const auto us = [&] {
      const auto request = language.request(0, number);
      const auto start = Timer::now();
      say(sender, request);
      hear_until(follower, cat(kSubjectOfLoad, " ", i, "\""));
      const auto took = ms_since(start);
      hear_until(sender, "\r\n\r\n{");
      return took;
    };
    const auto them = [&] {
      say(reader, "*6\r\n$5\r\nXREAD\r\n$5\r\nBLOCK\r\n$1\r\n0\r\n$7\r\nSTREAMS\r\n$4\r\npush\r\n$1\r\n$\r\n");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // until it blocks
      const auto subject = cat(kSubjectOfLoad, " ", i);
      const auto request = cat("*7\r\n$4\r\nXADD\r\n$4\r\npush\r\n$1\r\n*\r\n$7\r\nsubject\r\n$", subject.size(),
                               "\r\n", subject, "\r\n$4\r\nbody\r\n$", kBodyOfLoad.size(), "\r\n", kBodyOfLoad, "\r\n");
      const auto start = Timer::now();
      say(writer, request);
      hear_until(reader, kBodyOfLoad);
      const auto took = ms_since(start);
      hear_until(writer, "\r\n");
      return took;
    };
    const double first = i % 2 == 0 ? us() : them();
    const double second = i % 2 == 0 ? them() : us();
    if (i < kWarmUp) continue;
    ours.push_back(i % 2 == 0 ? first : second);
    theirs.push_back(i % 2 == 0 ? second : first);
  }
  return {.value = share(ours, 0.5),
          .unit = "ms",
          .reference = share(theirs, 0.5),
          .remarks = {cat("send to event:  ", in_ms(ours)), cat("XADD to XREAD:  ", in_ms(theirs))}};
}

/// One `gt mail send` whose work the server does, against a program that returns at once.
Measured cli_send_server(Workshop& workshop) {
  const auto& town = workshop.town("send-server", kMessages);
  const OurServer server(workshop, town.folder);
  Command send = workshop.gt(town, "", {"mail", "send", town.worker.address, "-s", kSubjectOfLoad, "-m", kBodyOfLoad});
  Command nothing({.words = {workshop.program("reference_nothing")}, .folder = town.folder});
  constexpr int kWarmUp = 20, kPairs = 400;
  const auto before = messages_in(town);
  const auto [sends, nothings] = alternate(send, nothing, kWarmUp, kPairs);
  if (messages_in(town) != before + kWarmUp + kPairs) give_up("the sends were not all stored");
  return {.value = sends.median(),
          .unit = "ms",
          .reference = nothings.median(),
          .remarks = {cat("gt mail send, by the server: ", sends.str()),
                      cat("a process of nothing:        ", nothings.str())}};
}

/// 64 senders at once, each one process after the other, with the server: how evenly they are served.
Measured cli_contention_64(Workshop& workshop) {
  constexpr int kSenders = 64, kEach = 30;
  const auto& town = workshop.town("crowd-server", kMessages);
  const OurServer server(workshop, town.folder);
  const auto before = messages_in(town);
  std::vector<std::vector<double>> times(kSenders);
  run_in_threads(kSenders, [&](int sender) {
    Command send = workshop.gt(
        town, "", {"mail", "send", town.worker.address, "-s", cat("From sender ", sender), "-m", kBodyOfLoad});
    for (int i = 0; i < kEach; ++i) times[static_cast<std::size_t>(sender)].push_back(send.run());
  });
  if (messages_in(town) != before + kSenders * kEach) give_up("the sends were not all stored");
  std::vector<double> all;
  for (const auto& some : times) all.insert(all.end(), some.begin(), some.end());
  return {.value = share(all, 0.99), .unit = "ms (p99/p50)", .reference = share(all, 0.5), .remarks = {in_ms(all)}};
}

namespace {

/// A town on that PostgreSQL with one agent, worker.
std::filesystem::path town_on(const Workshop& workshop, const std::string& name, const std::string& url) {
  const auto folder = workshop.folder(name);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"init", "--store", url}, {"trust", "--as", "overseer"}, {"agent", "add", "worker", "--as", "overseer"}}) {
    std::vector<std::string> command = {workshop.program("gt")};
    command.insert(command.end(), words.begin(), words.end());
    Command({.words = command, .folder = folder, .environment = {"PATH=/usr/bin:/bin", cat("HOME=", folder.string())}})
        .run();
  }
  return folder;
}

/// The rows of a send, written by hand: what one `gt mail send` left behind in a town's own tables is the pattern of
/// all.
class SendsByHand {
 public:
  explicit SendsByHand(const std::string& url) : url_(url) {
    HandConnection setup(url);
    setup.script("CREATE SEQUENCE hand_number START 1000000");
    for (const auto* table : {"message", "delivery", "event"}) {
      const std::string key = std::string_view(table) == "message" ? "id" : "message";
      setup.script(cat("CREATE TABLE pattern_of_", table, " AS SELECT * FROM ", table, " WHERE ", key,
                       " = (SELECT max(id) FROM message)"));
      setup.prepare(
          table, cat("SELECT string_agg(CASE WHEN column_name = '", key,
                     "' THEN '$1::bigint' WHEN column_name = 'subject' THEN '$2::text' WHEN column_name = 'body' THEN "
                     "'$3::text' WHEN column_name = 'seq' THEN 'nextval(''hand_number'')' ELSE column_name END, ', ' "
                     "ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = '",
                     table, "' AND table_schema = current_schema()")
                     .c_str());
      statements_.emplace_back(
          table, cat("INSERT INTO ", table, " SELECT ", setup.run(table, {}), " FROM pattern_of_", table));
    }
    for (std::size_t i = 0; i < kConnections; ++i) {
      auto& connection = *connections_.emplace_back(std::make_unique<HandConnection>(url));
      connection.prepare("begin", "BEGIN");
      connection.prepare("commit", "COMMIT");
      for (const auto& [table, sql] : statements_) connection.prepare(table.c_str(), sql.c_str());
    }
  }

  double rate(std::size_t requests) {
    const auto until = next_ + requests;
    const double seconds = run_in_threads(static_cast<int>(kConnections), [&](int number) {
      auto& connection = *connections_[static_cast<std::size_t>(number)];
      while (true) {
        const auto mine = next_++;
        if (mine >= until) return;
        const auto id = std::to_string(mine);
        connection.run("begin", {});
        connection.run("message", {id, cat(kSubjectOfLoad, " ", id), kBodyOfLoad});
        connection.run("delivery", {id});
        connection.run("event", {id});
        connection.run("commit", {});
      }
    });
    next_ = until;
    return static_cast<double>(requests) / seconds;
  }
  std::string str() const {
    HandConnection look(url_);
    look.prepare("events", "SELECT count(*) FROM pattern_of_event");
    return cat("a send leaves a message, a copy and ", look.run("events", {}), " events");
  }

 private:
  std::string url_;
  std::vector<std::pair<std::string, std::string>> statements_;
  std::vector<std::unique_ptr<HandConnection>> connections_;
  std::atomic<std::size_t> next_ = 1;
};

}  // namespace

/// Durable sends a second over 64 connections to the server of a town on PostgreSQL, against 64 connections to the same
/// PostgreSQL that each write the same rows into the same tables by hand, one transaction a message.
Measured pg_send_64(Workshop& workshop) {
  constexpr std::size_t kRequests = 3'000;
  PostgresServer postgres;
  const auto url = postgres.make_database(), hand_url = postgres.make_database();
  const auto folder = town_on(workshop, "on-postgres", url), other = town_on(workshop, "by-hand", hand_url);
  Command({.words = {workshop.program("gt"), "mail", "send", "worker", "-s", "pattern", "-m", "x", "--as", "overseer"},
           .folder = other,
           .environment = {"PATH=/usr/bin:/bin", cat("HOME=", other.string())}})
      .run();
  SendsByHand by_hand(hand_url);
  const OurServer server(workshop, folder, cat("[store]\nurl = \"", url, "\"\n"));
  Connections us(server.port(), kConnections, server.sends("worker"));
  auto out =
      alternate_rates([&] { return us.rate(kRequests); }, [&] { return by_hand.rate(kRequests); }).measured("by hand");
  out.remarks.push_back(by_hand.str());
  return out;
}

}  // namespace townpost::bench
