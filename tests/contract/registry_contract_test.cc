#include "contract/store_contract.h"

namespace townpost {
namespace {

using Strings = std::vector<std::string>;

TEST_P(StoreContract, ARigComesBackAsItWasAdded) {
  const Rig beads{"beads", "be", "/src/beads", "trunk", "make test", clock().now()};
  const Rig alpha{"alpha", "al", "/src/Ünïcode 'quoted'", "main", "", clock().now()};
  write([&](Ledger& ledger) {
    must(ledger.add_rig(beads));
    must(ledger.add_rig(alpha));
  });
  EXPECT_EQ(read([](Ledger& ledger) { return must(ledger.rigs()); }), (std::vector<Rig>{alpha, beads}));
}

TEST_P(StoreContract, ARemovedRigIsGoneAndTheOthersStay) {
  write([&](Ledger& ledger) {
    must(ledger.add_rig({.name = "beads", .prefix = "be"}));
    must(ledger.add_rig({.name = "alpha", .prefix = "al"}));
    must(ledger.remove_rig("beads"));
    must(ledger.remove_rig("never was"));
  });
  const auto rigs = read([](Ledger& ledger) { return must(ledger.rigs()); });
  ASSERT_EQ(rigs.size(), 1u);
  EXPECT_EQ(rigs[0].name, "alpha");
}

TEST_P(StoreContract, RigsShareNeitherNamesNorPrefixes) {
  write([&](Ledger& ledger) { must(ledger.add_rig({.name = "beads", .prefix = "be"})); });
  const auto add = [&](const Rig& rig) { return store().write([&](Ledger& ledger) { return ledger.add_rig(rig); }); };
  EXPECT_FALSE(add({.name = "beads", .prefix = "xx"}).has_value());
  EXPECT_FALSE(add({.name = "other", .prefix = "be"}).has_value());
  EXPECT_TRUE(add({.name = "other", .prefix = "xx"}).has_value());
}

TEST_P(StoreContract, AnAgentComesBackAsItWasAdded) {
  Agent nux{.id = {},
            .address = must(Address::parse("beads/polecats/nux")),
            .session = "tmux:%5",
            .description = "mends 'things' – \"well\"",
            .start_command = "claude",
            .resume_command = "claude --continue",
            .start_on = StartOn::mail,
            .created_at = clock().now(),
            .removed_at = clock().now() + Millis(1),
            .held_since = clock().now() + Millis(2),
            .shown_hops = 5,
            .shown_at = clock().now() + Millis(3)};
  write([&](Ledger& ledger) { nux.id = must(ledger.add_agent(nux)); });
  const Agent found = read([&](Ledger& ledger) { return must(ledger.agent(nux.id)).value(); });
  EXPECT_EQ(found.id, nux.id);
  EXPECT_EQ(found.address, nux.address);
  EXPECT_EQ(found.address.role(), Role::polecat);
  EXPECT_EQ(found.session, nux.session);
  EXPECT_EQ(found.description, nux.description);
  EXPECT_EQ(found.start_command, nux.start_command);
  EXPECT_EQ(found.resume_command, nux.resume_command);
  EXPECT_EQ(found.start_on, nux.start_on);
  EXPECT_EQ(found.created_at, nux.created_at);
  EXPECT_EQ(found.removed_at, nux.removed_at);
  EXPECT_EQ(found.held_since, nux.held_since);
  EXPECT_EQ(found.shown_hops, nux.shown_hops);
  EXPECT_EQ(found.shown_at, nux.shown_at);
}

TEST_P(StoreContract, AnUpdatedAgentKeepsItsIdAndMayHaveANewAddress) {
  const AgentId nux = add_agent("beads/polecats/nux");
  const AgentId slit = add_agent("beads/polecats/slit");
  write([&](Ledger& ledger) {
    Agent agent = must(ledger.agent(nux)).value();
    agent.address = must(Address::parse("beads/crew/nux"));
    agent.session = "tmux:main";
    agent.harness = "raw:cat";
    agent.pane_process = "5.77@here";
    agent.held_since = clock().now();
    agent.shown_hops = 3;
    must(ledger.update_agent(agent));
  });
  read([&](Ledger& ledger) {
    const Agent agent = must(ledger.find_agent("beads/crew/nux")).value();
    EXPECT_EQ(agent.id, nux);
    EXPECT_EQ(agent.session, "tmux:main");
    EXPECT_EQ(agent.harness, "raw:cat");
    EXPECT_EQ(agent.pane_process, "5.77@here");
    EXPECT_EQ(agent.held_since, clock().now());
    EXPECT_EQ(agent.shown_hops, 3);
    EXPECT_FALSE(must(ledger.find_agent("beads/polecats/nux")).has_value());
    EXPECT_EQ(must(ledger.agent(slit))->address.str(), "beads/polecats/slit");
    return true;
  });
}

TEST_P(StoreContract, IdsOfAgentsAreNeverZeroAndNeverShared) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  EXPECT_GT(nux.key, 0);
  EXPECT_NE(nux, slit);
}

TEST_P(StoreContract, RemovedAgentsAreNotListedButStillFound) {
  const AgentId nux = add_agent("nux");
  write([&](Ledger& ledger) {
    Agent agent = must(ledger.agent(nux)).value();
    agent.removed_at = clock().now();
    must(ledger.update_agent(agent));
  });
  read([&](Ledger& ledger) {
    for (const auto& agent : must(ledger.agents())) EXPECT_NE(agent.id, nux);
    EXPECT_EQ(must(ledger.find_agent("nux"))->removed_at, clock().now());
    return true;
  });
}

TEST_P(StoreContract, AgentsAreListedByAddress) {
  for (const auto* address : {"zed", "beads/crew/max", "alpha/witness", "beads/polecats/max"}) add_agent(address);
  Strings addresses;
  for (const auto& agent : read([](Ledger& ledger) { return must(ledger.agents()); }))
    addresses.push_back(agent.address.str());
  EXPECT_EQ(addresses, (Strings{"alpha/witness", "beads/crew/max", "beads/polecats/max", "deacon/", "mayor/",
                                "overseer", "townpost", "zed"}));
}

TEST_P(StoreContract, UnknownAgentsAreNothing) {
  read([](Ledger& ledger) {
    EXPECT_FALSE(must(ledger.agent({4711})).has_value());
    EXPECT_FALSE(must(ledger.find_agent("nobody")).has_value());
    EXPECT_FALSE(must(ledger.find_agent("")).has_value());
    return true;
  });
}

TEST_P(StoreContract, AnAliasFindsItsAgent) {
  const AgentId nux = add_agent("nux");
  write([&](Ledger& ledger) {
    must(ledger.add_alias("slit", nux));
    must(ledger.add_alias("rictus", nux));
  });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.find_agent("slit"))->id, nux);
    EXPECT_EQ(must(ledger.aliases(nux)), (Strings{"rictus", "slit"}));
    EXPECT_TRUE(must(ledger.aliases({4711})).empty());
    return true;
  });
}

TEST_P(StoreContract, AnAliasMayMoveToAnotherAgent) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  write([&](Ledger& ledger) {
    must(ledger.add_alias("boy", nux));
    must(ledger.add_alias("boy", slit));
  });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.find_agent("boy"))->id, slit);
    EXPECT_TRUE(must(ledger.aliases(nux)).empty());
    return true;
  });
}

TEST_P(StoreContract, AnAgentBeatsAnAliasAndAnAliasBeatsARemovedAgent) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  write([&](Ledger& ledger) { must(ledger.add_alias("nux", slit)); });
  EXPECT_EQ(read([](Ledger& ledger) { return must(ledger.find_agent("nux")); })->id, nux);
  write([&](Ledger& ledger) {
    Agent agent = must(ledger.agent(nux)).value();
    agent.removed_at = clock().now();
    must(ledger.update_agent(agent));
  });
  EXPECT_EQ(read([](Ledger& ledger) { return must(ledger.find_agent("nux")); })->id, slit);
}

TEST_P(StoreContract, MergedMailboxesHoldEveryMessageOnce) {
  const AgentId old_box = add_agent("old");
  const AgentId new_box = add_agent("new");
  const AgentId other = add_agent("other");
  const Message only_old = post(other, {old_box});
  const Message only_new = post(other, {new_box});
  const Message both = post(other, {old_box, new_box});
  const Message sent = post(old_box, {other});
  change_copy(both.id, old_box, [&](Delivery& copy) { copy.read_at = clock().now(); });
  write([&](Ledger& ledger) {
    must(ledger.add_alias("older", old_box));
    must(ledger.merge_mailboxes(old_box, new_box));
  });

  read([&](Ledger& ledger) {
    EXPECT_EQ(ids_of(must(ledger.list({.mailbox = new_box}))),
              (std::vector<MessageId>{both.id, only_new.id, only_old.id}));
    EXPECT_EQ(must(ledger.count(new_box, Shelf::unread)), 3) << "the shared message keeps the new mailbox's copy";
    EXPECT_EQ(must(ledger.count(old_box, Shelf::inbox)), 0);
    EXPECT_EQ(must(ledger.deliveries(both.id)).size(), 1u);
    EXPECT_EQ(ids_of(must(ledger.sent(new_box, std::nullopt, 10))), std::vector<MessageId>{sent.id});
    EXPECT_TRUE(must(ledger.sent(old_box, std::nullopt, 10)).empty());
    EXPECT_EQ(must(ledger.message(sent.id))->from, "old") << "what was sent is frozen";
    EXPECT_EQ(must(ledger.find_agent("older"))->id, new_box);
    EXPECT_EQ(must(ledger.count(other, Shelf::inbox)), 1) << "nobody else's mail is touched";
    return true;
  });
}

}  // namespace
}  // namespace townpost
