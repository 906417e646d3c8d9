#include "crash/workshop.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "post/mail/post_office.h"
#include "store/group_commit_store.h"

namespace townpost {

Workshop::Workshop(const Ground& ground) {
  if (ground.on_postgres) {
    server_.emplace();
    place_.url = server_->make_database();
  } else {
    place_.file = town_.store();
  }
  TestTown::Words init = {"init", "--name", "workshop"};
  if (place_.url) init.insert(init.end(), {"--store", *place_.url});
  const auto made = town_.gt(init);
  if (made.exit_code != 0) throw std::runtime_error(made.err);
  const auto file = town_.folder() / ".town" / "town.toml";
  auto settings = read_file(file).value_or("");
  const std::string_view limits = "# enabled = true";
  settings.replace(settings.find(limits), limits.size(), "enabled = false");
  if (!write_file_durably(file, settings)) throw std::runtime_error("cannot write town.toml");
}

std::unique_ptr<Database> Workshop::connect() const {
  auto database = place_.open(SqliteDatabase::Mode::existing, std::nullopt, postgres_);
  if (!database) throw std::runtime_error(database.error().message);
  return std::move(*database);
}

void Workshop::make_queue(Millis lease, int max_attempts) const {
  const auto made = town_.gt(
      {"queue", "create", "work", "--lease", cat(lease.count(), "ms"), "--max-attempts", std::to_string(max_attempts)});
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

Town Workshop::open(Store& store) {
  return Town{town_.folder() / ".town", Settings(), store, bell_, sessions_, clock_, random_};
}

void Workshop::fill_queue(int messages, const std::vector<Caller>& senders) {
  auto store =
      GroupCommitStore::open([this] { return Result<std::unique_ptr<Database>>(connect()); }, {.readers = 2}, nullptr);
  ASSERT_TRUE(store.has_value()) << store.error().message;
  Town town = open(**store);
  town.settings.limits.enabled = false;
  std::atomic<int> next = 0;
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&] {
      for (int number = next++; number < messages; number = next++)
        if (!PostOffice(town).send({{.subject = cat("piece ", number), .body = "do it"}, {"queue:work"}},
                                   senders[static_cast<std::size_t>(number) % senders.size()]))
          ++failed;
    });
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(failed, 0);
}

Result<QueueCounts> Workshop::count(Store& store) {
  Town town = open(store);
  TRY(view, Queues(town).show("work"));
  return view.counts;
}

// ---- workers
// -----------------------------------------------------------------------------------------------------------

namespace {

void end(pid_t worker) {
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
}

}  // namespace

Workers::Workers(const Workshop& workshop, int number, Conduct conduct) : workshop_(workshop), conduct_(conduct) {
  for (int i = 0; i < number; ++i) workers_.push_back(start());
}

Workers::~Workers() {
  for (const auto worker : workers_) end(worker);
}

void Workers::replace(std::size_t which) {
  end(workers_.at(which));
  workers_.at(which) = start();
}

pid_t Workers::start() {
  const auto& folder = workshop_.town().folder();
  const auto name = cat("worker-", ++started_);
  std::vector<std::string> words = {QUEUE_WORKER, "work", workshop_.evidence().string()};
  if (conduct_ == Conduct::whimsical) words.push_back("whims");
  auto environment = clean_environment(folder, {{"MAIL_IDENTITY", name}});
  auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, QUEUE_WORKER, &actions, nullptr, pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start a worker");
  return pid;
}

}  // namespace townpost
