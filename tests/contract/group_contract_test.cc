#include <thread>

#include "contract/store_contract.h"

namespace townpost {
namespace {

using Strings = std::vector<std::string>;

class GroupContract : public StoreContract {
 protected:
  Group group(const std::string& name, const Strings& members = {}) {
    return {.name = name, .creator = creator_, .created_at = clock().now(), .members = members};
  }
  void add(const Group& group) {
    write([&](Ledger& ledger) { must(ledger.add_group(group)); });
  }
  std::optional<Group> find(const std::string& name) {
    return read([&](Ledger& ledger) { return must(ledger.find_group(name)); });
  }
  Strings members(const std::string& name) { return find(name).value_or(Group{}).members; }

 private:
  AgentId creator_ = add_agent("maker");
};
INSTANTIATE_TEST_SUITE_P(, GroupContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(GroupContract, AGroupIsReadAsItWasWritten) {
  const Group ops = group("ops", {"@crew", "beads/polecats/*", "coder", "group:inner"});
  add(ops);
  EXPECT_EQ(find("ops"), ops);
  EXPECT_EQ(find("op"), std::nullopt);
  EXPECT_EQ(find("OPS"), std::nullopt);
}

TEST_P(GroupContract, MembersAreSortedAndThereOnce) {
  add(group("ops", {"coder", "@crew", "coder", "beads/crew/max"}));
  EXPECT_EQ(members("ops"), (Strings{"@crew", "beads/crew/max", "coder"}));
}

TEST_P(GroupContract, GroupsAreListedByNameWithTheirMembers) {
  add(group("zeta", {"a"}));
  add(group("alpha", {"c", "b"}));
  add(group("9lives"));
  const auto groups = read([](Ledger& ledger) { return must(ledger.groups()); });
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0], group("9lives"));
  EXPECT_EQ(groups[1], group("alpha", {"b", "c"}));
  EXPECT_EQ(groups[2], group("zeta", {"a"}));
}

TEST_P(GroupContract, TwoGroupsCannotHaveOneName) {
  add(group("ops", {"a"}));
  const auto again = store().write([&](Ledger& ledger) { return ledger.add_group(group("ops", {"b"})); });
  EXPECT_FALSE(again.has_value());
  EXPECT_EQ(members("ops"), Strings{"a"});
}

TEST_P(GroupContract, AMemberComesInOnce) {
  add(group("ops"));
  write([&](Ledger& ledger) {
    EXPECT_TRUE(must(ledger.add_member("ops", "coder")));
    EXPECT_FALSE(must(ledger.add_member("ops", "coder")));
    EXPECT_TRUE(must(ledger.add_member("ops", "Coder"))) << "case counts";
  });
  EXPECT_EQ(members("ops").size(), 2u);
}

TEST_P(GroupContract, AMemberGoesOutOnce) {
  add(group("ops", {"coder", "max"}));
  add(group("others", {"coder"}));
  write([&](Ledger& ledger) {
    EXPECT_TRUE(must(ledger.remove_member("ops", "coder")));
    EXPECT_FALSE(must(ledger.remove_member("ops", "coder")));
    EXPECT_FALSE(must(ledger.remove_member("ops", "nobody")));
  });
  EXPECT_EQ(members("ops"), Strings{"max"});
  EXPECT_EQ(members("others"), Strings{"coder"}) << "another group's member went";
}

TEST_P(GroupContract, ARemovedGroupLeavesNothingToANewOneOfItsName) {
  add(group("ops", {"coder"}));
  write([&](Ledger& ledger) { must(ledger.remove_group("ops")); });
  EXPECT_EQ(find("ops"), std::nullopt);
  add(group("ops"));
  EXPECT_EQ(find("ops"), group("ops"));
}

TEST_P(GroupContract, ConnectionsThatEditAtTheSameTimeLoseNothing) {
  add(group("ops", {"gone-0", "gone-1", "gone-2", "gone-3"}));
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(second_store());
  std::vector<std::thread> editors;
  for (int i = 0; i < 4; ++i)
    editors.emplace_back([&, i] {
      for (int j = 0; j < 10; ++j)
        writing(*stores[static_cast<std::size_t>(i)], [&](Ledger& ledger) {
          must(ledger.add_member("ops", "member-" + std::to_string(i) + "-" + std::to_string(j)));
          if (j == 5) must(ledger.remove_member("ops", "gone-" + std::to_string(i)));
        });
    });
  for (auto& editor : editors) editor.join();
  const auto all = members("ops");
  EXPECT_EQ(all.size(), 40u);
  for (const auto& member : all) EXPECT_TRUE(member.starts_with("member-")) << member;
}

}  // namespace
}  // namespace townpost
