#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "app/libpq_door.h"
#include "app/store_place.h"
#include "base/text.h"
#include "contract/full_town.h"
#include "crash/running_gt.h"
#include "support/postgres_server.h"
#include "support/stress.h"
#include "support/test_town.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

const int kMessages = stress(100'000, 60'000);
const int kKillsEachWay = stress(4, 2);

std::unique_ptr<Database> opened(const TestTown& town, const std::string& where) {
  const auto place = StorePlace::parse(where, town.store().parent_path());
  if (!place) throw std::runtime_error(place.error().message);
  LibpqDoor postgres;
  auto database = place->open(SqliteDatabase::Mode::existing, std::nullopt, postgres);
  return database ? std::move(*database) : nullptr;
}

std::vector<std::string> rows_at(const TestTown& town, const std::string& where) {
  const auto database = opened(town, where);
  if (!database) throw std::runtime_error("cannot open " + where);
  return all_rows(*database);
}

/// Equal, or the first difference: the lists are too long to look at.
void expect_same_rows(const std::vector<std::string>& found, const std::vector<std::string>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) ASSERT_EQ(found[i], expected[i]);
}

/// Messages of all lengths, each with its copy and its history, made by the database itself because that is quick.
void fill(const TestTown& town) {
  town.agents({"ann", "bob", "cid"});
  town.sql(cat(
      "BEGIN;"
      "CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ",
      kMessages,
      ") SELECT i, (i << 20) | (abs(random()) % 1048576) AS id FROM n;"
      "INSERT INTO message SELECT id, 1700000000000 + i * 7, 5 + i % 3, i % 3, i % 5, i % 5, i % 2, 0, i % 9,"
      " CASE WHEN i % 4 = 0 THEN id END, NULL, CASE WHEN i % 3 = 0 THEN random() END, 'thread-' || (i / 10), 'ann',"
      " 'bob', '', 'letter ' || i || ' äöü', 'Nr. ' || i || ' ' || hex(randomblob(i % 300)) || char(128512), NULL FROM "
      "numbers;"
      "INSERT INTO delivery SELECT id, 5 + (i + 1) % 3, 0, 0, i % 5, 0, '', NULL,"
      " CASE WHEN i % 2 = 0 THEN 1700000000000 + i END, CASE WHEN i % 6 = 0 THEN 1700000000000 + i END, NULL,"
      " CASE WHEN i % 12 = 0 THEN 1700000000000 + i END, NULL, NULL, CASE WHEN i % 50 = 0 THEN 'gp-' || i ELSE '' END "
      "FROM numbers;"
      "INSERT INTO event (seq, at, kind, message, agent, detail)"
      " SELECT (SELECT last_event FROM log_state) + i, 1700000000000 + i, 'stored', id, 5, '' FROM numbers;"
      "UPDATE log_state SET last_event = (SELECT MAX(seq) FROM event);"
      "COMMIT;"));
}

class LargeCopy {
 public:
  LargeCopy(const TestTown& town, std::string from, std::string to)
      : town_(town),
        words_{"store", "copy", "--from", from, "--to", to, "--as", "overseer", "--json"},
        to_(std::move(to)) {}

  /// Kills it at a random moment, several times, and looks at what is left each time.
  void kill_several_times(Moments& moments) {
    for (int kills = 0; kills < kKillsEachWay; ++kills) {
      auto child = RunningGt::start(words_, town_.folder());
      std::this_thread::sleep_for(100ms + moments.within(300ms));  // a whole copy takes seconds on any machine
      // The last one has come somewhere, however busy the machine is: else the next could not go on from there.
      while (kills + 1 == kKillsEachWay && child.is_running() && !has_messages()) std::this_thread::sleep_for(10ms);
      child.signal(SIGKILL);
      const auto ended = child.end();
      ASSERT_EQ(ended.exit_code, kKilled) << "it was too quick to be killed: " << ended.out << ended.err;
      const auto looked = town_.gt({"mail", "inbox"}, {{"GT_STORE", to_}});
      EXPECT_EQ(looked.exit_code, 6) << "half a copy was taken for a town: " << looked.out;
    }
  }

  /// The answer of the run that comes to its end.
  Json finish() {
    auto child = RunningGt::start(words_, town_.folder());
    const auto ended = child.end();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err.find('\r'), std::string::npos) << "no progress bar where nobody looks: " << ended.err;
    const auto answer = parse_json(trim(ended.out));
    return answer ? *answer : Json(nullptr);
  }

 private:
  bool has_messages() const {
    const auto database = opened(town_, to_);
    bool found = false;
    return database && database->run("SELECT 1 FROM message LIMIT 1", {}, [&](const Row&) {
      found = true;
      return Next::stop;
    }) && found;
  }

  const TestTown& town_;
  std::vector<std::string> words_;
  std::string to_;
};

TEST(CopyOfManyMessages, LosesNothingEitherWayHoweverOftenItIsKilled) {
  const TestTown town;
  fill(town);
  PostgresServer server;
  const std::string file = town.store().string();
  const std::string url = server.make_database();
  const std::string back = (town.folder() / "back" / "town.db").string();
  std::filesystem::create_directories(town.folder() / "back");
  const auto original = rows_at(town, file);
  ASSERT_GT(original.size(), static_cast<std::size_t>(3 * kMessages));
  Moments moments;

  for (const auto& [from, to] : {std::pair(file, url), std::pair(url, back)}) {
    LargeCopy copy(town, from, to);
    ASSERT_NO_FATAL_FAILURE(copy.kill_several_times(moments));
    const auto answer = copy.finish();
    EXPECT_EQ(number_at(answer, "rows"), static_cast<std::int64_t>(original.size()));
    EXPECT_EQ(number_at(answer, "messages"), kMessages);
    EXPECT_GE(number_at(answer, "written"), 0);
    EXPECT_LT(number_at(answer, "written"), number_at(answer, "rows")) << "it began anew instead of going on";
    std::printf("%lld of %lld rows were left for the last run\n", static_cast<long long>(number_at(answer, "written")),
                static_cast<long long>(number_at(answer, "rows")));
    expect_same_rows(rows_at(town, to), original);
    expect_same_rows(rows_at(town, from), original);
    EXPECT_EQ(town.gt({"store", "check"}, {{"GT_STORE", to}}).exit_code, 0);
  }
  for (const auto& store : {file, url, back}) {
    const auto found = town.json({"mail", "search", "letter 17777", "--as", "ann"}, {{"GT_STORE", store}});
    EXPECT_EQ(items_of(found).size(), 1u) << store;
  }
}

}  // namespace
}  // namespace townpost
