#include <thread>

#include "base/advice.h"
#include "contract/lists_fixture.h"

namespace townpost {
namespace {

class GroupsTest : public ListsTest {};
ON_EVERY_STORE(GroupsTest);

TEST_P(GroupsTest, AGroupIsWhoeverItsMembersAre) {
  const auto view = group("ops", {"max", "beads/polecats/*", "@witnesses"}, "nux");
  EXPECT_EQ(view.group.members, (Strings{"@witnesses", "beads/crew/max", "beads/polecats/*"}));
  EXPECT_EQ(view.group.created_at, clock().now());
  EXPECT_EQ(expansion("ops"),
            (Strings{"alpha/witness", "beads/witness", "beads/crew/max", "beads/polecats/nux", "beads/polecats/slit"}));
  EXPECT_TRUE(view.now.unmatched.empty());
  ASSERT_EQ(must(groups().list()).size(), 1u);
  EXPECT_EQ(must(groups().list())[0], view.group);
}

TEST_P(GroupsTest, MailToAGroupReachesEachMemberOnceAndNotTheSender) {
  group("ops", {"max", "nux", "beads/polecats/*", "beads/polecats/nux"});
  const Receipt receipt = send("nux", "group:ops");
  EXPECT_EQ(receipt.message.to, Strings{"group:ops"});
  EXPECT_EQ(receipt.recipients.size(), 2u);
  EXPECT_EQ(inbox("max").size(), 1u);
  EXPECT_EQ(inbox("slit").size(), 1u);
  EXPECT_TRUE(inbox("nux").empty());
}

TEST_P(GroupsTest, ASenderThatAsksGetsItsCopy) {
  group("ops", {"max", "nux"});
  Letter what = letter("@ops");
  what.include_self = true;
  send("nux", what);
  EXPECT_EQ(inbox("nux").size(), 1u);
}

TEST_P(GroupsTest, ThePlainNameThePrefixAndTheSignAreOneAddress) {
  group("ops", {"max"});
  for (const auto* name : {"ops", "group:ops", "@ops"}) EXPECT_EQ(send("nux", name).message.to, Strings{"group:ops"});
  EXPECT_EQ(inbox("max").size(), 3u);
  for (const auto* name : {"ops", "group:ops", "@ops"}) EXPECT_EQ(must(groups().show(name)).group.name, "ops");
}

TEST_P(GroupsTest, WhoTheMembersAreIsLookedUpAtEverySend) {
  group("ops", {"beads/polecats/*", "newcomer"});
  send("max", "group:ops");
  register_agent("beads/polecats/ace");
  register_agent("newcomer");
  const Receipt receipt = send("max", "group:ops");
  EXPECT_EQ(receipt.recipients.size(), 4u);
  EXPECT_TRUE(receipt.warnings.empty());
  EXPECT_EQ(inbox("ace").size(), 1u) << "what was sent before it came is not its";
}

TEST_P(GroupsTest, AMemberThatIsNobodyIsTold) {
  const auto view = group("ops", {"max", "ghost", "group:nothing", "gamma/*"});
  EXPECT_EQ(view.now.unmatched.size(), 3u);
  const Receipt receipt = send("nux", "group:ops");
  EXPECT_EQ(receipt.recipients.size(), 1u);
  ASSERT_EQ(receipt.warnings.size(), 3u);
  for (const auto& warning : receipt.warnings) EXPECT_TRUE(has(warning, "matches nobody")) << warning;
}

TEST_P(GroupsTest, AGroupOfNobodyCannotBeWrittenTo) {
  group("ops");
  EXPECT_EQ(refusal("nux", "group:ops").code, Code::not_found);
  group("ghosts", {"ghost"});
  const Error error = refusal("nux", "group:ghosts");
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_TRUE(has(advice(error), "group.add name=ghosts")) << advice(error);
}

TEST_P(GroupsTest, AGroupOfTheSenderAloneReachesNobody) {
  group("me", {"nux"});
  EXPECT_EQ(refusal("nux", "group:me").code, Code::not_found);
}

TEST_P(GroupsTest, GroupsMayContainGroups) {
  group("inner", {"max"});
  group("middle", {"inner", "@crew"});
  const auto view = group("outer", {"@middle", "slit", "group:inner"});
  EXPECT_EQ(view.group.members, (Strings{"beads/polecats/slit", "group:inner", "group:middle"}));
  EXPECT_EQ(expansion("outer").size(), 2u);
  send("nux", "outer");
  EXPECT_EQ(inbox("max").size(), 1u);
  EXPECT_EQ(inbox("slit").size(), 1u);
}

TEST_P(GroupsTest, AGroupThatContainsItselfDeliversOnce) {
  group("loop", {"max", "group:loop"});
  EXPECT_EQ(expansion("loop"), Strings{"beads/crew/max"});
  EXPECT_EQ(send("nux", "loop").recipients.size(), 1u);
  EXPECT_EQ(inbox("max").size(), 1u);
}

TEST_P(GroupsTest, CyclesOfGroupsEnd) {
  group("a", {"group:b", "nux"});
  group("b", {"group:c", "slit"});
  group("c", {"group:a", "group:b", "max"});
  for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(expansion(name).size(), 3u) << name;
  send("alpha/witness", "a");
  for (const auto* who : {"nux", "slit", "max"}) EXPECT_EQ(inbox(who).size(), 1u) << who;
  group("empty-loop", {"group:empty-loop"});
  EXPECT_EQ(refusal("nux", "group:empty-loop").code, Code::not_found);
}

TEST_P(GroupsTest, DeepNestingIsNoTrouble) {
  group("g0", {"max"});
  for (int i = 1; i <= 60; ++i) group(cat("g", i), {cat("group:g", i - 1)});
  EXPECT_EQ(expansion("g60"), Strings{"beads/crew/max"});
}

TEST_P(GroupsTest, MembersComeAndGo) {
  group("ops", {"max"});
  const auto added = must(groups().edit("ops", Groups::Edit::add, {"nux", "max", "@town"}, caller("overseer")));
  EXPECT_EQ(added.group.members, (Strings{"@town", "beads/crew/max", "beads/polecats/nux"}));
  const auto removed = must(groups().edit("@ops", Groups::Edit::remove, {"max", "slit", "@town"}, caller("overseer")));
  EXPECT_EQ(removed.group.members, Strings{"beads/polecats/nux"});
}

TEST_P(GroupsTest, AMemberThatWasNobodyWhenItCameInCanBeTakenOutLater) {
  group("ops", {"ace", "max"});
  register_agent("beads/polecats/ace");
  EXPECT_EQ(expansion("ops").size(), 2u);
  EXPECT_EQ(must(groups().edit("ops", Groups::Edit::remove, {"ace"}, caller("overseer"))).group.members,
            Strings{"beads/crew/max"});
}

TEST_P(GroupsTest, ARenamedMemberStaysAndCanBeTakenOutByItsNewName) {
  group("ops", {"max", "nux"});
  must(registry().alias("beads/crew/max", "beads/crew/maximus"));
  EXPECT_EQ(expansion("ops"), (Strings{"beads/crew/maximus", "beads/polecats/nux"}));
  must(groups().edit("ops", Groups::Edit::remove, {"beads/crew/maximus"}, caller("overseer")));
  EXPECT_EQ(expansion("ops"), Strings{"beads/polecats/nux"});
}

TEST_P(GroupsTest, OneBadMemberAndNothingIsChanged) {
  group("ops", {"max"});
  for (const auto* bad : {"queue:x", "channel:x", "*", "a//b", "", "-x", "@rig/", "a b"}) {
    const Error error = error_of(groups().edit("ops", Groups::Edit::add, {"nux", bad}, caller("overseer")));
    EXPECT_EQ(error.code, Code::usage) << bad;
    EXPECT_NE(advice(error), "") << bad;
    EXPECT_EQ(error_of(groups().create("other", {"nux", bad}, caller("overseer"))).code, Code::usage) << bad;
  }
  EXPECT_EQ(must(groups().show("ops")).group.members, Strings{"beads/crew/max"});
  EXPECT_EQ(must(groups().list()).size(), 1u);
}

TEST_P(GroupsTest, WhoeverMadeItAndPeopleMayChangeIt) {
  group("ops", {"max"}, "nux");
  for (const auto* other : {"slit", "mayor/", "beads/witness"}) {
    const Error edit = error_of(groups().edit("ops", Groups::Edit::add, {"slit"}, caller(other)));
    EXPECT_EQ(edit.code, Code::forbidden) << other;
    EXPECT_TRUE(has(edit.message, "beads/polecats/nux")) << edit.message;
    EXPECT_EQ(error_of(groups().remove("ops", caller(other))).code, Code::forbidden) << other;
  }
  must(groups().edit("ops", Groups::Edit::add, {"slit"}, caller("nux")));
  must(groups().edit("ops", Groups::Edit::remove, {"slit"}, caller("overseer")));
  must(registry().alias("beads/polecats/nux", "beads/polecats/nuxor"));
  must(groups().remove("ops", caller("beads/polecats/nuxor")));
  EXPECT_TRUE(must(groups().list()).empty());
}

TEST_P(GroupsTest, ADeletedGroupIsGoneButItsMailStays) {
  group("ops", {"max"});
  const auto id = send("nux", "ops").message.id;
  must(groups().remove("group:ops", caller("overseer")));
  EXPECT_EQ(refusal("nux", "group:ops").code, Code::not_found);
  EXPECT_EQ(refusal("nux", "@ops").code, Code::not_found);
  EXPECT_EQ(inbox("max").at(0).message.id, id);
  EXPECT_EQ(error_of(groups().remove("ops", caller("overseer"))).code, Code::not_found);
  group("ops");
}

TEST_P(GroupsTest, AnUnknownGroupIsToldWithTheNearest) {
  group("backend", {"max"});
  const Error error = error_of(groups().show("backnd"));
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_EQ(error.message, "group not found: \"backnd\"");
  EXPECT_TRUE(has(advice(error), "backend")) << advice(error);
}

TEST_P(GroupsTest, AChangeOfAGroupRingsForThoseWhoTrustAnOldLook) {
  const auto rings = [&] { return bell().rings(BellKey::registry()); };
  auto before = rings();
  group("ops", {"max"});
  EXPECT_GT(rings(), before);
  before = rings();
  must(groups().edit("ops", Groups::Edit::add, {"nux"}, caller("overseer")));
  EXPECT_GT(rings(), before);
  before = rings();
  must(groups().remove("ops", caller("overseer")));
  EXPECT_GT(rings(), before);
}

TEST_P(GroupsTest, AReplyToAllReachesTheWholeGroup) {
  group("ops", {"max", "slit"});
  const auto id = send("nux", "ops").message.id;
  const auto answer = must(office().reply(id, "here", PostOffice::ReplyTo::everyone, {}, caller("max")));
  EXPECT_EQ(answer.message.to, Strings{"beads/polecats/nux"});
  EXPECT_EQ(inbox("nux").size(), 1u);
  EXPECT_EQ(inbox("slit").size(), 2u);
  EXPECT_EQ(inbox("max").size(), 1u) << "the answer came back to who wrote it";
}

/// Several towns' doors to one store, each for a thread of its own.
class ManyDoors : public ::testing::TestWithParam<StoreKind> {
 protected:
  struct Door {
    std::unique_ptr<Store> store;
    std::unique_ptr<CountingBell> bell = std::make_unique<CountingBell>();
    FakeMachine sessions;
    SystemClock clock;
    SystemRandom random;
    std::optional<Town> town;
  };
  std::unique_ptr<Door> open_door() {
    auto door = std::make_unique<Door>();
    door->store = open_store(*site_, nullptr);
    door->town.emplace(
        Town{"nowhere", Settings(), *door->store, *door->bell, door->sessions, door->clock, door->random});
    return door;
  }

 private:
  std::unique_ptr<StoreSite> site_ = GetParam().make_site();
};
ON_EVERY_STORE(ManyDoors);

TEST_P(ManyDoors, ConcurrentEditsOfAGroupLoseNothing) {
  const auto first = open_door();
  must(Groups(*first->town).create("ops", {"leaver-0", "leaver-1", "leaver-2", "leaver-3"}, Caller{}));
  std::vector<std::unique_ptr<Door>> doors;
  for (int i = 0; i < 4; ++i) doors.push_back(open_door());
  std::vector<std::thread> editors;
  for (int i = 0; i < 4; ++i)
    editors.emplace_back([&, i] {
      Groups groups(*doors[static_cast<std::size_t>(i)]->town);
      for (int j = 0; j < 8; ++j) must(groups.edit("ops", Groups::Edit::add, {cat("m-", i, "-", j)}, Caller{}));
      must(groups.edit("ops", Groups::Edit::remove, {cat("leaver-", i)}, Caller{}));
    });
  for (auto& editor : editors) editor.join();
  const auto members = must(Groups(*first->town).show("ops")).group.members;
  EXPECT_EQ(members.size(), 32u);
  for (const auto& member : members) EXPECT_TRUE(member.starts_with("m-")) << member;
}

TEST_P(ManyDoors, OfManyWhoMakeTheSameNameOneDoes) {
  std::vector<std::unique_ptr<Door>> doors;
  for (int i = 0; i < 3; ++i) doors.push_back(open_door());
  std::vector<int> made(3);
  std::vector<std::thread> makers;
  makers.emplace_back([&] { made[0] = Groups(*doors[0]->town).create("ops", {}, Caller{}).has_value() ? 1 : 0; });
  makers.emplace_back([&] { made[1] = Queues(*doors[1]->town).create({.name = "ops"}).has_value() ? 1 : 0; });
  makers.emplace_back([&] { made[2] = Channels(*doors[2]->town).create("ops", {}, Caller{}).has_value() ? 1 : 0; });
  for (auto& maker : makers) maker.join();
  EXPECT_EQ(made[0] + made[1] + made[2], 1);
}

}  // namespace
}  // namespace townpost
