// Inside a transaction nobody reaches outside, and what many recipients cost is bounded.
#include "base/seclusion.h"

#include "base/process_tree.h"
#include "contract/town_fixture.h"
#include "post/lists/groups.h"
#include "store/group_commit_store.h"
#include "store/sql_store.h"
#include "support/database_behind.h"

namespace townpost {
namespace {

class SeclusionTest : public TownTest {
 protected:
  /// A group of so many agents that have a session each.
  std::string group_of(int size) {
    const auto name = cat("all", size);
    std::vector<std::string> members;
    writing(store(), [&](Ledger& ledger) {
      for (int i = 0; i < size; ++i) {
        members.push_back(cat("beads/polecats/w", size, "x", i));
        must(ledger.add_agent({.address = must(Address::parse(members.back())), .session = cat("tmux:%", i)}));
      }
    });
    must(Groups(town()).create(name, members, caller("overseer")));
    return "group:" + name;
  }
  int statements_of_a_send(const std::string& from, const std::string& to) {
    DatabaseCounts asked;
    SqlStore counting(std::make_unique<CountingDatabase>(connect(), asked), nullptr);
    SeededRandom random(3);
    Town watched{town().folder, town().settings, counting, bell(), machine(), clock(), random};
    const auto receipt = must(PostOffice(watched).send(letter(to), caller(from)));
    for (const auto& recipient : receipt.recipients) EXPECT_NE(recipient.nudge, "") << recipient.address;
    return asked.statements;
  }
};
ON_EVERY_STORE(SeclusionTest);

using SeclusionDeathTest = SeclusionTest;
ON_EVERY_STORE(SeclusionDeathTest);

TEST_P(SeclusionDeathTest, EndsWhoeverLooksOutsideInAnyKindOfTransaction) {
  using Begin = Result<> (Store::*)(const Transaction&);
  for (const Begin begin : {&Store::read, &Store::write, &Store::look_then_write})
    EXPECT_DEATH(  // with a connection of its own: the child must not speak on ours
        {
          SqlStore alone(connect(), nullptr);
          (void)(alone.*begin)([](Ledger&) -> Result<> {
            (void)look_at(1);
            return {};
          });
        },
        "inside a transaction: a process is looked at");
  EXPECT_DEATH(
      {
        const auto shared = GroupCommitStore::open([&] { return Result<std::unique_ptr<Database>>(connect()); },
                                                   {.readers = 1}, nullptr);
        (void)(*shared)->write([](Ledger&) -> Result<> {
          (void)read_file("/etc/hostname");
          return {};
        });
      },
      "inside a transaction: a file is opened");
}

TEST_P(SeclusionTest, BehindTheTransactionEverythingMayBeLookedAt) {
  must(store().write([](Ledger&) -> Result<> { return {}; }));
  must(store().read([](Ledger&) -> Result<> { return {}; }));
  EXPECT_FALSE(store().write([](Ledger&) -> Result<> { return fail(Code::refused, "no"); }));
  EXPECT_TRUE(look_at(1));
}

TEST_P(SeclusionTest, AGroupCostsAtMostFiveStatementsForEachRecipient) {
  limits().enabled = true;
  const auto few = group_of(10);
  const auto many = group_of(110);
  for (const std::string from : {"overseer", "nux"}) {
    const int more = statements_of_a_send(from, many) - statements_of_a_send(from, few);
    EXPECT_LE(more, 5 * 100) << from;  // found, stored, an entry in its line, and its history; the rest is read at once
    EXPECT_GE(more, 3 * 100) << "what is not counted proves nothing";
  }
}

}  // namespace
}  // namespace townpost
