#include <atomic>

#include "crash/group_commit_fixture.h"
#include "store/db/postgres.h"
#include "support/postgres_server.h"

namespace townpost {
namespace {

constexpr int kThreads = 64;
constexpr int kWritesEach = 12;

using GroupCommit = ManyThreads;
INSTANTIATE_TEST_SUITE_P(, GroupCommit, testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

/// Writes `names` in one group, as far as possible: all of them come while the writer is busy with another.
std::vector<Result<>> write_together(Store& store, const std::vector<std::string>& names,
                                     const std::function<Result<>(Ledger&, const std::string&)>& work) {
  Gate gate;
  std::atomic<int> coming = 0;
  std::vector<Result<>> answers(names.size());
  std::thread first([&] {
    must(store.write([&](Ledger&) -> Result<> {
      gate.pass();
      return {};
    }));
  });
  EXPECT_TRUE(gate.await(1));
  std::thread opener([&] {
    while (coming < static_cast<int>(names.size())) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until they stand in the queue
    gate.open();
  });
  in_threads(static_cast<int>(names.size()), [&](int i) {
    const auto which = static_cast<std::size_t>(i);
    ++coming;
    answers[which] = store.write([&](Ledger& ledger) { return work(ledger, names[which]); });
  });
  first.join();
  opener.join();
  return answers;
}

std::vector<std::string> names_of(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back(cat("write-", i));
  return out;
}

TEST_P(GroupCommit, StoresEveryWriteThatItAnsweredOnce) {
  std::vector<std::vector<std::string>> written(kThreads);
  {
    const auto store = open();
    in_threads(kThreads, [&](int thread) {
      for (int number = 0; number < kWritesEach; ++number) {
        const auto name = cat("write-", thread, "-", number);
        if (store->write([&](Ledger& ledger) { return note(ledger, name); }))
          written[static_cast<std::size_t>(thread)].push_back(name);
      }
    });
  }
  std::vector<std::string> names;
  for (const auto& part : written) names.insert(names.end(), part.begin(), part.end());
  EXPECT_EQ(names.size(), std::size_t{kThreads * kWritesEach});
  EXPECT_EQ(notes(), notes_of(names));
}

TEST_P(GroupCommit, AnswersAfterTheCommitSoThatEverybodySeesWhatWasAnswered) {
  const auto store = open();
  std::atomic<int> unseen = 0;
  in_threads(16, [&](int thread) {
    for (int number = 0; number < kWritesEach; ++number) {
      const AgentId self{thread * 1'000 + number};
      must(store->write([&](Ledger& ledger) {
        return ledger.add_event({.at = {1}, .kind = EventKind::other, .agent = self, .detail = "mine"});
      }));
      must(store->read([&](Ledger& ledger) -> Result<> {
        TRY(found, ledger.events_about(self, EventKind::other, {{0}, {INT64_MAX}}, 10));
        if (found.size() != 1) ++unseen;
        return {};
      }));
    }
  });
  EXPECT_EQ(unseen, 0);
}

TEST_P(GroupCommit, AWriteThatFailsLeavesNoTraceAndDisturbsNobodyOfItsGroup) {
  std::vector<std::string> good;
  {
    const auto store = open();
    const auto names = names_of(kThreads);
    const auto answers = write_together(*store, names, [&](Ledger& ledger, const std::string& name) -> Result<> {
      TRY_VOID(note(ledger, name));
      if (name.ends_with('3') || name.ends_with('7')) return fail(Code::refused, name);
      return {};
    });
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool fails = names[i].ends_with('3') || names[i].ends_with('7');
      EXPECT_EQ(answers[i].has_value(), !fails) << names[i];
      if (!answers[i]) {
        EXPECT_EQ(answers[i].error().message, names[i]) << "its own error, not another's";
      }
      if (!fails) good.push_back(names[i]);
    }
  }
  EXPECT_EQ(notes(), notes_of(good));
}

TEST_P(GroupCommit, NumbersTheLogWithoutGapsWhoeverFailsInAGroup) {
  const auto store = open();
  const auto names = names_of(kThreads);
  for (const bool after_a_change : {false, true}) {
    const auto newest = [&] {
      LogExtent extent;
      must(store->read([&](Ledger& ledger) -> Result<> {
        TRY(found, ledger.log_extent());
        extent = found;
        return {};
      }));
      return extent.newest;
    };
    const auto before = newest();
    const auto answers = write_together(*store, names, [&](Ledger& ledger, const std::string& name) -> Result<> {
      if (name.ends_with('3') && !after_a_change) return fail(Code::refused, name);
      for (int i = 0; i < 2; ++i) TRY_VOID(ledger.add_event({.at = {1}, .kind = EventKind::other, .detail = name}));
      if (name.ends_with('3')) return fail(Code::refused, name);
      return {};
    });
    const auto stored =
        2 * std::count_if(answers.begin(), answers.end(), [](const auto& one) { return one.has_value(); });
    EXPECT_LT(stored, 2 * kThreads);
    EXPECT_EQ(newest(), before + stored);
    must(store->read([&](Ledger& ledger) -> Result<> {
      TRY(page, ledger.events_after({.after = before, .limit = 1000}));
      EXPECT_EQ(page.events.size(), static_cast<std::size_t>(stored));
      for (std::size_t i = 0; i < page.events.size(); ++i)
        EXPECT_EQ(page.events[i].seq, before + static_cast<std::int64_t>(i) + 1);
      return {};
    }));
  }
}

TEST_P(GroupCommit, AStatementThatTheStoreRefusesHarmsOnlyItsOwnWrite) {
  std::vector<std::string> good;
  {
    const auto store = open();
    must(store->write([](Ledger& ledger) { return ledger.add_alias("taken", {1}); }));
    const auto names = names_of(20);
    const auto answers = write_together(*store, names, [&](Ledger& ledger, const std::string& name) -> Result<> {
      TRY_VOID(note(ledger, name));
      if (name == "write-3" || name == "write-11") return ledger.add_rig({.name = "same", .prefix = "sa"});
      return {};
    });
    int refused = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_rig = names[i] == "write-3" || names[i] == "write-11";
      if (!answers[i] && is_rig)
        ++refused;
      else
        EXPECT_TRUE(answers[i].has_value()) << names[i] << ": " << answers[i].error().message;
      if (answers[i]) good.push_back(names[i]);
    }
    EXPECT_EQ(refused, 1) << "there can be one rig of that name";
  }
  EXPECT_EQ(notes(), notes_of(good));
}

TEST_P(GroupCommit, RingsEveryBellOnceForAGroup) {
  CountingBell bell;
  const auto store = open(&bell);
  const auto answers = write_together(*store, names_of(50), [&](Ledger& ledger, const std::string& name) -> Result<> {
    TRY_VOID(note(ledger, name));
    ledger.ring(AgentId{7});
    if (name == "write-5") {
      ledger.ring(AgentId{8});
      return fail(Code::refused, "nobody is to be woken for this");
    }
    if (name == "write-6") ledger.ring(AgentId{9});
    return {};
  });
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& answer) { return !answer; }), 1);
  EXPECT_GE(bell.rings(AgentId{7}), 1);
  EXPECT_LE(bell.rings(AgentId{7}), 10) << "for 50 writes in one group or a few";
  EXPECT_EQ(bell.rings(AgentId{8}), 0);
  EXPECT_EQ(bell.rings(AgentId{9}), 1);
}

TEST(GroupCommitOnPostgres, TellsListenersOnceForAGroup) {
  PostgresServer server;
  const auto url = server.make_database();
  const auto pq = must(Libpq::load());
  auto connect = [&]() -> Result<std::unique_ptr<Database>> {
    TRY(database, PostgresDatabase::open(url, std::nullopt));
    return std::unique_ptr<Database>(std::move(database));
  };
  must(migrate(*must(connect())));
  PostgresLink link(pq, must(PostgresAddress::parse(pq, url)));
  ASSERT_TRUE(link.connect(std::nullopt).has_value());
  ASSERT_TRUE(link.listen({.all = true, .names = {}}).has_value());
  const auto store = must(GroupCommitStore::open(connect, {.readers = 1}, nullptr));
  write_together(*store, names_of(50), [&](Ledger& ledger, const std::string& name) -> Result<> {
    ledger.ring(AgentId{7});
    ledger.ring(AgentId{100 + std::stoi(name.substr(6))});
    return {};
  });
  ASSERT_TRUE(link.script("SELECT 1").has_value());  // whatever was told before has arrived with its answer
  const auto told = link.notifications();
  EXPECT_GE(told.size(), 1u);
  EXPECT_LE(told.size(), 10u) << "for 50 writes in one group or a few";
  std::vector<std::string> keys;
  for (const auto& text : told)
    for (const auto key : split(text, ' ')) keys.emplace_back(key);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(std::count(keys.begin(), keys.end(), std::to_string(100 + i)), 1) << i;
}

TEST_P(GroupCommit, ReadsGoOnWhileAWriteTakesItsTime) {
  const auto store = open();
  Gate gate;
  std::thread writer([&] {
    must(store->write([&](Ledger&) -> Result<> {
      gate.pass();
      return {};
    }));
  });
  ASSERT_TRUE(gate.await(1));
  in_threads(12, [&](int) { must(store->read([](Ledger&) -> Result<> { return {}; })); });
  gate.open();
  writer.join();
}

TEST_P(GroupCommit, ClosingAnswersEverybodyWhoWaits) {
  constexpr int kWaiting = 40;
  auto store = open();
  Gate gate;
  std::atomic<int> coming = 0, stored = 0;
  std::thread first([&] {
    must(store->write([&](Ledger&) -> Result<> {
      gate.pass();
      return {};
    }));
  });
  ASSERT_TRUE(gate.await(1));
  auto* const open_store = store.get();
  std::vector<std::thread> writers;
  for (int i = 0; i < kWaiting; ++i)
    writers.emplace_back([&, i] {
      ++coming;
      if (open_store->write([&](Ledger& ledger) { return note(ledger, cat("write-", i)); })) ++stored;
    });
  while (coming < kWaiting) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until they stand in the queue
  std::thread closer([&] { store.reset(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.open();
  closer.join();
  first.join();
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(stored, kWaiting);
  EXPECT_EQ(notes(), notes_of(names_of(kWaiting)));
}

}  // namespace
}  // namespace townpost
