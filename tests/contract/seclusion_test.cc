// Inside a transaction nobody reaches outside, and what many recipients cost is bounded.
#include "base/seclusion.h"

#include "base/process_tree.h"
#include "contract/town_fixture.h"
#include "post/lists/groups.h"
#include "store/group_commit_store.h"
#include "store/sql_store.h"

namespace townpost {
namespace {

/// A database that counts the statements it is given.
class CountingDatabase final : public Database {
 public:
  CountingDatabase(std::unique_ptr<Database> real, int& statements) : real_(std::move(real)), statements_(statements) {}
  Dialect dialect() const override { return real_->dialect(); }
  Result<> begin(Access access) override { return real_->begin(access); }
  Result<> take_turn() override { return real_->take_turn(); }
  void notify(std::string_view text) override { real_->notify(text); }
  Result<> commit() override { return real_->commit(); }
  void rollback() override { real_->rollback(); }
  bool may_repeat() const override { return real_->may_repeat(); }
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override {
    ++statements_;
    return real_->execute(sql, params, sink);
  }
  Result<> run_script(const std::string& sql) override { return real_->run_script(sql); }
  Result<std::int64_t> schema_version() override { return real_->schema_version(); }
  Result<> set_schema_version(std::int64_t version) override { return real_->set_schema_version(version); }

 private:
  std::unique_ptr<Database> real_;
  int& statements_;
};

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
    int statements = 0;
    SqlStore counting(std::make_unique<CountingDatabase>(connect(), statements), nullptr);
    SeededRandom random(3);
    Town watched{town().folder, town().settings, counting, bell(), machine(), clock(), random};
    const auto receipt = must(PostOffice(watched).send(letter(to), caller(from)));
    for (const auto& recipient : receipt.recipients) EXPECT_NE(recipient.nudge, "") << recipient.address;
    return statements;
  }
};
ON_EVERY_STORE(SeclusionTest);

using SeclusionDeathTest = SeclusionTest;
ON_EVERY_STORE(SeclusionDeathTest);

TEST_P(SeclusionDeathTest, EndsWhoeverLooksOutsideInAnyKindOfTransaction) {
  using Begin = Result<> (Store::*)(const Transaction&);
  for (const Begin begin : {&Store::read, &Store::write, &Store::write_beside_others})
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
        const auto shared = GroupCommitStore::open([&] { return Result<std::unique_ptr<Database>>(connect()); }, 1, {});
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
