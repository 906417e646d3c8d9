#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "contract/must.h"
#include "contract/stores.h"
#include "store/group_commit_store.h"
#include "store/migrations.h"
#include "store/store_pool.h"
#include "support/fakes.h"

namespace townpost {

/// A door that is opened once, and a count of those who stand before it.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Whether so many came, before the test loses its patience.
  bool await(int number) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return waiting_ >= number; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

/// Runs `work(0)` … `work(count - 1)`, each in a thread of its own, and waits for all.
template <class Work>
void in_threads(int count, const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  for (auto& thread : threads) thread.join();
}

/// An empty town on every kind of store, and what its writes left there.
class ManyThreads : public testing::TestWithParam<StoreKind> {
 protected:
  ManyThreads() { must(migrate(*site_->connect())); }

  GroupCommitStore::Connect connect() {
    return [this]() -> Result<std::unique_ptr<Database>> { return site_->connect(); };
  }
  std::unique_ptr<GroupCommitStore> open(Bell* bell = nullptr) {
    return must(GroupCommitStore::open(connect(), {}, bell));
  }

  /// A write of two parts.
  static Result<> note(Ledger& ledger, const std::string& name) {
    for (const auto* half : {" first", " second"})
      TRY_VOID(ledger.add_event({.at = {1}, .kind = EventKind::other, .detail = cat(name, half)}));
    return {};
  }

  /// Every detail of every event, sorted, from a connection of its own.
  std::vector<std::string> notes() {
    std::vector<std::string> out;
    must(site_->connect()->run("SELECT detail FROM event WHERE kind = 'other'", {}, [&](const Row& row) {
      out.push_back(row.string(0));
      return Next::go_on;
    }));
    std::sort(out.begin(), out.end());
    return out;
  }
  /// What notes() finds if each of these was written once.
  static std::vector<std::string> notes_of(const std::vector<std::string>& names) {
    std::vector<std::string> out;
    for (const auto& name : names)
      for (const auto* half : {" first", " second"}) out.push_back(name + half);
    std::sort(out.begin(), out.end());
    return out;
  }

  std::unique_ptr<StoreSite> site_ = GetParam().make_site();
};

}  // namespace townpost
