#include "contract/store_contract.h"

namespace townpost {
namespace {

TEST_P(StoreContract, EventsOfAMessageAreKeptInTheirOrder) {
  const AgentId nux = add_agent("nux");
  const MessageId id{1 << 20};
  write([&](Ledger& ledger) {
    must(ledger.add_event({.at = clock().now(), .kind = "stored", .message = id, .detail = "for nux"}));
    must(ledger.add_event({.at = clock().now(), .kind = "stored", .message = MessageId{2 << 20}}));
    must(ledger.add_event(
        {.at = clock().now() - Millis(9), .kind = "read", .message = id, .agent = nux, .detail = "it's \"so\""}));
    must(ledger.add_event({.at = clock().now(), .kind = "refused", .agent = nux}));
  });
  const auto events = read([&](Ledger& ledger) { return must(ledger.events_of(id)); });
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0], (Event{events[0].seq, clock().now(), "stored", id, std::nullopt, "for nux"}));
  EXPECT_EQ(events[1], (Event{events[1].seq, clock().now() - Millis(9), "read", id, nux, "it's \"so\""}));
  EXPECT_GT(events[1].seq, events[0].seq);
}

TEST_P(StoreContract, EventsOfTwoConnectionsAreNumberedInCommitOrder) {
  auto other = second_store();
  const MessageId id{1 << 20};
  for (int i = 0; i < 3; ++i) {
    writing(store(), [&](Ledger& ledger) { must(ledger.add_event({.kind = "here", .message = id})); });
    writing(*other, [&](Ledger& ledger) { must(ledger.add_event({.kind = "there", .message = id})); });
  }
  const auto events = read([&](Ledger& ledger) { return must(ledger.events_of(id)); });
  ASSERT_EQ(events.size(), 6u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].kind, i % 2 == 0 ? "here" : "there");
    if (i > 0) {
      EXPECT_GT(events[i].seq, events[i - 1].seq);
    }
  }
}

TEST_P(StoreContract, EventsAboutAnAgentAreNewestFirstOfOneKindSinceAnInstant) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const Instant start = clock().now();
  write([&](Ledger& ledger) {
    for (int i = 0; i < 5; ++i) {
      const Instant at = start + std::chrono::seconds(i);
      must(ledger.add_event({.at = at, .kind = "refused", .agent = nux, .detail = std::to_string(i)}));
      must(ledger.add_event({.at = at, .kind = "released", .agent = nux}));
      must(ledger.add_event({.at = at, .kind = "refused", .agent = slit}));
    }
  });
  const auto details = [&](Instant since, int most) {
    std::string out;
    for (const auto& event : read([&](Ledger& ledger) {
           return must(ledger.events_about(nux, "refused", {since, since + std::chrono::hours(1)}, most));
         }))
      out += event.detail;
    return out;
  };
  EXPECT_EQ(details(start, 10), "43210");
  EXPECT_EQ(details(start + std::chrono::seconds(3), 10), "43");
  EXPECT_EQ(details(start, 2), "43");
  EXPECT_EQ(details(start + std::chrono::seconds(9), 10), "");
}

TEST_P(StoreContract, DutiesComeDueInTheOrderOfTheirInstants) {
  const Instant now = clock().now();
  write([&](Ledger& ledger) {
    must(ledger.add_duty({.due_at = now + Millis(30), .kind = "third", .detail = "c"}));
    must(ledger.add_duty({.due_at = now + Millis(10), .kind = "first", .message = MessageId{77}, .detail = "a"}));
    must(ledger.add_duty({.due_at = now + Millis(20), .kind = "second"}));
  });
  const auto due = [&](Millis later, int most) {
    std::vector<std::string> kinds;
    for (const auto& duty : read([&](Ledger& ledger) { return must(ledger.due(now + later, most)); }))
      kinds.push_back(duty.kind);
    return kinds;
  };
  using Strings = std::vector<std::string>;
  EXPECT_EQ(due(Millis(9), 10), Strings{});
  EXPECT_EQ(due(Millis(10), 10), Strings{"first"}) << "due at its very instant";
  EXPECT_EQ(due(Millis(100), 10), (Strings{"first", "second", "third"}));
  EXPECT_EQ(due(Millis(100), 2), (Strings{"first", "second"})) << "a bounded share";

  const Duty first = read([&](Ledger& ledger) { return must(ledger.due(now + Millis(10), 1)); }).front();
  EXPECT_EQ(first.due_at, now + Millis(10));
  EXPECT_EQ(first.message, MessageId{77});
  EXPECT_EQ(first.detail, "a");
}

TEST_P(StoreContract, ARemovedDutyIsNotDueAgain) {
  write([&](Ledger& ledger) {
    for (const auto* kind : {"a", "b", "c"}) must(ledger.add_duty({.due_at = clock().now(), .kind = kind}));
  });
  write([&](Ledger& ledger) {
    for (const auto& duty : must(ledger.due(clock().now(), 10)))
      if (duty.kind == "b") must(ledger.remove_duty(duty.id));
  });
  std::string left;
  for (const auto& duty : read([&](Ledger& ledger) { return must(ledger.due(clock().now(), 10)); })) left += duty.kind;
  EXPECT_EQ(left, "ac");
}

}  // namespace
}  // namespace townpost
