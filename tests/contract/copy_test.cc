#include "store/copy.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "contract/full_town.h"
#include "contract/must.h"
#include "contract/stores.h"
#include "contract/town_fixture.h"
#include "store/db/sqlite.h"
#include "store/migrations.h"
#include "store/sql_store.h"
#include "store/stored_tables.h"

namespace townpost {
namespace {

constexpr int kRows = 600;  // of each table: several pages

/// An empty town of the kind.
std::unique_ptr<StoreSite> new_town(const StoreKind& kind) {
  auto site = kind.make_site();
  must(migrate(*site->connect()));
  return site;
}

const StoreKind& sqlite() { return store_kinds().at(0); }
const StoreKind& postgres() { return store_kinds().at(1); }

CopyReport copy(StoreSite& from, StoreSite& to) {
  return must(copy_town(*from.connect(), *to.connect(), CopyProgress()));
}

std::vector<std::string> rows_of(StoreSite& site) { return all_rows(*site.connect()); }

/// Equal, or the first row that is not: the lists are too long to look at.
void expect_same_rows(const std::vector<std::string>& found, const std::vector<std::string>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
    ASSERT_EQ(found[i], expected[i]) << "row " << i;
}

class OnEveryStore : public testing::TestWithParam<StoreKind> {};
using CopySchema = OnEveryStore;
using CopyTarget = OnEveryStore;
using CopySource = OnEveryStore;
using CopiedTown = OnEveryStore;
ON_EVERY_STORE(CopySchema);
ON_EVERY_STORE(CopyTarget);
ON_EVERY_STORE(CopySource);
ON_EVERY_STORE(CopiedTown);

TEST_P(CopySchema, NamesEveryTableAndEveryColumnWithItsTypeAndKey) {
  const auto site = new_town(GetParam());
  std::vector<std::string> in_store, copied;
  for (const auto& table : tables_of(*site->connect())) {
    std::string line = cat(table.name, ":");
    for (const auto& column : table.columns)
      line += cat(" ", column.name, column.is_text ? ":t" : ":i", column.key > 0 ? "*" : "");
    in_store.push_back(line);
  }
  for (const auto& table : stored_tables()) {
    std::string line = cat(table.name, ":");
    for (const auto& column : table.columns)
      line += cat(" ", column.name, column.text ? ":t" : ":i", column.key ? "*" : "");
    copied.push_back(line);
  }
  std::sort(copied.begin(), copied.end());
  EXPECT_EQ(copied, in_store);
}

TEST_P(CopySchema, HasTheKeyOfEveryTableInFrontInItsOrder) {
  const auto site = new_town(GetParam());
  for (const auto& table : tables_of(*site->connect())) {
    int before = 0;
    for (const auto& column : table.columns) {
      EXPECT_TRUE(column.key == 0 || column.key == before + 1) << table.name << "." << column.name;
      before = column.key > 0 ? column.key : 99;
    }
    EXPECT_EQ(table.columns.front().key, 1) << table.name;
  }
}

TEST(Copy, TakesEveryRowToPostgresAndBack) {
  const auto home = new_town(sqlite());
  fill_every_table(*home->connect(), kRows);
  const auto original = rows_of(*home);
  const auto server = postgres().make_site();
  const auto back = sqlite().make_site();

  const auto there = copy(*home, *server);
  expect_same_rows(rows_of(*server), original);
  EXPECT_EQ(there.rows, static_cast<std::int64_t>(original.size()));
  EXPECT_EQ(there.written, there.rows);
  EXPECT_EQ(there.messages, kRows);
  must(check_schema(*server->connect()));

  const auto here = copy(*server, *back);
  expect_same_rows(rows_of(*back), original);
  EXPECT_EQ(here.written, here.rows);
  must(check_schema(*back->connect()));
  expect_same_rows(rows_of(*home), original);
  expect_same_rows(rows_of(*server), original);
}

TEST(Copy, GoesFromServerToServerAndFromFileToFile) {
  for (const auto& kind : store_kinds()) {
    const auto from = new_town(kind);
    fill_every_table(*from->connect(), 10);
    const auto to = kind.make_site();
    copy(*from, *to);
    expect_same_rows(rows_of(*to), rows_of(*from));
  }
}

TEST(Copy, OfAnEmptyTownIsAnEmptyTown) {
  const auto from = new_town(sqlite());
  const auto to = new_town(postgres());
  EXPECT_EQ(copy(*from, *to).messages, 0);
  expect_same_rows(rows_of(*to), rows_of(*from));
  must(check_schema(*to->connect()));
}

TEST(Copy, TellsAfterEveryPageHowFarItIs) {
  const auto from = new_town(sqlite());
  fill_every_table(*from->connect(), 300);
  const auto to = postgres().make_site();
  std::int64_t last = 0, whole = 0;
  int pages = 0;
  must(copy_town(*from->connect(), *to->connect(), [&](std::string_view, std::int64_t done, std::int64_t total) {
    EXPECT_GT(done, last);
    EXPECT_LE(done, total);
    last = done;
    whole = total;
    ++pages;
  }));
  EXPECT_EQ(last, whole);
  EXPECT_GT(pages, static_cast<int>(2 * stored_tables().size()));
}

TEST_P(CopyTarget, ThatHoldsTheBeginningOfATownIsRefusedAndStaysAsItWas) {
  const auto from = new_town(sqlite());
  fill_every_table(*from->connect(), 3);
  // What a town may begin with; everything else belongs to one of these.
  for (const std::string table : {"rig", "agent", "message", "mail_group", "queue", "channel"}) {
    const auto to = new_town(GetParam());
    // A town in use, of which only this table is left.
    const auto spare = to->connect();
    fill_every_table(*spare, 3);
    for (const auto& other : tables_of(*spare))
      if (other.name != table) run_sql(*spare, cat("DELETE FROM ", other.name));
    const auto before = rows_of(*to);
    ASSERT_EQ(before.size(), 3u);

    const auto refused = copy_town(*from->connect(), *to->connect(), CopyProgress());
    ASSERT_FALSE(refused.has_value()) << "a town with nothing but " << table << " was overwritten";
    EXPECT_EQ(refused.error().code, Code::refused) << table << ": " << refused.error().message;
    EXPECT_EQ(rows_of(*to), before) << table;
    must(check_schema(*to->connect()));
  }
}

TEST_P(CopyTarget, WithANewerSchemaIsRefused) {
  const auto from = new_town(sqlite());
  const auto to = new_town(GetParam());
  const auto newer = migrations().back().version + 1;
  must(to->connect()->set_schema_version(newer));
  EXPECT_EQ(error_of(copy_town(*from->connect(), *to->connect(), CopyProgress())).code, Code::unavailable);
  EXPECT_EQ(must(to->connect()->schema_version()), newer);
}

TEST_P(CopySource, WithAnotherSchemaIsRefusedAndTheTargetIsNotTouched) {
  const auto from = new_town(GetParam());
  must(from->connect()->set_schema_version(migrations().back().version + 1));
  const auto to = sqlite().make_site();
  EXPECT_EQ(error_of(copy_town(*from->connect(), *to->connect(), CopyProgress())).code, Code::unavailable);
  EXPECT_EQ(must(to->connect()->schema_version()), 0);
}

TEST_P(CopySource, StandsStillMeanwhileAndIsFreeAfterwards) {
  const auto from = new_town(GetParam());
  fill_every_table(*from->connect(), 300);
  const auto to = sqlite().make_site();
  const auto source = from->connect();
  const auto other = from->connect();
  if (other->dialect() == Dialect::sqlite)
    static_cast<SqliteDatabase&>(*other).hurry(Millis(20));
  else
    must(other->run_script("SET lock_timeout = 20"));
  int looks = 0;
  must(copy_town(*source, *to->connect(), [&](std::string_view, std::int64_t done, std::int64_t total) {
    if (done < total && ++looks > 3) return;
    const auto begun = other->begin(Access::write);
    EXPECT_FALSE(begun.has_value()) << "somebody could write after " << done << " of " << total << " rows";
    if (begun) other->rollback();
  }));
  must(other->begin(Access::write));
  other->rollback();
  must(source->begin(Access::write));
  source->rollback();
}

TEST_P(CopiedTown, FindsItsMailBySearchAndGoesOnNumberingWhereItWas) {
  const auto from = new_town(GetParam());
  const auto to = (GetParam().name == "sqlite" ? postgres() : sqlite()).make_site();
  const auto folder = must(TemporaryFolder::make("copied"));
  CountingBell bell;
  FakeMachine sessions;
  const ManualClock clock;
  SeededRandom random(3);
  auto in_town = [&](StoreSite& site, auto work) {
    SqlStore store(site.connect(), &bell);
    Town town{folder.path(), Settings(), store, bell, sessions, clock, random};
    return work(town);
  };
  const Caller human{Address::human(), Grade::env};
  auto send = [&](StoreSite& site, const std::string& subject) {
    return in_town(site, [&](Town& town) {
      return must(PostOffice(town).send({{.subject = subject, .body = "Grüße aus 東京"}, {"mayor/"}}, human))
          .message;
    });
  };
  auto found = [&](StoreSite& site, const std::string& words) {
    return in_town(site, [&](Town& town) {
      std::vector<std::string> out;
      for (const auto& mail : must(Mailroom(town).search({.text = words}, human)).mails)
        out.push_back(mail.message.subject);
      return out;
    });
  };
  for (int i = 0; i < 30; ++i) send(*from, cat("letter ", i));
  const auto last = send(*from, "the last one");
  copy(*from, *to);

  EXPECT_EQ(found(*to, "letter 17"), std::vector<std::string>{"letter 17"});
  EXPECT_EQ(found(*to, "aus 東京").size(), 31u);
  EXPECT_EQ(send(*to, "one more").id.seq(), last.id.seq() + 1);
  EXPECT_EQ(found(*to, "one more"), std::vector<std::string>{"one more"});
  EXPECT_EQ(found(*to, "last one"), std::vector<std::string>{"the last one"});
}

TEST_P(CopySource, OntoItselfIsRefusedAndChangesNothing) {
  const auto site = new_town(GetParam());
  const auto before = rows_of(*site);
  const auto source = site->connect();
  const auto refused = copy_town(*source, *site->connect(), CopyProgress());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::usage);
  EXPECT_NE(refused.error().message.find("the same store"), std::string::npos) << refused.error().message;
  EXPECT_EQ(must(source->schema_version()), migrations().back().version);
  expect_same_rows(rows_of(*site), before);
  EXPECT_NE(source->identity(), "") << "then it is only found out by marking the target";
}

TEST_P(CopySource, IsToldFromEveryOtherStore) {
  const auto one = new_town(GetParam()), other = new_town(GetParam());
  EXPECT_EQ(one->connect()->identity(), one->connect()->identity());
  EXPECT_NE(one->connect()->identity(), other->connect()->identity());
}

}  // namespace
}  // namespace townpost
