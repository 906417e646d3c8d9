#include <thread>

#include "contract/store_contract.h"

namespace townpost {
namespace {

INSTANTIATE_TEST_SUITE_P(, StoreContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(StoreContract, ANewTownKnowsTheHumanItsOwnVoiceAndItsSingletons) {
  const auto agents = read([](Ledger& ledger) { return must(ledger.agents()); });
  std::vector<std::string> addresses;
  for (const auto& agent : agents) addresses.push_back(agent.address.str());
  EXPECT_EQ(addresses, (std::vector<std::string>{"deacon/", "mayor/", "overseer", "townpost"}));
}

TEST_P(StoreContract, AWriteThatReturnsAnErrorLeavesNothingBehind) {
  const AgentId nux = add_agent("nux");
  MessageId id;
  const auto failed = store().write([&](Ledger& ledger) -> Result<> {
    return detail::guarded([&] {
      id = post(ledger, nux, {nux}).id;
      must(ledger.add_rig({.name = "beads", .prefix = "be"}));
      must(ledger.add_agent({.id = {}, .address = must(Address::parse("slit"))}));
      must(ledger.add_alias("old", nux));
      must(ledger.put_key(nux, "key", {id, 7, clock().now()}));
      must(ledger.add_event({.at = clock().now(), .kind = EventKind::stored, .message = id}));
      must(ledger.add_duty({.due_at = clock().now(), .kind = DutyKind::drop_wisp, .message = id}));
      must(ledger.index_for_search(10));
      must_not_fail({Code::limited, "changed my mind", "", std::nullopt});
    });
  });
  EXPECT_EQ(failed.error().message, "limited: changed my mind");

  write([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.message(id)), std::nullopt);
    EXPECT_EQ(must(ledger.delivery(id, nux)), std::nullopt);
    EXPECT_EQ(must(ledger.next_seq()), 1);
    EXPECT_EQ(must(ledger.count(nux, Shelf::inbox)), 0);
    EXPECT_TRUE(must(ledger.rigs()).empty());
    EXPECT_FALSE(must(ledger.find_agent("slit")).has_value());
    EXPECT_FALSE(must(ledger.find_agent("old")).has_value());
    EXPECT_FALSE(must(ledger.find_key(nux, "key")).has_value());
    EXPECT_TRUE(must(ledger.events_of(id)).empty());
    EXPECT_TRUE(must(ledger.duties(DutyOwner::town, 10)).empty());
    EXPECT_EQ(must(ledger.index_for_search(10)), 0);
  });
}

TEST_P(StoreContract, AFailedStatementIsAnErrorAndTheStoreGoesOn) {
  const AgentId nux = add_agent("nux");
  const Message first = post(nux, {nux});
  const auto again = store().write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(ledger.add_alias("other", nux));
    return ledger.add_message(first);  // its id is taken
  });
  EXPECT_EQ(error_of(again).code, Code::unavailable);
  EXPECT_FALSE(read([&](Ledger& ledger) { return must(ledger.find_agent("other")); }).has_value());
  EXPECT_GT(post(nux, {nux}).id, first.id);
}

TEST_P(StoreContract, TwoAgentsCannotHaveOneAddress) {
  add_agent("nux");
  const auto again = store().write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(ledger.add_agent({.id = {}, .address = must(Address::parse("nux"))}));
    return {};
  });
  EXPECT_FALSE(again.has_value());
}

TEST_P(StoreContract, AMessageHasOneCopyPerMailbox) {
  const AgentId nux = add_agent("nux");
  const Message message = post(nux, {nux});
  const auto again = store().write(
      [&](Ledger& ledger) -> Result<> { return ledger.add_delivery({.message = message.id, .mailbox = nux}); });
  EXPECT_FALSE(again.has_value());
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.deliveries(message.id)); }).size(), 1u);
}

TEST_P(StoreContract, AWriteSeesItsOwnChanges) {
  const AgentId nux = add_agent("nux");
  write([&](Ledger& ledger) {
    const Message message = post(ledger, nux, {nux});
    EXPECT_EQ(must(ledger.message(message.id)), message);
    EXPECT_EQ(must(ledger.count(nux, Shelf::unread)), 1);
    EXPECT_EQ(must(ledger.next_seq()), message.id.seq() + 1);
  });
}

TEST_P(StoreContract, TwoConnectionsSeeEachOthersCommits) {
  const AgentId nux = add_agent("nux");
  auto other = second_store();
  const auto count_in = [&](Store& where) {
    return reading(where, [&](Ledger& ledger) { return must(ledger.count(nux, Shelf::inbox)); });
  };
  EXPECT_EQ(count_in(*other), 0);
  const Message here = post(nux, {nux});
  EXPECT_EQ(count_in(*other), 1);
  MessageId there;
  writing(*other, [&](Ledger& ledger) { there = post(ledger, nux, {nux}).id; });
  EXPECT_EQ(count_in(store()), 2);
  EXPECT_GT(there, here.id);
}

TEST_P(StoreContract, AReaderKeepsItsSnapshotWhileOthersWrite) {
  const AgentId nux = add_agent("nux");
  const Message before = post(nux, {nux});
  auto other = second_store();
  MessageId later;
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.count(nux, Shelf::inbox)), 1);
    std::thread([&] {  // a thread of its own: nobody reaches for another lock inside a transaction
      writing(*other, [&](Ledger& theirs) {
        later = post(theirs, nux, {nux}).id;
        auto copy = must(theirs.delivery(before.id, nux)).value();
        copy.read_at = clock().now();
        must(theirs.update_delivery(copy));
      });
    })
        .join();
    EXPECT_EQ(must(ledger.count(nux, Shelf::inbox)), 1);
    EXPECT_EQ(must(ledger.message(later)), std::nullopt);
    EXPECT_EQ(must(ledger.delivery(before.id, nux))->read_at, std::nullopt);
    return true;
  });
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.count(nux, Shelf::inbox)); }), 2);
}

TEST_P(StoreContract, AnUncommittedWriteIsInvisibleToOthers) {
  const AgentId nux = add_agent("nux");
  auto other = second_store();
  write([&](Ledger& ledger) {
    post(ledger, nux, {nux});
    EXPECT_EQ(reading(*other, [&](Ledger& theirs) { return must(theirs.count(nux, Shelf::inbox)); }), 0);
  });
  EXPECT_EQ(reading(*other, [&](Ledger& theirs) { return must(theirs.count(nux, Shelf::inbox)); }), 1);
}

}  // namespace
}  // namespace townpost
