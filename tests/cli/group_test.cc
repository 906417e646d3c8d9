// gt group …: names for many.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

class GroupCommands : public testing::Test {
 protected:
  GroupCommands() {
    town.rigs({"beads"});
    town.agents({"alice", "bob", "beads/crew/max", "beads/polecats/nux"});
  }
  Json create(const std::string& name, const Words& members = {}) const {
    return town.json(with({"group", "create", name}, members));
  }
  TestTown town;
};

TEST_F(GroupCommands, CreateTellsWhoTheMembersAre) {
  const auto group = town.json({"mail", "group", "create", "ops", "alice", "beads/polecats/*", "@crew"});
  EXPECT_EQ(keys_of(group), (Texts{"id", "name", "members", "created_at", "expands_to"}));
  EXPECT_EQ(text_at(group, "id"), "hq-group-ops");
  EXPECT_EQ(text_at(group, "name"), "ops");
  EXPECT_EQ(texts_in(value_at(group, "members")), (Texts{"@crew", "alice", "beads/polecats/*"}));
  EXPECT_EQ(texts_in(value_at(group, "expands_to")), (Texts{"beads/crew/max", "alice", "beads/polecats/nux"}));
  EXPECT_TRUE(is_instant(text_at(group, "created_at")));
  EXPECT_EQ(town.json({"group", "show", "ops"}), group);
}

TEST_F(GroupCommands, EveryVerbIsThereUnderMailToo) {
  EXPECT_EQ(town.gt({"mail", "group", "create", "ops"}).exit_code, 0);
  EXPECT_EQ(town.gt({"mail", "group", "add", "ops", "alice", "bob"}).exit_code, 0);
  EXPECT_EQ(town.gt({"mail", "group", "remove", "ops", "alice"}).exit_code, 0);
  EXPECT_EQ(texts_in(value_at(town.json({"mail", "group", "show", "ops"}), "members")), Texts{"bob"});
  EXPECT_EQ(town.json({"mail", "group", "list"}), town.json({"group", "list"}));
  EXPECT_EQ(town.json({"mail", "group", "delete", "ops"}), (Json{{"removed", "ops"}}));
  EXPECT_EQ(town.json({"group", "list"}), Json(JsonArray{}));
}

TEST_F(GroupCommands, TextAndIdsForPeopleAndScripts) {
  create("ops", {"alice"});
  create("backend", {"bob", "@ops"});
  EXPECT_EQ(town.gt({"group", "list"}).out, "NAME     MEMBERS\nbackend  bob, group:ops\nops      alice\n");
  EXPECT_EQ(town.gt({"group", "list", "-q"}).out, "hq-group-backend\nhq-group-ops\n");
  EXPECT_EQ(town.gt({"group", "create", "third", "-q"}).out, "hq-group-third\n");
  const auto shown = town.gt({"group", "show", "ops"}).out;
  EXPECT_NE(shown.find("Name:       ops\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("alice"), std::string::npos) << shown;
  EXPECT_EQ(town.gt({"group", "delete", "third", "-q"}).out, "third\n");
}

TEST_F(GroupCommands, AnAgentDoesNotMakeTheGroupThatAQueueOrAnothersGroupReliesOn) {
  town.json({"queue", "create", "jobs", "--claimers", "@workers"});
  create("outer", {"bob", "group:inner"});
  for (const auto* name : {"workers", "inner"})
    expect_refused_untouched(town, {"group", "create", name, "alice", "--as", "alice"}, {5, "forbidden", name});
  create("workers", {"bob"});
  town.json({"group", "delete", "workers"});
  expect_refused_untouched(town, {"group", "create", "workers", "alice", "--as", "alice"}, {5, "forbidden", "workers"});
  EXPECT_EQ(town.gt({"group", "create", "own", "alice", "--as", "alice"}).exit_code, 0);
  EXPECT_EQ(town.gt({"group", "create", "around", "group:later", "--as", "alice"}).exit_code, 0);
  EXPECT_EQ(town.gt({"group", "create", "later", "alice", "--as", "alice"}).exit_code, 0) << "its own reliance";
}

TEST_F(GroupCommands, AnAgentDoesNotJoinAQueueByAGroupThatItMadeBefore) {
  town.json({"group", "create", "trap", "bob", "--as", "alice"});
  EXPECT_EQ(town.gt({"group", "add", "trap", "bob", "--as", "alice"}).exit_code, 0);
  town.json({"queue", "create", "jobs", "--claimers", "@trap"});
  expect_refused_untouched(town, {"group", "add", "trap", "alice", "--as", "alice"}, {5, "forbidden", "jobs"});
  EXPECT_EQ(town.gt({"group", "remove", "trap", "bob", "--as", "alice"}).exit_code, 0) << "it lets nobody in";
}

TEST_F(GroupCommands, MailToAGroupReachesItsMembers) {
  create("ops", {"alice", "bob", "beads/crew/*"});
  const auto receipt = town.json({"mail", "send", "-m", "", "@ops", "-s", "Standup", "--as", "bob"});
  EXPECT_EQ(texts_in(value_at(receipt, "recipients"), "address"), (Texts{"alice", "beads/crew/max"}));
  const auto mail = read_as(town, "alice", text_at(receipt, "id"));
  EXPECT_EQ(texts_in(value_at(mail, "to")), Texts{"group:ops"});
  EXPECT_TRUE(inbox_ids(town, "bob").empty());
}

TEST_F(GroupCommands, AMemberThatIsNobodyIsAWarning) {
  const auto made = town.gt({"group", "create", "ops", "alice", "ghost", "--json"});
  EXPECT_EQ(made.exit_code, 0);
  EXPECT_EQ(made.err, "gt: \"ghost\" matches nobody now\n");
  const auto sent = town.gt({"mail", "send", "-m", "", "ops", "-s", "x"});
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  EXPECT_NE(sent.err.find("\"ghost\" matches nobody now"), std::string::npos) << sent.err;
}

TEST_F(GroupCommands, BadCallsLoseNothing) {
  create("ops", {"alice"});
  town.json({"queue", "create", "dispatch"});
  for (const auto& [words, refusal] : std::vector<std::pair<Words, Refusal>>{
           {{"group", "create"}, {2, "usage", "NAME"}},
           {{"group", "create", "Bad Name"}, {2, "usage", "Bad Name"}},
           {{"group", "create", "mayor"}, {2, "usage", "mayor"}},
           {{"group", "create", "ops"}, {5, "refused", "already exists"}},
           {{"group", "create", "dispatch"}, {5, "refused", "queue"}},
           {{"group", "create", "alice"}, {5, "refused", "alice"}},
           {{"group", "create", "new", "queue:dispatch"}, {2, "usage", "queue"}},
           {{"group", "create", "new", "*"}, {2, "usage", "claimers"}},
           {{"group", "add", "ops"}, {2, "usage", "MEMBER"}},
           {{"group", "add", "opps", "bob"}, {4, "not_found", "group not found"}},
           {{"group", "add", "ops", "bob", "a//b"}, {2, "usage", "a//b"}},
           {{"group", "remove", "nothing", "bob"}, {4, "not_found", "nothing"}},
           {{"group", "show", "nothing"}, {4, "not_found", "nothing"}},
           {{"group", "delete", "nothing"}, {4, "not_found", "nothing"}},
           {{"group", "add", "ops", "bob", "--as", "bob"}, {5, "forbidden", "ops"}},
           {{"group", "delete", "ops", "--as", "bob"}, {5, "forbidden", "ops"}},
           {{"group", "add", "ops", "bob", "--as", "nobody"}, {4, "not_found", "nobody"}},
           {{"mail", "send", "-m", "", "@nothing", "-s", "x"}, {4, "not_found", "nothing"}},
           {{"mail", "send", "-m", "", "group:nothing", "-s", "x"}, {4, "not_found", "group not found"}},
           {{"agent", "add", "ops"}, {5, "refused", "group"}}})
    expect_refused_untouched(town, words, refusal);
  EXPECT_EQ(texts_in(value_at(town.json({"group", "show", "ops"}), "members")), Texts{"alice"});
}

TEST_F(GroupCommands, AnAgentMakesGroupsOfItsOwn) {
  town.json({"group", "create", "mine", "--as", "alice"});
  town.json({"group", "add", "mine", "bob", "--as", "alice"});
  town.json({"group", "add", "mine", "user"});
  EXPECT_EQ(texts_in(value_at(town.json({"group", "show", "mine"}), "members")), (Texts{"bob", "overseer"}));
  town.json({"group", "delete", "mine", "--as", "alice"});
}

TEST_F(GroupCommands, TheDirectoryListsGroups) {
  create("ops", {"alice"});
  Texts groups;
  for (const auto& entry : items_of(town.json({"mail", "directory"})))
    if (text_at(entry, "type") == "group") groups.push_back(text_at(entry, "address"));
  EXPECT_EQ(groups, Texts{"group:ops"});
}

}  // namespace
}  // namespace townpost
