#include "store/group_commit_store.h"

#include <algorithm>
#include <chrono>

#include "base/seclusion.h"
#include "base/text.h"
#include "store/sql_ledger.h"
#include "store/sql_store.h"

namespace townpost {

namespace {

constexpr int kTries = 4;  // of a write by itself, where the store says that running it again is right
constexpr std::size_t kCrowd = 8;
constexpr auto kLinger = std::chrono::microseconds(200);
constexpr Sql kSavepoint = "SAVEPOINT one_write";
constexpr Sql kRelease = "RELEASE SAVEPOINT one_write";
constexpr Sql kRollBack = "ROLLBACK TO SAVEPOINT one_write";

}  // namespace

Result<std::unique_ptr<GroupCommitStore>> GroupCommitStore::open(const Connect& connect, Bounds bounds, Bell* bell) {
  TRY(writer, connect());
  writer->settle_in(bounds.memory);
  TRY(pool, StorePool::open(connect, {.connections = bounds.readers}, nullptr));
  return std::unique_ptr<GroupCommitStore>(
      new GroupCommitStore(std::move(writer), std::move(pool), bounds.waiting, bell));
}

GroupCommitStore::GroupCommitStore(std::unique_ptr<Database> writer, std::unique_ptr<StorePool> readers,
                                   std::size_t most_waiting, Bell* bell)
    : database_(std::move(writer)),
      readers_(std::move(readers)),
      most_waiting_(most_waiting),
      bell_(bell),
      writer_([this] { write_until_closed(); }) {}

GroupCommitStore::~GroupCommitStore() {
  {
    const MutexLock lock(mutex_);
    closing_ = true;
  }
  arrived_.notify_one();
  writer_.join();
}

Result<> GroupCommitStore::run(Access access, const Transaction& work, const Patience& patience) {
  if (access == Access::read) return readers_->run(access, work, patience);
  const auto job = std::make_shared<Job>();
  job->work = &work;
  {
    const MutexLock lock(mutex_);
    if (waiting_.size() >= most_waiting_)
      return fail(Code::unavailable, cat("too busy: ", waiting_.size(), " writes wait for their turn"),
                  "try again in a moment");
    waiting_.push_back(job);
    if (waiting_.size() == 1 || waiting_.size() == wanted_) arrived_.notify_one();
  }
  if (patience.has_limits()) return wait_for(job, patience);
  job->done.wait(0);
  return job->outcome;
}

Result<> GroupCommitStore::wait_for(const std::shared_ptr<Job>& job, const Patience& patience) {
  using Timer = std::chrono::steady_clock;
  const auto begun = Timer::now();
  MutexLock lock(mutex_);
  while (job->done == 0) {
    const auto place = std::find(waiting_.begin(), waiting_.end(), job);
    if (place != waiting_.end()) {  // else it is being written: how that ends is worth waiting for
      Result<> wanted = patience.check();
      if (wanted && patience.longest && Timer::now() - begun >= *patience.longest)
        wanted = fail(Code::unavailable, "the store is in use by others", "try again in a moment");
      if (!wanted) {
        waiting_.erase(place);
        return wanted;
      }
    }
    job->answered.wait_until(lock, Timer::now() + kTurnLook);
  }
  return job->outcome;
}

void GroupCommitStore::write_until_closed() {
  std::size_t crowd = 0;  // how many wrote at about the same time
  while (true) {
    {
      MutexLock lock(mutex_);
      while (!closing_ && waiting_.empty()) arrived_.wait(lock);
      if (crowd >= kCrowd) {  // those who were just answered come again in a moment, and then share this commit
        wanted_ = crowd;
        const auto until = std::chrono::steady_clock::now() + kLinger;
        while (!closing_ && waiting_.size() < crowd && arrived_.wait_until(lock, until) == std::cv_status::no_timeout) {
        }
        wanted_ = 1;
      }
      if (closing_ && waiting_.empty()) return;
    }
    if (!begin()) continue;
    const auto group = next_group();
    if (group.empty()) {
      database_->rollback();
      continue;
    }
    const auto then = group.size() == 1 ? commit_alone(*group.front()) : commit_group(group);
    if (then == Then::answered) answer(group);
    const MutexLock lock(mutex_);
    if (then == Then::again) waiting_.insert(waiting_.begin(), group.begin(), group.end());
    crowd = group.size() + waiting_.size();
  }
}

/// Another process may be writing for as long as it likes. Meanwhile nobody has begun, so each may leave when its own
/// patience ends, and whoever comes may join.
bool GroupCommitStore::begin() {
  bool all_left = false;
  database_->set_patience({.longest = std::nullopt, .still_wanted = [&]() -> Result<> {
                             const MutexLock lock(mutex_);
                             all_left = waiting_.empty();
                             return all_left ? fail(Code::timeout, "nobody waits for this now") : Result<>();
                           }});
  auto begun = database_->begin(Access::write);
  for (int tries = 1; !begun && !all_left && database_->may_repeat() && tries < kTries; ++tries)
    begun = database_->begin(Access::write);
  if (begun) return true;
  database_->rollback();
  if (all_left) return false;
  Group refused;
  {
    const MutexLock lock(mutex_);
    refused.swap(waiting_);
  }
  for (const auto& job : refused) job->outcome = Failure(begun.error());
  answer(refused);
  return false;
}

GroupCommitStore::Group GroupCommitStore::next_group() {
  const MutexLock lock(mutex_);
  Group group;
  const auto alone = [](const auto& job) { return job->apart == Apart::by_turns; };
  if (const auto one = std::find_if(waiting_.begin(), waiting_.end(), alone); one != waiting_.end()) {
    group.push_back(*one);
    waiting_.erase(one);
  } else {
    group.swap(waiting_);
  }
  return group;
}

void GroupCommitStore::answer(const Group& group) {
  {
    const MutexLock lock(mutex_);
    for (const auto& job : group) job->done = 1;
  }
  for (const auto& job : group) {
    job->done.notify_one();
    job->answered.notify_one();
  }
}

GroupCommitStore::Then GroupCommitStore::commit_group(const Group& group) {
  // A savepoint makes SQLite keep a copy of every page that is changed in it, and hardly ever is one needed: who is
  // refused, is refused before anything was changed.
  auto apart = database_->rows_changed() ? Apart::by_counting : Apart::by_savepoints;
  for (const auto& job : group) apart = std::max(apart, job->apart);
  std::vector<BellKey> rung;
  if (!run_group(group, apart, rung)) {
    database_->rollback();
    for (const auto& job : group) job->apart = apart == Apart::by_counting ? Apart::by_savepoints : Apart::by_turns;
    return Then::again;
  }
  if (const auto stored = database_->commit(); !stored) {
    if (!database_->may_repeat()) {  // nobody knows for sure what is stored: nothing is done twice
      for (const auto& job : group)
        if (job->outcome) job->outcome = Failure(stored.error());
      return Then::answered;
    }
    database_->rollback();
    for (const auto& job : group) job->apart = Apart::by_turns;  // so that nobody fails for another's sake
    return Then::again;
  }
  if (bell_) bell_->ring_all(rung);
  return Then::answered;
}

/// Error: the group is spoiled, by a store that failed or by somebody who failed after a change.
Result<> GroupCommitStore::run_group(const Group& group, Apart apart, std::vector<BellKey>& rung) {
  SqlLedger::Count count;  // the town's numbers are read and counted up once for all
  for (const auto& job : group) {
    TRY_VOID(run_in_group(*job, apart, count));
    if (job->outcome) rung.insert(rung.end(), job->rung.begin(), job->rung.end());
  }
  SqlLedger last(*database_, Access::write, count);
  TRY_VOID(last.settle());
  rung.insert(rung.end(), last.rung().begin(), last.rung().end());
  std::sort(rung.begin(), rung.end());
  rung.erase(std::unique(rung.begin(), rung.end()), rung.end());
  if (!rung.empty()) database_->notify(names_of(rung));  // once, however many wrote
  return {};
}

/// Error: the group is spoiled. A write that fails by itself leaves no trace in the group.
Result<> GroupCommitStore::run_in_group(Job& job, Apart apart, SqlLedger::Count& count) {
  const Seclusion inside;
  const auto changed = database_->rows_changed();
  if (apart == Apart::by_savepoints) TRY_VOID(database_->run(kSavepoint));
  SqlLedger ledger(*database_, Access::write, count);
  job.outcome = (*job.work)(ledger);
  if (job.outcome) count = ledger.count();
  job.rung = ledger.rung();
  if (!job.outcome && job.outcome.error().code == Code::unavailable) return job.outcome;
  if (apart == Apart::by_counting) {
    const bool spoiled = !job.outcome && database_->rows_changed() != changed;
    return spoiled ? job.outcome : Result<>();
  }
  if (!job.outcome) TRY_VOID(database_->run(kRollBack));
  TRY_VOID(database_->run(kRelease));
  return {};
}

GroupCommitStore::Then GroupCommitStore::commit_alone(Job& job) {
  job.outcome = finish_transaction(*database_, Access::write, *job.work, bell_);
  job.apart = Apart::by_turns;
  return !job.outcome && database_->may_repeat() && ++job.tries < kTries ? Then::again : Then::answered;
}

}  // namespace townpost
