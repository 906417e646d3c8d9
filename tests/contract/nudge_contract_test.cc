#include "contract/nudge_contract.h"

#include <future>
#include <set>

namespace townpost {
namespace {

using NudgeLedgerContract = NudgeContract;
INSTANTIATE_TEST_SUITE_P(, NudgeLedgerContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

/// Every member differs from what it is by default.
void fill(Nudge& n) {
  n.from = "beads/polecats/nüx";
  n.grade = Grade::pane;
  n.source = NudgeSource::witness;
  n.kind = NudgeKind::mail;
  n.mode = NudgeMode::queue;
  n.urgent = true;
  n.ephemeral = true;
  n.forced = true;
  n.text = "look 'here'\n\"now\" \\ $1 ?";
  n.coalesce_key = "builds";
  n.thread = "thread-1";
  n.refs = {"hq-m-1a2b3c", "be-7", ""};
  n.bead = "be-9";
  n.hops = 3;
  n.held_by = "L1";
  n.place = 17;
  n.created_at = {1'700'000'000'001};
  n.deliver_after = {1'700'000'000'002};
  n.expires_at = AwakeTime{1'003};
  n.escalate_at = AwakeTime{1'004};
  n.state = NudgeState::handed;
  n.attempts = 5;
  n.lease_until = AwakeTime{1'006};
  n.retry_at = AwakeTime{1'007};
  n.leased_for = "session-8";
  n.leased_by = "process-9";
  n.handed_at = Instant{1'700'000'000'010};
  n.delivered_at = Instant{1'700'000'000'011};
  n.ended_at = Instant{1'700'000'000'012};
  n.evidence = "seen";
  n.last_error = "it was not there";
}

TEST_P(NudgeLedgerContract, ANudgeIsReadAsItWasWritten) {
  const Nudge plain = add();
  const Nudge full = add(fill);
  EXPECT_EQ(stored(plain.id), plain);
  EXPECT_EQ(stored(full.id), full);
  EXPECT_EQ(stored({4711}), std::nullopt);
}

TEST_P(NudgeLedgerContract, WhatMayChangeOfANudgeCanBeChangedAndTakenBack) {
  const Nudge plain = add();
  Nudge changed = plain;
  fill(changed);
  // What it says and what it is for stay as they were.
  changed.kind = plain.kind;
  changed.ephemeral = plain.ephemeral;
  changed.forced = plain.forced;
  changed.text = plain.text;
  changed.coalesce_key = plain.coalesce_key;
  changed.thread = plain.thread;
  changed.bead = plain.bead;
  changed.created_at = plain.created_at;
  changed.target = nux();
  changed.sender = slit();
  const Nudge other = add();
  update(changed);
  EXPECT_EQ(stored(plain.id), changed);
  EXPECT_EQ(stored(other.id), other) << "nobody else's";
  update(plain);
  EXPECT_EQ(stored(plain.id), plain);
}

TEST_P(NudgeLedgerContract, NumbersGoOnAndAreGivenBackByAWriteThatFails) {
  std::int64_t first = 0;
  write([&](Ledger& ledger) {
    first = must(ledger.next_nudge_seq());
    EXPECT_EQ(must(ledger.next_nudge_seq()), first + 1);
  });
  EXPECT_FALSE(store()
                   .write([&](Ledger& ledger) -> Result<> {
                     TRY_VOID(ledger.next_nudge_seq());
                     return fail(Code::refused, "changed my mind");
                   })
                   .has_value());
  write([&](Ledger& ledger) { EXPECT_EQ(must(ledger.next_nudge_seq()), first + 2); });
}

TEST_P(NudgeLedgerContract, TheLineHasTheUrgentFirstThenGoesByPlace) {  // K015
  const Nudge first = add();
  const Nudge second = add();
  const Nudge urgent = add([](Nudge& nudge) { nudge.urgent = true; });
  const Nudge later_urgent = add([](Nudge& nudge) { nudge.urgent = true; });
  const Nudge in_the_place_of_the_first = add([&](Nudge& nudge) { nudge.place = first.place; });
  Nudge ended = first;
  ended.state = NudgeState::superseded;
  ended.ended_at = clock().now();
  update(ended);
  EXPECT_EQ(pending(slit()),
            (std::vector<NudgeId>{urgent.id, later_urgent.id, in_the_place_of_the_first.id, second.id}));
  EXPECT_EQ(pending(nux()), std::vector<NudgeId>());
}

TEST_P(NudgeLedgerContract, TheLineHoldsWhateverHasNotEnded) {
  std::vector<NudgeId> expected;
  for (const auto state : {NudgeState::queued, NudgeState::leased, NudgeState::handed})
    expected.push_back(add([&](Nudge& nudge) { nudge.state = state; }).id);
  add_ended(clock().now());
  EXPECT_EQ(pending(slit()), expected);
}

TEST_P(NudgeLedgerContract, EveryoneWithSomethingInTheLineIsNamedOnce) {
  auto agents = [&] { return read([](Ledger& ledger) { return must(ledger.agents_with_nudges()); }); };
  EXPECT_TRUE(agents().empty());
  add();
  add();
  const Nudge to_nux = add([&](Nudge& nudge) { nudge.target = nux(); });
  EXPECT_EQ(agents(), (std::vector<AgentId>{nux(), slit()}));
  Nudge ended = to_nux;
  ended.ended_at = clock().now();
  update(ended);
  EXPECT_EQ(agents(), std::vector<AgentId>{slit()});
}

TEST_P(NudgeLedgerContract, NudgesAreListedNewestFirstByTargetAndState) {
  const Nudge first = add();
  const Nudge to_nux = add([&](Nudge& nudge) { nudge.target = nux(); });
  const Nudge dead = add_ended(clock().now(), NudgeState::dead);
  EXPECT_EQ(found({}), (std::vector<NudgeId>{dead.id, to_nux.id, first.id}));
  EXPECT_EQ(found({.target = slit()}), (std::vector<NudgeId>{dead.id, first.id}));
  EXPECT_EQ(found({.state = NudgeState::queued}), (std::vector<NudgeId>{to_nux.id, first.id}));
  EXPECT_EQ(found({.state = NudgeState::dead}), std::vector<NudgeId>{dead.id});
  EXPECT_EQ(found({.target = slit(), .state = NudgeState::queued}), std::vector<NudgeId>{first.id});
  EXPECT_EQ(found({.target = nux(), .state = NudgeState::dead}), std::vector<NudgeId>());
  EXPECT_EQ(found({.limit = 2}), (std::vector<NudgeId>{dead.id, to_nux.id}));
  EXPECT_EQ(found({.target = slit(), .limit = 1}), std::vector<NudgeId>{dead.id});
}

TEST_P(NudgeLedgerContract, OutlivedAreThoseWhoseTimeHasComeSoonestFirst) {
  auto with_life = [&](std::int64_t until) { return add([&](Nudge& nudge) { nudge.expires_at = AwakeTime{until}; }); };
  const Nudge later = with_life(200);
  const Nudge sooner = with_life(100);
  add();  // lives as long as it takes
  add([](Nudge& nudge) { nudge.escalate_at = AwakeTime{50}; });
  const Nudge ended = add([&](Nudge& nudge) {
    nudge.expires_at = AwakeTime{100};
    nudge.ended_at = clock().now();
  });
  auto outlived = [&](std::int64_t now, int most) {
    return keys(read([&](Ledger& ledger) { return must(ledger.outlived_nudges({now}, most)); }));
  };
  EXPECT_EQ(outlived(99, 10), std::vector<NudgeId>());
  EXPECT_EQ(outlived(100, 10), std::vector<NudgeId>{sooner.id}) << "and not " << ended.id.str();
  EXPECT_EQ(outlived(200, 10), (std::vector<NudgeId>{sooner.id, later.id}));
  EXPECT_EQ(outlived(200, 1), std::vector<NudgeId>{sooner.id});
}

TEST_P(NudgeLedgerContract, OverdueAreThoseOfWhichSomebodyIsToBeTold) {
  auto waiting = [&](std::int64_t until) { return add([&](Nudge& nudge) { nudge.escalate_at = AwakeTime{until}; }); };
  const Nudge later = waiting(200);
  const Nudge sooner = waiting(100);
  add([](Nudge& nudge) { nudge.expires_at = AwakeTime{50}; });
  add([&](Nudge& nudge) {
    nudge.escalate_at = AwakeTime{100};
    nudge.ended_at = clock().now();
  });
  auto overdue = [&](std::int64_t now, int most) {
    return keys(read([&](Ledger& ledger) { return must(ledger.overdue_nudges({now}, most)); }));
  };
  EXPECT_EQ(overdue(99, 10), std::vector<NudgeId>());
  EXPECT_EQ(overdue(200, 10), (std::vector<NudgeId>{sooner.id, later.id}));
  EXPECT_EQ(overdue(200, 1), std::vector<NudgeId>{sooner.id});
}

TEST_P(NudgeLedgerContract, TheNextDeadlineIsTheSoonestOfBothKinds) {
  auto next = [&] { return read([](Ledger& ledger) { return must(ledger.next_nudge_deadline()); }); };
  EXPECT_EQ(next(), std::nullopt);
  add();
  add([&](Nudge& nudge) {
    nudge.expires_at = AwakeTime{1};
    nudge.escalate_at = AwakeTime{2};
    nudge.ended_at = clock().now();
  });
  EXPECT_EQ(next(), std::nullopt) << "neither what lives on nor what has ended";
  add([](Nudge& nudge) { nudge.expires_at = AwakeTime{300}; });
  EXPECT_EQ(next(), AwakeTime{300});
  add([](Nudge& nudge) {
    nudge.expires_at = AwakeTime{900};
    nudge.escalate_at = AwakeTime{200};
  });
  EXPECT_EQ(next(), AwakeTime{200});
  add([](Nudge& nudge) { nudge.expires_at = AwakeTime{100}; });
  EXPECT_EQ(next(), AwakeTime{100});
}

TEST_P(NudgeLedgerContract, TimesOfASenderAreNewestFirstAndLeaveOutNotificationsOfMail) {
  const Instant start = clock().now();
  auto at = [&](int ms, const NudgeChange& change = {}) {
    add([&](Nudge& nudge) {
      nudge.created_at = start + Millis(ms);
      if (change) change(nudge);
    });
  };
  at(1);
  at(2, [&](Nudge& nudge) { nudge.target = nux(); });
  at(3, [](Nudge& nudge) { nudge.kind = NudgeKind::mail; });
  at(4, [&](Nudge& nudge) { nudge.sender = slit(); });
  at(5, [&](Nudge& nudge) { nudge.ended_at = start; });
  auto times = [&](std::optional<AgentId> target, int since, int most) {
    return read([&](Ledger& ledger) {
      return must(ledger.nudge_times(nux(), target, {start + Millis(since), start + Millis(100)}, most));
    });
  };
  EXPECT_EQ(times(std::nullopt, 0, 10),
            (std::vector<Instant>{start + Millis(5), start + Millis(2), start + Millis(1)}));
  EXPECT_EQ(times(slit(), 0, 10), (std::vector<Instant>{start + Millis(5), start + Millis(1)}));
  EXPECT_EQ(times(slit(), 1, 1), std::vector<Instant>{start + Millis(5)});
  EXPECT_EQ(times(std::nullopt, 2, 10), (std::vector<Instant>{start + Millis(5), start + Millis(2)}));
  EXPECT_EQ(times(nux(), 3, 10), std::vector<Instant>());
}

TEST_P(NudgeLedgerContract, EventsOfANudgeAreReadInTheirOrder) {
  const Nudge one = add();
  const Nudge other = add();
  const Instant now = clock().now();
  write([&](Ledger& ledger) {
    must(note_nudge(ledger, one, EventKind::queued, "by nux", now));
    must(note_nudge(ledger, other, EventKind::queued, "by slit", now));
    must(note_nudge(ledger, one, EventKind::leased, "", now));
    must(note_nudge(ledger, one, EventKind::put_back, "with a clock that was set back", now - Millis(5)));
  });
  auto events = [&](NudgeId id) {
    std::vector<std::string> out;
    for (const auto& event : read([&](Ledger& ledger) { return must(ledger.events_of(id)); })) {
      EXPECT_EQ(event.nudge, id);
      out.push_back(cat(event.at.ms - now.ms, " ", name(event.kind), ": ", event.detail));
    }
    return out;
  };
  using Strings = std::vector<std::string>;
  EXPECT_EQ(events(one.id), (Strings{"0 queued: by nux", "0 leased: ", "-5 put back: with a clock that was set back"}));
  EXPECT_EQ(events(other.id), Strings{"0 queued: by slit"});
  EXPECT_EQ(events({4711}), Strings());
}

TEST_P(NudgeLedgerContract, WhatEndedLongAgoIsErasedOldestFirstAndItsEventsStayInTheLog) {
  const Instant now = clock().now();
  const Nudge old = add_ended(now - Millis(2));
  const Nudge older = add_ended(now - Millis(3));
  const Nudge young = add_ended(now);
  const Nudge waiting = add();
  write([&](Ledger& ledger) {
    for (const auto& nudge : {old, young}) must(note_nudge(ledger, nudge, EventKind::delivered, "", now));
    must(ledger.erase_ended_nudges(now, 1));
  });
  EXPECT_EQ(stored(older.id), std::nullopt);
  EXPECT_EQ(stored(old.id), old) << "not more at once than asked for";
  write([&](Ledger& ledger) { must(ledger.erase_ended_nudges(now, 10)); });
  EXPECT_EQ(stored(old.id), std::nullopt);
  EXPECT_EQ(stored(young.id), young);
  for (const auto& nudge : {old, young})
    EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.events_of(nudge.id)); }).size(), 1u);
  EXPECT_EQ(stored(waiting.id), waiting);
}

TEST_P(NudgeLedgerContract, AMergedMailboxBringsItsNudges) {
  const AgentId heir = fresh_agent();
  const Nudge to_slit = add();
  const Nudge by_slit = add([&](Nudge& nudge) {
    nudge.sender = slit();
    nudge.target = nux();
  });
  write([&](Ledger& ledger) { must(ledger.merge_mailboxes(slit(), heir)); });
  EXPECT_EQ(pending(heir), std::vector<NudgeId>{to_slit.id});
  EXPECT_EQ(pending(slit()), std::vector<NudgeId>());
  EXPECT_EQ(stored(by_slit.id)->sender, heir);
}

TEST_P(NudgeLedgerContract, TwentyAtOnceAreTwentyInTheLine) {  // G195
  std::vector<std::future<NudgeId>> senders;
  for (int i = 0; i < 20; ++i)
    senders.push_back(std::async(std::launch::async, [this, i] {
      SeededRandom random(static_cast<std::uint64_t>(i));
      const auto own = second_store();
      Nudge nudge;
      writing(*own, [&](Ledger& ledger) {
        nudge.id = NudgeId::make(must(ledger.next_nudge_seq()), random);
        nudge.target = slit();
        nudge.sender = nux();
        nudge.place = nudge.id.key;
        must(ledger.add_nudge(nudge));
      });
      return nudge.id;
    }));
  std::set<NudgeId> sent;
  for (auto& sender : senders) sent.insert(sender.get());
  const auto line = pending(slit());
  EXPECT_EQ(std::set<NudgeId>(line.begin(), line.end()), sent);
  EXPECT_EQ(sent.size(), 20u);
  EXPECT_TRUE(std::is_sorted(line.begin(), line.end()));
}

}  // namespace
}  // namespace townpost
