#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/advice.h"
#include "base/random.h"
#include "base/text.h"
#include "contract/full_town.h"
#include "contract/must.h"
#include "contract/stores.h"
#include "store/copy.h"
#include "store/migrations.h"
#include "support/stress.h"

namespace townpost {
namespace {

constexpr int kRows = 300;  // of each table: more than a page

struct Interrupted {};

/// From one kind of store to the other.
struct Way {
  const char* name;
  std::size_t from, to;
};
std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }

/// A copy that is broken off, and then finished.
class InterruptedCopy : public testing::TestWithParam<Way> {
 protected:
  InterruptedCopy() {
    if (const char* seed = std::getenv("CRASH_SEED")) seed_ = std::strtoull(seed, nullptr, 10);
    std::printf("to repeat this: CRASH_SEED=%llu\n", static_cast<unsigned long long>(seed_));
    const auto source = from_->connect();
    must(migrate(*source));
    fill_every_table(*source, kRows);
  }

  int random_below(int most) { return static_cast<int>(random_.bits() % static_cast<std::uint64_t>(most)); }

  /// Copies until `page` pages are done; whether it came to its end before.
  bool copy_until_page(int page) {
    int pages = 0;
    try {
      must(copy_town(*from_->connect(), *to_->connect(), [&](std::string_view, std::int64_t, std::int64_t) {
        if (++pages > page) throw Interrupted();
      }));
    } catch (const Interrupted&) {
      return false;  // and both connections are gone
    }
    return true;
  }

  CopyReport finish() { return must(copy_town(*from_->connect(), *to_->connect(), CopyProgress())); }

  void expect_a_whole_copy() {
    const auto expected = all_rows(*from_->connect());
    const auto found = all_rows(*to_->connect());
    EXPECT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) ASSERT_EQ(found[i], expected[i]);
    EXPECT_TRUE(check_schema(*to_->connect()).has_value());
  }

  int pages() {
    int out = 0;
    must(copy_town(*from_->connect(), *store_kinds().at(0).make_site()->connect(),
                   [&](std::string_view, std::int64_t, std::int64_t) { ++out; }));
    return out;
  }

  std::unique_ptr<StoreSite> from_ = store_kinds().at(GetParam().from).make_site();
  std::unique_ptr<StoreSite> to_ = store_kinds().at(GetParam().to).make_site();
  std::uint64_t seed_ = SystemRandom().bits();
  SeededRandom random_{seed_};
};

INSTANTIATE_TEST_SUITE_P(, InterruptedCopy, testing::Values(Way{"FileToServer", 0, 1}, Way{"ServerToFile", 1, 0}),
                         [](const auto& way) { return way.param.name; });

TEST_P(InterruptedCopy, IsNoTownYetAndSaysSo) {
  ASSERT_FALSE(copy_until_page(3));
  const auto target = to_->connect();
  EXPECT_LT(must(target->schema_version()), 0);
  const auto error = error_of(check_schema(*target));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.message.find("unfinished"), std::string::npos) << error.message;
  EXPECT_NE(advice(error).find("store.copy"), std::string::npos) << advice(error);
}

TEST_P(InterruptedCopy, GoesOnWhereOnlySomeStepsOfTheSchemaWereMade) {
  const auto apart = static_cast<std::size_t>(stress(1, 4));
  for (std::size_t steps = 1; steps < migrations().size(); steps += apart) {
    to_ = store_kinds().at(GetParam().to).make_site();
    must(migrate(*to_->connect(), migrations().first(steps)));
    finish();
    expect_a_whole_copy();
  }
}

TEST_P(InterruptedCopy, IsNoTownEvenBeforeItsFirstPage) {
  ASSERT_FALSE(copy_until_page(0));
  EXPECT_LT(must(to_->connect()->schema_version()), 0);
}

TEST_P(InterruptedCopy, DoesNotTakeAnOldTownForItsOwnBeginning) {
  must(migrate(*to_->connect(), migrations().first(1)));
  must(
      to_->connect()->run("INSERT INTO rig (name, prefix, path, target, test_command, created_at)"
                          " VALUES ('beads', 'bd', '', 'main', '', 1)"));
  const auto error = error_of(copy_town(*from_->connect(), *to_->connect(), CopyProgress()));
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_EQ(must(to_->connect()->schema_version()), 1) << "and it is left as it was";
}

TEST_P(InterruptedCopy, IsNotTakenForAnOldSchemaByAMigration) {
  ASSERT_FALSE(copy_until_page(3));
  const auto before = all_rows(*to_->connect());
  const auto error = error_of(migrate(*to_->connect()));
  EXPECT_NE(cat(error.message, advice(error)).find("store.copy"), std::string::npos) << error.message;
  EXPECT_EQ(all_rows(*to_->connect()), before);
  finish();
  expect_a_whole_copy();
}

TEST_P(InterruptedCopy, CannotBeCopiedItself) {
  ASSERT_FALSE(copy_until_page(3));
  const auto third = store_kinds().at(0).make_site();
  EXPECT_EQ(error_of(copy_town(*to_->connect(), *third->connect(), CopyProgress())).code, Code::unavailable);
  EXPECT_EQ(must(third->connect()->schema_version()), 0);
}

TEST_P(InterruptedCopy, GoesOnWhereItStopped) {
  ASSERT_FALSE(copy_until_page(pages() / 2 - 2));  // all but the last page is written
  const auto finished = finish();
  EXPECT_GT(finished.written, 0);
  EXPECT_LE(finished.written, kRows);
  expect_a_whole_copy();
}

TEST_P(InterruptedCopy, IsWholeAfterBeingInterruptedAtRandomPages) {
  const int all = pages();
  for (int times = 0; times < 6; ++times) ASSERT_FALSE(copy_until_page(random_below(all - 1)));
  finish();
  expect_a_whole_copy();
}

TEST_P(InterruptedCopy, IsWholeAfterItsProcessWasKilledAtRandomPages) {
  const int all = pages();
  for (int times = 0; times < 6; ++times) {
    const int page = random_below(all - 1);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int seen = 0;
      const auto done =
          copy_town(*from_->connect(), *to_->connect(), [&](std::string_view, std::int64_t, std::int64_t) {
            if (++seen > page) ::kill(::getpid(), SIGKILL);
          });
      ::_exit(done ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself, before page " << page;
  }
  finish();
  expect_a_whole_copy();
}

TEST_P(InterruptedCopy, HasWhatTheSourceHasNowAndNothingElse) {
  ASSERT_FALSE(copy_until_page(pages() / 2 - 2));
  const auto source = from_->connect();
  must(source->begin(Access::write));
  for (const auto& table : tables_of(*source)) {
    const auto& key = table.columns.front().name;
    // Rows vanish at the beginning, in the middle and at the end, so that every page after them is another.
    for (const auto* which : {"min", "max"})
      run_sql(*source, cat("DELETE FROM ", table.name, " WHERE ", key, " = (SELECT ", which, "(", key, ") FROM ",
                           table.name, ")"));
    run_sql(*source, cat("DELETE FROM ", table.name, " WHERE ", key, " = (SELECT ", key, " FROM ", table.name,
                         " ORDER BY ", key, " LIMIT 1 OFFSET 40)"));
  }
  run_sql(*source, "UPDATE message SET subject = 'changed', reply_to = NULL WHERE id > 0");
  run_sql(*source, "DELETE FROM event");
  run_sql(*source,
          "INSERT INTO agent (id, address, session, description, start_command, resume_command, start_on, created_at,"
          " shown_hops) VALUES (1000000, 'new', '', '', '', '', 0, 0, 0)");
  must(source->commit());
  finish();
  expect_a_whole_copy();
  EXPECT_EQ(number_from(*to_->connect(), "SELECT count(*) FROM event"), 0);
}

TEST_P(InterruptedCopy, AnswersUnavailableWhenAServerSendsItAwayAndCanBeRepeated) {
  const auto from = from_->connect();
  const auto to = to_->connect();
  Database& server = from->dialect() == Dialect::postgres ? *from : *to;
  const auto process = number_from(server, "SELECT pg_backend_pid()");
  const auto administrator = (from->dialect() == Dialect::postgres ? from_ : to_)->connect();
  int pages = 0;
  const auto failed = copy_town(*from, *to, [&](std::string_view, std::int64_t, std::int64_t) {
    if (++pages == 3) number_from(*administrator, cat("SELECT pg_terminate_backend(", process, ")"));
  });
  // A target that is lost between two pages may simply be connected to again; a source that is lost stood still no
  // more.
  if (from->dialect() == Dialect::postgres) {
    EXPECT_EQ(error_of(failed).code, Code::unavailable);
  }
  if (!failed) finish();
  expect_a_whole_copy();
}

}  // namespace
}  // namespace townpost
