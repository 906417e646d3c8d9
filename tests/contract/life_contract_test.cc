#include "contract/nudge_contract.h"

namespace townpost {

inline void PrintTo(const Presence& presence, std::ostream* out) { *out << to_line(presence); }
inline void PrintTo(const Care& c, std::ostream* out) {
  auto number = [](const auto& at) { return at ? at->ms : -1; };
  *out << cat("agent ", c.agent.key, " dnd ", number(c.dnd_until), " held ", number(c.held_since), " until ",
              number(c.hold_until), " quarantined ", number(c.quarantined_at), " hook ", c.holds.word(),
              " blocked told ", number(c.blocked_told_at), " warned ", c.warned, " at ", number(c.warned_at));
}

namespace {

class LifeLedgerContract : public NudgeContract {
 protected:
  Presence full_presence(AgentId agent) const {
    return {.agent = agent,
            .state = AgentState::blocked,
            .incarnation = "session-1",
            .harness = Harness::of_word("claude"),
            .session = "tmux:%5",
            .host = "höst",
            .pid = 4711,
            .transcript = "/home/a b/'quoted'.jsonl",
            .detail = "permission for Bash",
            .started_at = {1'700'000'000'001},
            .since = {1'700'000'000'002},
            .last_activity = {1'700'000'000'003},
            .tool_running = true,
            .supervised = true,
            .continuations = 6};
  }
  Care full_care(AgentId agent) const {
    return {.agent = agent,
            .dnd_until = Instant{1},
            .held_since = Instant{2},
            .hold_until = kForever,
            .quarantined_at = Instant{4},
            .holds = HeldBead::told("be-9"),
            .blocked_told_at = Instant{5},
            .warned = 2,
            .warned_at = AwakeTime{6}};
  }
  void set(const Presence& presence) {
    write([&](Ledger& ledger) { must(ledger.set_presence(presence)); });
  }
  void set(const Care& care) {
    write([&](Ledger& ledger) { must(ledger.set_care(care)); });
  }
  std::optional<Presence> presence(AgentId agent) {
    return read([&](Ledger& ledger) { return must(ledger.presence(agent)); });
  }
  Care care(AgentId agent) {
    return read([&](Ledger& ledger) { return must(ledger.care(agent)); });
  }
  Watch watch() {
    return read([](Ledger& ledger) { return must(ledger.watch()); });
  }
  void set(const Watch& watch) {
    write([&](Ledger& ledger) { must(ledger.set_watch(watch)); });
  }
  void wake(const Wake& wake) {
    write([&](Ledger& ledger) { must(ledger.add_wake(wake)); });
  }
};
INSTANTIATE_TEST_SUITE_P(, LifeLedgerContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(LifeLedgerContract, PresenceIsReadAsItWasWrittenLast) {
  EXPECT_EQ(presence(nux()), std::nullopt);
  const Presence full = full_presence(nux());
  set(full);
  EXPECT_EQ(presence(nux()), full);
  EXPECT_EQ(presence(slit()), std::nullopt);
  const Presence plain{.agent = nux()};
  set(plain);
  EXPECT_EQ(presence(nux()), plain) << "every member is replaced";
}

TEST_P(LifeLedgerContract, EverybodysPresenceIsListedByAgent) {
  EXPECT_TRUE(read([](Ledger& ledger) { return must(ledger.presences()); }).empty());
  const Presence second = full_presence(slit());
  const Presence first{.agent = nux(), .state = AgentState::idle};
  set(second);
  set(first);
  EXPECT_EQ(read([](Ledger& ledger) { return must(ledger.presences()); }), (std::vector<Presence>{first, second}));
}

TEST_P(LifeLedgerContract, EveryStateOfAnAgentIsKept) {
  for (int state = 0; state <= static_cast<int>(AgentState::deaf); ++state) {
    set(Presence{.agent = nux(), .state = static_cast<AgentState>(state)});
    EXPECT_EQ(presence(nux())->state, static_cast<AgentState>(state));
  }
}

TEST_P(LifeLedgerContract, CareIsOrdinaryUntilSomethingIsDecided) {
  EXPECT_EQ(care(nux()), Care{.agent = nux()});
  EXPECT_TRUE(read([](Ledger& ledger) { return must(ledger.cares()); }).empty());
  set(full_care(nux()));
  EXPECT_EQ(care(nux()), full_care(nux()));
  EXPECT_EQ(care(slit()), Care{.agent = slit()});
  set(Care{.agent = nux()});
  EXPECT_EQ(care(nux()), Care{.agent = nux()}) << "every member is replaced";
}

TEST_P(LifeLedgerContract, EverybodysCareIsListedByAgent) {
  set(full_care(slit()));
  set(Care{.agent = nux(), .holds = HeldBead::told("be-1")});
  EXPECT_EQ(read([](Ledger& ledger) { return must(ledger.cares()); }),
            (std::vector<Care>{{.agent = nux(), .holds = HeldBead::told("be-1")}, full_care(slit())}));
}

TEST_P(LifeLedgerContract, TheWatchIsReadAsItWasWrittenLast) {
  const Watch fresh = watch();
  EXPECT_EQ(fresh.watched_at, Instant{0}) << "nobody has watched yet";
  EXPECT_EQ(fresh.hold_until, std::nullopt);
  Watch full;
  full.awake = {12};
  full.watched_at = {1'700'000'000'001};
  full.held_since = Instant{2};
  full.hold_until = kForever;
  full.wakes_told_at = Instant{4};
  set(full);
  const Watch found = watch();
  EXPECT_EQ(found.awake, full.awake);
  EXPECT_EQ(found.watched_at, full.watched_at);
  EXPECT_EQ(found.held_since, full.held_since);
  EXPECT_EQ(found.hold_until, full.hold_until);
  EXPECT_EQ(found.wakes_told_at, full.wakes_told_at);
  full.held_since.reset();
  full.hold_until.reset();
  full.wakes_told_at.reset();
  set(full);
  EXPECT_EQ(watch().held_since, std::nullopt);
  EXPECT_EQ(watch().hold_until, std::nullopt);
  EXPECT_EQ(watch().wakes_told_at, std::nullopt);
}

TEST_P(LifeLedgerContract, TheWatchDoesNotCountNudges) {
  write([](Ledger& ledger) {
    const auto before = must(ledger.next_nudge_seq());
    must(ledger.set_watch(must(ledger.watch())));
    EXPECT_EQ(must(ledger.next_nudge_seq()), before + 1);
  });
}

TEST_P(LifeLedgerContract, WakesByAgentsAreToldApartAndNewestFirst) {
  const Instant start = clock().now();
  wake({.agent = nux(), .at = start + Millis(1), .by_agent = true});
  wake({.agent = nux(), .at = start + Millis(3), .by_agent = true});
  wake({.agent = nux(), .at = start + Millis(2), .by_agent = true});
  wake({.agent = nux(), .at = start + Millis(4), .by_agent = true, .urgent = true});
  wake({.agent = nux(), .at = start + Millis(5), .by_agent = false});
  wake({.agent = slit(), .at = start + Millis(6), .by_agent = true});
  auto wakes = [&](bool urgent, int since, int most) {
    return read([&](Ledger& ledger) {
      return must(ledger.wakes_by_agents(nux(), urgent, {start + Millis(since), start + Millis(100)}, most));
    });
  };
  EXPECT_EQ(wakes(false, 0, 10), (std::vector<Instant>{start + Millis(3), start + Millis(2), start + Millis(1)}));
  EXPECT_EQ(wakes(false, 2, 10), (std::vector<Instant>{start + Millis(3), start + Millis(2)}));
  EXPECT_EQ(wakes(false, 0, 1), std::vector<Instant>{start + Millis(3)});
  EXPECT_EQ(wakes(true, 0, 10), std::vector<Instant>{start + Millis(4)});
}

TEST_P(LifeLedgerContract, WakesOfEverybodyWithinAWindowAreListed) {
  const Instant start = clock().now();
  wake({.agent = nux(), .at = start, .by_agent = true});
  wake({.agent = slit(), .at = start + Millis(1), .by_agent = false, .urgent = true});
  wake({.agent = nux(), .at = start + Millis(2), .by_agent = true});
  const auto found = read([&](Ledger& ledger) { return must(ledger.wakes({start + Millis(1), start + Millis(1)})); });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].agent, slit());
  EXPECT_EQ(found[0].at, start + Millis(1));
  EXPECT_FALSE(found[0].by_agent);
  EXPECT_TRUE(found[0].urgent);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.wakes({start, start + Millis(9)})); }).size(), 3U);
}

TEST_P(LifeLedgerContract, WakesAreCountedForAnAgentAndForTheTownAndForgotten) {
  const Instant start = clock().now();
  wake({.agent = nux(), .at = start, .by_agent = true});
  wake({.agent = nux(), .at = start + Millis(1), .by_agent = false});
  wake({.agent = slit(), .at = start + Millis(2), .by_agent = true, .urgent = true});
  auto by_agents = [&](int since) {
    return read([&](Ledger& ledger) {
      return must(ledger.count_wakes_by_agents({start + Millis(since), start + Millis(100)}));
    });
  };
  auto of = [&](AgentId agent, int since) {
    return read([&](Ledger& ledger) {
      return must(ledger.count_wakes(agent, {start + Millis(since), start + Millis(100)}));
    });
  };
  EXPECT_EQ(by_agents(0), 2);
  EXPECT_EQ(by_agents(1), 1);
  EXPECT_EQ(by_agents(3), 0);
  EXPECT_EQ(of(nux(), 0), 2);
  EXPECT_EQ(of(nux(), 1), 1);
  EXPECT_EQ(of(slit(), 0), 1);
  write([&](Ledger& ledger) { must(ledger.forget_wakes(start + Millis(1))); });
  EXPECT_EQ(of(nux(), 0), 1);
  EXPECT_EQ(by_agents(0), 1);
  write([&](Ledger& ledger) { must(ledger.forget_wakes(start + Millis(9))); });
  wake({.agent = nux(), .at = start + Millis(9), .by_agent = true});
  EXPECT_EQ(by_agents(0), 1);
}

}  // namespace
}  // namespace townpost
