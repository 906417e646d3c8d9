#include "hosts/host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "support/await.h"

namespace townpost {

using namespace std::chrono_literals;

ProcessOutput Host::gt(const TestTown::Words& words, const TestTown::Variables& variables) const {
  ProcessOutput out;
  network_.on(name_, [&] { out = folder_.gt(words, variables); });
  return out;
}

Json Host::json(const TestTown::Words& words, const TestTown::Variables& variables) const {
  Json out;
  network_.on(name_, [&] { out = folder_.json(words, variables); });
  return out;
}

void Host::join(const std::string& url) const {
  const auto made = gt({"init", "--name", "shared", "--store", url});
  if (made.exit_code != 0) throw std::runtime_error(cat(name_, ": ", made.err));
}

void Host::keep_password(const std::filesystem::path& file, const std::string& password) const {
  const auto written = write_file_durably(file, cat("*:*:*:guest:", password, "\n"), 0600);
  if (!written) throw std::runtime_error(written.error().message);
}

Senders::Senders(const std::vector<std::unique_ptr<Host>>& hosts, const std::string& to) {
  for (const auto& host : hosts) {
    logs_.push_back(std::make_unique<Log>());
    threads_.emplace_back([this, &host = *host, to, log = logs_.back().get()] {
      for (int number = 0; !stopping_; ++number) {
        const auto subject = cat(host.name(), " sends ", number);
        const auto done = host.gt({"mail", "send", to, "-s", subject, "-m", "still here"});
        if (done.exit_code == 0)
          log->sent.push_back(subject);
        else
          log->errors.push_back(cat(subject, ": exit ", done.exit_code, ": ", done.err));
        ++log->count;
      }
    });
  }
}

void Senders::stop() {
  stopping_ = true;
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
}

void Senders::await_more(int sends) const {
  std::vector<int> before;
  for (const auto& log : logs_) before.push_back(log->count);
  await("every host sends more", [&] {
    for (std::size_t i = 0; i < logs_.size(); ++i)
      if (logs_[i]->count < before[i] + sends) return false;
    return true;
  });
}

std::vector<std::string> Senders::sent() const {
  std::vector<std::string> out;
  for (const auto& log : logs_) out.insert(out.end(), log->sent.begin(), log->sent.end());
  return out;
}

std::vector<std::string> Senders::errors() const {
  std::vector<std::string> out;
  for (const auto& log : logs_) out.insert(out.end(), log->errors.begin(), log->errors.end());
  return out;
}

void make_guest_and_town(const PostgresServer& server) {
  server.psql(cat("CREATE ROLE guest LOGIN PASSWORD '", kPassword, "'"));
  server.psql("CREATE DATABASE town OWNER guest");
}

void expect_each_once(const Host& host, const std::string& reader, const std::vector<std::string>& subjects) {
  const auto inbox = host.json({"mail", "inbox", reader, "--limit", "10000"});
  std::multiset<std::string> found;
  for (const auto& subject : texts_in(inbox, "subject")) found.insert(subject);
  std::vector<std::string> missing;
  for (const auto& subject : subjects)
    if (found.count(subject) == 0) missing.push_back(subject);
  EXPECT_EQ(missing, std::vector<std::string>()) << "it was answered with exit 0";
  const std::set<std::string> different(found.begin(), found.end());
  EXPECT_EQ(found.size(), different.size()) << "something is there twice";
}

}  // namespace townpost
