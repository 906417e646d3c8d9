#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hosts/network.h"
#include "support/postgres_server.h"
#include "support/test_town.h"

namespace townpost {

/// A machine with a folder of its own, from which `gt` is called as its user does.
class Host {
 public:
  Host(const Network& network, std::string name) : network_(network), name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  const std::filesystem::path& home() const { return folder_.folder(); }

  ProcessOutput gt(const TestTown::Words& words, const TestTown::Variables& variables = {}) const;
  /// The same with --json; fails the test unless it exits 0.
  Json json(const TestTown::Words& words, const TestTown::Variables& variables = {}) const;
  /// `gt init --store URL`, or the test ends.
  void join(const std::string& url) const;
  /// Writes a password file for the user `guest`, that nobody else may read.
  void keep_password(const std::filesystem::path& file, const std::string& password) const;

 private:
  const Network& network_;
  std::string name_;
  TestTown folder_{TestTown::Start::empty_folder};
};

/// Hosts that send in a loop, each in a thread of its own, until stopped; they remember what they were answered.
class Senders {
 public:
  Senders(const std::vector<std::unique_ptr<Host>>& hosts, const std::string& to);
  ~Senders() { stop(); }
  void stop();
  /// Waits until every host has sent so many more.
  void await_more(int sends) const;

  std::vector<std::string> sent() const;    ///< subjects of those that exited 0
  std::vector<std::string> errors() const;  ///< of all others

 private:
  struct Log {
    std::vector<std::string> sent, errors;
    std::atomic<int> count = 0;
  };
  std::vector<std::unique_ptr<Log>> logs_;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

constexpr const char* kPassword = "no secret at all";

/// Makes the user `guest`, who needs the password, and its database `town`.
void make_guest_and_town(const PostgresServer& server);

/// Fails the test unless each of these subjects is in the inbox of `reader`, and nothing is there twice.
void expect_each_once(const Host& host, const std::string& reader, const std::vector<std::string>& subjects);

}  // namespace townpost
