// Whoever follows the log by number sees every event once, in order: whatever is purged, restarted or written at once.
#include <atomic>
#include <map>
#include <thread>

#include "base/text.h"
#include "contract/must.h"
#include "contract/stores.h"
#include "gtest/gtest.h"
#include "store/group_commit_store.h"
#include "store/sql_admin.h"

namespace townpost {
namespace {

constexpr int kWriters = 8;
constexpr int kWrites = 40;

/// Follows the log by number, a page at a time, and remembers everything.
class Reader {
 public:
  Reader(StoreSite& site, std::int64_t from) : site_(site), at_(from) {}
  /// Reads up to the end of what is there now.
  void catch_up() {
    while (true) {
      const auto page =
          reading(*store_, [&](Ledger& ledger) { return must(ledger.events_after({.after = at_, .limit = 7})); });
      if (page.resync) ++resyncs_;
      for (const auto& event : page.events) {
        EXPECT_GT(event.seq, at_) << "in order, and none twice";
        gaps_ += event.seq == at_ + 1 ? 0 : 1;
        at_ = event.seq;
        seen_.push_back(event.detail);
      }
      if (page.upto == at_ && page.events.empty()) return;
      at_ = page.upto;
    }
  }
  void restart() { store_ = open_store(site_); }
  std::int64_t at() const { return at_; }
  int resyncs() const { return resyncs_; }
  int gaps() const { return gaps_; }
  const std::vector<std::string>& seen() const { return seen_; }

 private:
  StoreSite& site_;
  std::unique_ptr<Store> store_ = open_store(site_);
  std::int64_t at_;
  int resyncs_ = 0;
  int gaps_ = 0;
  std::vector<std::string> seen_;
};

class Replay : public ::testing::TestWithParam<StoreKind> {
 protected:
  StoreSite& site() { return *site_; }
  void purge() { must(SqlAdmin(site_->connect(), "").purge(Instant{1'000})); }
  /// A message of before, deleted by everybody, with its history.
  void add_deleted_mail(std::int64_t seq) {
    writing(*store_, [&](Ledger& ledger) {
      Message message;
      message.id = MessageId::least(seq);
      message.from = "mayor/";
      message.sender = {3};
      must(ledger.add_message(message));
      must(ledger.add_delivery({.message = message.id, .mailbox = {4}, .deleted_at = Instant{5}}));
      for (const auto kind : {EventKind::stored, EventKind::deleted})
        must(ledger.add_event({.at = {5}, .kind = kind, .message = message.id, .detail = "old"}));
    });
  }
  /// Two events a write: half a write would be seen as a missing one.
  static void write_one(Store& store, int writer, int number, bool looks_first) {
    const auto work = [&](Ledger& ledger) -> Result<> {
      TRY_VOID(ledger.take_turn());
      for (const auto* half : {"a", "b"})
        TRY_VOID(
            ledger.add_event({.at = {2'000}, .kind = EventKind::started, .detail = cat(writer, " ", number, half)}));
      return {};
    };
    must(looks_first ? store.look_then_write(work) : store.write(work));
  }

 private:
  std::unique_ptr<StoreSite> site_ = GetParam().make_site();
  std::unique_ptr<Store> store_ = open_store(*site_);
};
INSTANTIATE_TEST_SUITE_P(, Replay, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(Replay, EveryEventIsSeenOnceInOrderAcrossPurgeRestartAndManyWriters) {
  for (int i = 1; i <= 4; ++i) add_deleted_mail(i);
  Reader reader(site(), 0);
  reader.catch_up();
  const auto before = reader.at();
  ASSERT_EQ(reader.seen().size(), 8u);
  purge();  // also of the newest events; the newest message stays

  // Half of them share commits, the others have a connection of their own.
  auto shared = must(GroupCommitStore::open([&] { return Result<std::unique_ptr<Database>>(site().connect()); },
                                            {.readers = 1}, nullptr));
  std::atomic<int> writing_still = kWriters;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer)
    threads.emplace_back([&, writer] {
      std::unique_ptr<Store> own;
      for (int number = 0; number < kWrites; ++number) {
        if (number % 10 == 0) own = open_store(site());  // restarted now and then
        write_one(writer % 2 == 0 ? *shared : *own, writer, number, number % 3 == 0);
      }
      --writing_still;
    });
  for (int round = 0; writing_still > 0; ++round) {
    reader.catch_up();
    if (round % 3 == 0) reader.restart();
    if (round % 5 == 0) purge();
  }
  for (auto& thread : threads) thread.join();
  reader.catch_up();

  EXPECT_EQ(reader.resyncs(), 0) << "it was never behind what is kept";
  EXPECT_EQ(reader.gaps(), 0) << "every number is there";
  EXPECT_EQ(reader.at(), before + 2 * kWriters * kWrites);
  std::map<std::string, int> next;
  const auto& seen = reader.seen();
  for (std::size_t i = 8; i < seen.size(); i += 2) {
    const auto writer = seen[i].substr(0, seen[i].find(' '));
    const int number = next[writer]++;
    EXPECT_EQ(seen[i], cat(writer, " ", number, "a"));
    EXPECT_EQ(seen[i + 1], cat(writer, " ", number, "b")) << "what was written together stands together";
  }
  EXPECT_EQ(next.size(), static_cast<std::size_t>(kWriters));

  // From any other point the rest is the same; behind what is gone there is a resync, and never a silent gap.
  for (const auto from : {before, before + 1, before + 77, reader.at()}) {
    Reader late(site(), from);
    late.catch_up();
    EXPECT_EQ(late.resyncs() + late.gaps(), 0);
    EXPECT_EQ(late.seen(), std::vector<std::string>(seen.begin() + 8 + (from - before), seen.end()));
  }
  Reader too_late(site(), 2);
  too_late.catch_up();
  EXPECT_EQ(too_late.resyncs(), 1);
  EXPECT_EQ(too_late.at(), reader.at());
}

TEST_P(Replay, NumbersGoOnAfterThePurgeOfTheNewest) {
  add_deleted_mail(1);
  add_deleted_mail(2);
  const auto extent = [&] {
    return reading(*open_store(site()), [](Ledger& ledger) { return must(ledger.log_extent()); });
  };
  EXPECT_EQ(extent(), (LogExtent{1, 4}));
  must(site().connect()->run("DELETE FROM event"));  // nothing is left to count from
  auto store = open_store(site());
  write_one(*store, 0, 0, false);
  EXPECT_EQ(extent().newest, 6);
}

}  // namespace
}  // namespace townpost
