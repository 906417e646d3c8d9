#include "base/text.h"
#include "contract/store_contract.h"

namespace townpost {
namespace {

TEST_P(StoreContract, EventsOfAMessageAreKeptInTheirOrder) {
  const AgentId nux = add_agent("nux");
  const MessageId id{1 << 20};
  write([&](Ledger& ledger) {
    must(ledger.add_event({.at = clock().now(), .kind = EventKind::stored, .message = id, .detail = "for nux"}));
    must(ledger.add_event({.at = clock().now(), .kind = EventKind::stored, .message = MessageId{2 << 20}}));
    must(ledger.add_event({.at = clock().now() - Millis(9),
                           .kind = EventKind::read,
                           .message = id,
                           .agent = nux,
                           .detail = "it's \"so\""}));
    must(ledger.add_event({.at = clock().now(), .kind = EventKind::refused_by_l3, .agent = nux}));
  });
  const auto events = read([&](Ledger& ledger) { return must(ledger.events_of(id)); });
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0], (Event{events[0].seq, clock().now(), EventKind::stored, id, std::nullopt, "for nux"}));
  EXPECT_EQ(events[1], (Event{events[1].seq, clock().now() - Millis(9), EventKind::read, id, nux, "it's \"so\""}));
  EXPECT_GT(events[1].seq, events[0].seq);
}

TEST_P(StoreContract, EventsOfTwoConnectionsAreNumberedInCommitOrder) {
  auto other = second_store();
  const MessageId id{1 << 20};
  for (int i = 0; i < 3; ++i) {
    writing(store(), [&](Ledger& ledger) { must(ledger.add_event({.kind = EventKind::claimed, .message = id})); });
    writing(*other, [&](Ledger& ledger) { must(ledger.add_event({.kind = EventKind::completed, .message = id})); });
  }
  const auto events = read([&](Ledger& ledger) { return must(ledger.events_of(id)); });
  ASSERT_EQ(events.size(), 6u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].kind, i % 2 == 0 ? EventKind::claimed : EventKind::completed);
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
      must(ledger.add_event({.at = at, .kind = EventKind::refused_by_l3, .agent = nux, .detail = std::to_string(i)}));
      must(ledger.add_event({.at = at, .kind = EventKind::sender_freed, .agent = nux}));
      must(ledger.add_event({.at = at, .kind = EventKind::refused_by_l3, .agent = slit}));
    }
  });
  const auto details = [&](Instant since, int most) {
    std::string out;
    for (
        const auto& event : read([&](Ledger& ledger) {
          return must(ledger.events_about(nux, EventKind::refused_by_l3, {since, since + std::chrono::hours(1)}, most));
        }))
      out += event.detail;
    return out;
  };
  EXPECT_EQ(details(start, 10), "43210");
  EXPECT_EQ(details(start + std::chrono::seconds(3), 10), "43");
  EXPECT_EQ(details(start, 2), "43");
  EXPECT_EQ(details(start + std::chrono::seconds(9), 10), "");
}

/// The words of what a reader sees behind `after`, and where that ends.
class LogContract : public StoreContract {
 protected:
  std::int64_t note(EventKind kind, Event event = {}) {
    event.kind = kind;
    event.at = clock().now();
    write([&](Ledger& ledger) { must(ledger.add_event(event)); });
    return extent().newest;
  }
  LogExtent extent() {
    return read([](Ledger& ledger) { return must(ledger.log_extent()); });
  }
  LogPage page(std::int64_t after, std::optional<AgentId> reader = {}, int limit = 100) {
    return read(
        [&](Ledger& ledger) { return must(ledger.events_after({.after = after, .reader = reader, .limit = limit})); });
  }
  std::vector<std::string> seen(std::optional<AgentId> reader) {
    std::vector<std::string> out;
    for (const auto& event : page(0, reader).events)
      out.push_back(cat(name(event.kind), event.detail.empty() ? "" : " ", event.detail));
    return out;
  }
  bool forget(Instant before, std::int64_t keep, int most = 1000) {
    bool more = false;
    write([&](Ledger& ledger) { more = must(ledger.forget_events(before, keep, most)); });
    return more;
  }
};
using Strings = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(, LogContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(LogContract, AnEventIsReadAsItWasWritten) {
  const Event event{.at = clock().now(),
                    .kind = EventKind::claimed,
                    .message = MessageId{4711},
                    .agent = AgentId{3},
                    .detail = "it's \"so\"",
                    .nudge = NudgeId{12},
                    .queue = QueueId{13},
                    .channel = ChannelId{14},
                    .audience = Audience::everybody};
  write([&](Ledger& ledger) { must(ledger.add_event(event)); });
  auto expected = event;
  expected.seq = 1;
  EXPECT_EQ(page(0).events, std::vector<Event>{expected});
}

TEST_P(LogContract, EveryKindComesBackAsItself) {
  for (int i = 0; i <= static_cast<int>(last_value(EventKind{})); ++i) note(static_cast<EventKind>(i));
  const auto events = page(0).events;
  ASSERT_EQ(events.size(), static_cast<std::size_t>(last_value(EventKind{})) + 1);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(events[i].kind), i);
}

TEST_P(LogContract, AReaderGoesOnWhereItWasPageByPage) {
  for (int i = 0; i < 7; ++i) note(EventKind::started, {.detail = std::to_string(i)});
  std::string details;
  std::int64_t at = 0;
  for (int pages = 0; pages < 3; ++pages) {
    const auto next = page(at, {}, 3);
    for (const auto& event : next.events) {
      EXPECT_EQ(event.seq, ++at) << "no number is left out";
      details += event.detail;
    }
    EXPECT_EQ(next.upto, at);
    EXPECT_FALSE(next.resync);
  }
  EXPECT_EQ(details, "0123456");
  EXPECT_EQ(page(at, {}, 3).upto, at) << "nothing is new";
}

TEST_P(LogContract, AnAgentFollowsWhatConcernsItAndWhatIsForEverybody) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const AgentId max = add_agent("max");
  const Message mail = post(nux, {slit});
  Nudge nudge{.id = {77}, .target = slit, .sender = nux};
  write([&](Ledger& ledger) {
    must(ledger.add_nudge(nudge));
    must(ledger.add_event({.kind = EventKind::stored, .message = mail.id, .detail = "for slit"}));
    must(note_nudge(ledger, nudge, EventKind::queued, "by nux", clock().now()));
    must(ledger.add_event({.kind = EventKind::claimed,
                           .agent = slit,
                           .detail = "why",
                           .queue = QueueId{1},
                           .audience = Audience::everybody}));
    must(ledger.add_event({.kind = EventKind::refused_by_l3, .agent = nux, .detail = "too much"}));
    must(ledger.add_event({.kind = EventKind::left_undone, .agent = max, .audience = Audience::people}));
  });
  EXPECT_EQ(seen(nux), (Strings{"stored for slit", "queued by nux", "claimed", "refused by L3 too much"}));
  EXPECT_EQ(seen(slit), (Strings{"stored for slit", "queued by nux", "claimed why"}));
  EXPECT_EQ(seen(max), Strings{"claimed"}) << "that it happened, and not why";
  EXPECT_EQ(seen({}).size(), 5u) << "people follow everything";
  EXPECT_EQ(page(0, max).upto, 5) << "an agent that nothing concerns comes on nevertheless";
}

TEST_P(LogContract, OfAFailedWriteOrPartNoNumberIsLost) {
  note(EventKind::started);
  (void)store().write([&](Ledger& ledger) -> Result<> {
    must(ledger.add_event({.kind = EventKind::stored}));
    return fail(Code::refused, "changed my mind");
  });
  write([&](Ledger& ledger) {
    must(ledger.add_event({.kind = EventKind::claimed}));
    must(ledger.attempt([&]() -> Result<> {
      must(ledger.add_event({.kind = EventKind::failed}));
      must(ledger.add_duty({.kind = DutyKind::drop_wisp}));
      return fail(Code::refused, "changed my mind");
    }));
    must(ledger.add_event({.kind = EventKind::completed}));
  });
  EXPECT_EQ(seen({}), (Strings{"started", "claimed", "completed"}));
  EXPECT_EQ(extent(), (LogExtent{1, 3}));
}

TEST_P(LogContract, ANumberThatIsNotKeptOrWasNeverGivenMeansResync) {
  const Instant start = clock().now();
  for (int i = 0; i < 5; ++i) note(EventKind::started);
  EXPECT_FALSE(forget(start + Millis(1), 2));
  EXPECT_EQ(extent(), (LogExtent{4, 5}));
  for (const std::int64_t after : {0, 2, 6}) {
    const auto answer = page(after);
    EXPECT_TRUE(answer.resync) << after;
    EXPECT_TRUE(answer.events.empty()) << after;
    EXPECT_EQ(answer.upto, 5) << "and it goes on from there";
  }
  EXPECT_FALSE(page(3).resync);
  EXPECT_EQ(page(3).events.size(), 2u);
  EXPECT_FALSE(page(5).resync);
}

TEST_P(LogContract, WhatIsYoungOrAmongTheNewestIsKept) {
  const Instant start = clock().now();
  for (int i = 0; i < 4; ++i) {
    note(EventKind::started);
    clock().advance(Millis(10));
  }
  EXPECT_FALSE(forget(start, 0)) << "nothing is older than that";
  EXPECT_FALSE(forget(start + std::chrono::hours(1), 4));
  EXPECT_EQ(extent(), (LogExtent{1, 4}));
  EXPECT_FALSE(forget(start + Millis(20), 1));
  EXPECT_EQ(extent(), (LogExtent{3, 4}));
  EXPECT_EQ(page(2).events.size(), 2u);
}

TEST_P(LogContract, HistoriesOfKeptMailAndNudgesOutliveTheLog) {
  const AgentId nux = add_agent("nux");
  const Message mail = post(nux, {nux});
  const Message wisp = post(nux, {nux});
  const Nudge nudge{.id = {77}, .target = nux, .sender = nux, .ended_at = clock().now()};
  write([&](Ledger& ledger) {
    must(ledger.add_nudge(nudge));
    for (const auto id : {mail.id, wisp.id}) must(ledger.add_event({.kind = EventKind::stored, .message = id}));
    must(note_nudge(ledger, nudge, EventKind::queued, "", clock().now()));
    must(ledger.add_event({.kind = EventKind::started, .agent = nux}));
  });
  const auto left = [&] {
    return read([&](Ledger& ledger) {
      return std::vector<std::size_t>{must(ledger.events_of(mail.id)).size(), must(ledger.events_of(wisp.id)).size(),
                                      must(ledger.events_of(nudge.id)).size()};
    });
  };
  const Instant later = clock().now() + std::chrono::hours(24);
  EXPECT_TRUE(forget(later, 0, 3)) << "a share at a time";
  EXPECT_FALSE(forget(later, 0, 3));
  EXPECT_EQ(left(), (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_TRUE(read([&](Ledger& ledger) {
                return must(ledger.events_about(nux, EventKind::started, {{0}, later}, 10));
              }).empty());
  write([&](Ledger& ledger) {
    must(ledger.erase_message(wisp.id));
    must(ledger.erase_ended_nudges(later, 10));
  });
  EXPECT_EQ(left(), (std::vector<std::size_t>{1, 0, 0})) << "what they leave behind is old enough to go";
}

TEST_P(LogContract, AnAgentsChangeOfStateIsInTheLogAndItsHeartbeatsAreNot) {
  const AgentId nux = add_agent("nux");
  const auto say = [&](AgentState state) {
    clock().advance(Millis(5));
    write([&](Ledger& ledger) {
      must(ledger.set_presence({.agent = nux, .state = state, .since = clock().now(), .last_activity = clock().now()}));
    });
  };
  for (const auto state :
       {AgentState::idle, AgentState::idle, AgentState::running, AgentState::running, AgentState::exited})
    say(state);
  EXPECT_EQ(seen(nux), (Strings{"state idle", "state running", "state exited"}));
}

TEST_P(LogContract, AThousandNewEntriesMakeTheTownLookForOldOnes) {
  write([&](Ledger& ledger) {
    for (int i = 0; i < 999; ++i) must(ledger.add_event({.at = clock().now(), .kind = EventKind::started}));
  });
  const auto duties = [&] { return read([](Ledger& ledger) { return must(ledger.duties(DutyOwner::town, 10)); }); };
  EXPECT_TRUE(duties().empty());
  note(EventKind::started);
  ASSERT_EQ(duties().size(), 1u);
  EXPECT_EQ(duties()[0].kind, DutyKind::forget_events);
  EXPECT_EQ(duties()[0].due_at, clock().now());
  EXPECT_EQ(extent(), (LogExtent{1, 1000}));
}

}  // namespace
}  // namespace townpost
