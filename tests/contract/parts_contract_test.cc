// What one transaction can leave out: a part that failed, bodies that nobody asked for, and times to come.
#include "contract/queue_contract.h"

namespace townpost {
namespace {

class Parted : public StoreContract {};
INSTANTIATE_TEST_SUITE_P(, Parted, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

using Ids = std::vector<MessageId>;

TEST_P(Parted, APartThatFailsLeavesNothingBehindAndTheRestStays) {
  const AgentId nux = add_agent("nux");
  MessageId kept, left, after;
  write([&](Ledger& ledger) {
    kept = post(ledger, nux, {nux}).id;
    const auto trouble = must(ledger.attempt([&]() -> Result<> {
      left = post(ledger, nux, {nux}).id;
      TRY_VOID(ledger.add_agent({.id = {}, .address = must(Address::parse("slit"))}));
      TRY_VOID(ledger.add_event({.at = clock().now(), .kind = EventKind::stored, .message = left}));
      return fail(Code::refused, "no");
    }));
    ASSERT_TRUE(trouble.has_value());
    EXPECT_EQ(trouble->message, "no");
    EXPECT_FALSE(ledger.added_somebody()) << "nobody need look at the registry again";
    after = post(ledger, nux, {nux}).id;
  });
  read([&](Ledger& ledger) {
    EXPECT_EQ(ids_of(must(ledger.list({.mailbox = nux}))), (Ids{after, kept}));
    EXPECT_FALSE(must(ledger.find_agent("slit")).has_value());
    EXPECT_TRUE(must(ledger.events_of(left)).empty());
    return true;
  });
}

TEST_P(Parted, APartThatTheStoreRefusesDoesNotSpoilTheTransaction) {
  const AgentId nux = add_agent("nux");
  const Message first = post(nux, {nux});
  write([&](Ledger& ledger) {
    const auto trouble = must(ledger.attempt([&] { return ledger.add_message(first); }));  // its id is taken
    ASSERT_TRUE(trouble.has_value());
    EXPECT_EQ(trouble->code, Code::unavailable);
    must(ledger.add_alias("other", nux));
  });
  EXPECT_TRUE(read([](Ledger& ledger) { return must(ledger.find_agent("other")); }).has_value());
}

TEST_P(Parted, PartsWithinPartsFailByThemselves) {
  const AgentId nux = add_agent("nux");
  write([&](Ledger& ledger) {
    const auto outer = must(ledger.attempt([&]() -> Result<> {
      TRY_VOID(ledger.add_alias("one", nux));
      TRY(inner, ledger.attempt([&]() -> Result<> {
        TRY_VOID(ledger.add_alias("two", nux));
        return fail(Code::refused, "no");
      }));
      EXPECT_TRUE(inner.has_value());
      return ledger.add_alias("three", nux);
    }));
    EXPECT_FALSE(outer.has_value());
  });
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.aliases(nux)); }),
            (std::vector<std::string>{"one", "three"}));
}

TEST_P(Parted, HeadersComeWithoutBodiesAndRecipients) {
  const AgentId nux = add_agent("nux");
  const Message message = post(nux, {nux}, [](Message& m) { m.thread = "gp-1"; });
  read([&](Ledger& ledger) {
    Message header = message;
    header.body.clear();
    header.to.clear();
    for (const auto shelf : {Shelf::inbox, Shelf::unread, Shelf::offered}) {
      const auto mails = must(ledger.list({.mailbox = nux, .shelf = shelf, .parts = Parts::headers}));
      EXPECT_EQ(mails.size(), 1u);
      EXPECT_EQ(mails.at(0).message, header);
      EXPECT_EQ(must(ledger.list({.mailbox = nux, .shelf = shelf})).at(0).message, message);
      EXPECT_EQ(must(ledger.ids(nux, shelf)), Ids{message.id});
    }
    EXPECT_EQ(must(ledger.message(message.id, Parts::headers)), header);
    EXPECT_EQ(must(ledger.thread("gp-1", Parts::headers)).at(0), header);
    EXPECT_EQ(must(ledger.sent(nux, std::nullopt, 10, Parts::headers)).at(0), header);
    return true;
  });
  change_copy(message.id, nux, [&](Delivery& copy) { copy.archived_at = clock().now(); });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.list({.mailbox = nux, .shelf = Shelf::archived, .parts = Parts::headers})).at(0).message.body,
              "");
    EXPECT_EQ(must(ledger.ids(nux, Shelf::archived)), Ids{message.id});
    EXPECT_TRUE(must(ledger.ids(nux, Shelf::unread)).empty());
    return true;
  });
}

TEST_P(Parted, AThreadTellsWhoWroteToWhom) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const auto in_thread = [](Message& m) { m.thread = "gp-1"; };
  const Message first = post(nux, {slit, nux}, in_thread);
  const Message second = post(slit, {}, [&](Message& m) {
    m.thread = "gp-1";
    m.reply_to = first.id;
    m.type = MessageType::escalation;
  });
  post(nux, {slit});
  const auto links = read([](Ledger& ledger) { return must(ledger.thread_links("gp-1")); });
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].message, first.id);
  EXPECT_EQ(links[1].message, first.id);
  EXPECT_EQ(links[2], (ThreadLink{second.id, slit, std::nullopt, first.id, MessageType::escalation}));
}

TEST_P(Parted, AHoldThatEndsFarInTheFutureHoldsNothing) {
  const AgentId nux = add_agent("nux");
  const Message message = post(add_agent("slit"), {nux});
  change_copy(message.id, nux, [&](Delivery& copy) {
    copy.held_by = "L2";
    copy.held_until = clock().now() + std::chrono::hours(24 * 365);
  });
  read([&](Ledger& ledger) {
    EXPECT_TRUE(must(ledger.has_wakeful_mail(nux, clock().now())));
    EXPECT_EQ(must(ledger.count_held(nux, clock().now())), 0);
    return true;
  });
}

TEST_P(Parted, WhatWasDecidedAboutAnAgentGoesAlongWhenItIsMerged) {
  const AgentId evil = add_agent("evil");
  const AgentId good = add_agent("good");
  const Instant now = clock().now();
  const Message asked = post(good, {evil});
  write([&](Ledger& ledger) {
    must(ledger.set_care({.agent = evil, .held_since = now, .hold_until = now + Millis(9), .quarantined_at = now}));
    must(ledger.set_care({.agent = good, .dnd_until = now + Millis(5), .holds = HeldBead::told("gp-1")}));
    auto held = must(ledger.agent(evil)).value();
    held.held_since = now;
    held.shown_hops = 7;
    held.shown_at = now;
    must(ledger.update_agent(held));
    must(ledger.add_event({.at = now, .kind = EventKind::refused_by_l3, .agent = evil}));
    must(ledger.add_wake({.agent = evil, .at = now, .by_agent = true}));
    must(ledger.owe_reply(asked, evil));
    must(ledger.merge_mailboxes(evil, good));
  });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.care(good)), (Care{.agent = good,
                                             .dnd_until = now + Millis(5),
                                             .held_since = now,
                                             .hold_until = now + Millis(9),
                                             .quarantined_at = now,
                                             .holds = HeldBead::told("gp-1")}));
    const auto agent = must(ledger.agent(good)).value();
    EXPECT_EQ(agent.held_since, now);
    EXPECT_EQ(agent.shown_hops, 7);
    EXPECT_EQ(must(ledger.events_about(good, EventKind::refused_by_l3, {now, now}, 10)).size(), 1u);
    EXPECT_EQ(must(ledger.count_wakes(good, {now, now})), 1);
    EXPECT_EQ(must(ledger.debtors(asked.id)), std::vector<AgentId>{good});
    return true;
  });
}

class MovedLeases : public QueueContract {};
INSTANTIATE_TEST_SUITE_P(, MovedLeases, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(MovedLeases, EndAsMuchLaterButNotForEver) {
  using std::chrono::hours;
  const QueueId queue = add("dispatch");
  put(queue);
  const Instant start = clock().now();
  const MessageId id = claim(queue, nux())->message;
  const auto move = [&](Instant since, Millis by) {
    write([&](Ledger& ledger) { must(ledger.move_leases(since, by, hours(24))); });
    return item(id).lease_until;
  };
  EXPECT_EQ(move(start + kLease, hours(8)), start + kLease) << "it had run out by then";
  EXPECT_EQ(move(start, hours(8)), start + kLease + hours(8));
  EXPECT_EQ(move(start, hours(100)), start + hours(24));
  write([&](Ledger& ledger) { must(ledger.extend_lease(id, nux(), start + hours(48))); });
  EXPECT_EQ(move(start, hours(8)), start + hours(48)) << "what its holder wanted stays";
}

}  // namespace
}  // namespace townpost
