#include "post/values/presence.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "base/utf8.h"

namespace townpost {
namespace {

Presence full() {
  return {.agent = {5},
          .state = AgentState::blocked,
          .incarnation = "session-1",
          .harness = Harness::of_word("claude"),
          .session = "tmux:%5",
          .host = "höst",
          .pid = 4711,
          .transcript = "/home/a \"b\"/t.jsonl",
          .detail = "permission for Bash\nwith a newline",
          .started_at = {1'700'000'000'001},
          .since = {1'700'000'000'002},
          .last_activity = {1'700'000'000'003},
          .tool_running = true,
          .supervised = true,
          .continuations = 6};
}

TEST(PresenceText, IsReadAsItWasWritten) {
  EXPECT_EQ(presence_from(to_line(full())), full());
  EXPECT_EQ(presence_from(to_line(Presence{})), Presence{});
  const std::string text = to_line(full());
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line";
}

TEST(PresenceText, KnowsEveryStateByName) {
  for (int i = 0; i <= static_cast<int>(AgentState::deaf); ++i) {
    const auto state = static_cast<AgentState>(i);
    EXPECT_EQ(find_agent_state(name(state)), state);
    EXPECT_EQ(presence_from(to_line({.state = state}))->state, state);
  }
  EXPECT_EQ(find_agent_state("asleep"), std::nullopt);
  EXPECT_EQ(find_agent_state(""), std::nullopt);
}

TEST(PresenceText, GarbageIsNothing) {
  const std::string good = to_line(full());
  for (const std::string& garbage :
       {std::string(), std::string("\n"), std::string("{}"), std::string("[]"), std::string("null"),
        std::string("{\"state\":7}"), std::string("{\"state\":\"asleep\"}"), good.substr(0, good.size() / 2),
        std::string("\xff\xff"), std::string(100, '['), cat(good, good)})
    EXPECT_EQ(presence_from(garbage), std::nullopt) << for_terminal_line(garbage);
}

TEST(PresenceText, MembersOfAnotherKindCountAsMissing) {
  EXPECT_EQ(presence_from(R"({"state":"idle","agent":"five","pid":1.5,"incarnation":3,"tool_running":null})"),
            Presence{.state = AgentState::idle});
  EXPECT_EQ(presence_from(R"({"state":"idle","of a later release":[1]})"), Presence{.state = AgentState::idle});
}

TEST(AgentStates, OnlyIdleOnesTakeATurnAndOnlyEndedOnesAreOver) {
  for (int i = 0; i <= static_cast<int>(AgentState::deaf); ++i) {
    const auto state = static_cast<AgentState>(i);
    EXPECT_EQ(is_idle(state), state == AgentState::idle || state == AgentState::waiting) << name(state);
    EXPECT_EQ(is_over(state), state == AgentState::exited || state == AgentState::dead) << name(state);
  }
}

TEST(PresenceFiles, AreWrittenWhereNoFolderWasAndReadBack) {
  const auto town = *TemporaryFolder::make("presence");
  const PresenceFiles files(town.path());
  EXPECT_EQ(files.read({5}), std::nullopt);
  files.write(full());
  EXPECT_EQ(files.read({5}), full());
  EXPECT_EQ(files.read({6}), std::nullopt);
  Presence later = full();
  later.state = AgentState::idle;
  files.write(later);
  EXPECT_EQ(files.read({5}), later);
}

TEST(PresenceFiles, ThoseOfSomebodyElseOrDamagedOnesAreNothing) {
  const auto town = *TemporaryFolder::make("presence");
  const PresenceFiles files(town.path());
  files.write(full());
  ASSERT_TRUE(write_file_lightly(files.folder() / "6", to_line(full())));
  EXPECT_EQ(files.read({6}), std::nullopt) << "copied from another";
  ASSERT_TRUE(write_file_lightly(files.folder() / "5", "{\"agent\":5,\"sta"));
  EXPECT_EQ(files.read({5}), std::nullopt) << "cut off by a crash";
  files.write(full());
  EXPECT_EQ(files.read({5}), full()) << "and written again";
}

TEST(PresenceFiles, WhatCannotBeWrittenIsNoTrouble) {
  const auto town = *TemporaryFolder::make("presence");
  ASSERT_TRUE(write_file_lightly(town.path() / "run", "a file where the folder would be"));
  const PresenceFiles files(town.path());
  files.write(full());
  EXPECT_EQ(files.read({5}), std::nullopt);
}

TEST(HeldBead, WhoWasToldOfNoBeadHoldsNoneWhateverItIsCalled) {
  EXPECT_FALSE(HeldBead().is_told());
  EXPECT_TRUE(HeldBead::told("").is_told());
  EXPECT_EQ(HeldBead::told("").bead(), "");
  for (const auto* none : {"", "-"}) EXPECT_FALSE(HeldBead::told("").is(none)) << none;
  EXPECT_FALSE(HeldBead().is(""));
  EXPECT_TRUE(HeldBead::told("gp-1").is("gp-1"));
  EXPECT_FALSE(HeldBead::told("gp-1").is("gp-10")) << "ids are compared whole";
}

TEST(HeldBead, IsReadAsItWasKept) {
  for (const auto& bead : {HeldBead(), HeldBead::told(""), HeldBead::told("gp-1")})
    EXPECT_EQ(HeldBead::of_word(bead.word()), bead);
}

TEST(Care, DisturbsAndHoldsUntilTheInstantThatWasSaid) {
  const Instant now{1'000};
  Care care;
  EXPECT_FALSE(care.dnd(now) || care.held(now));
  care.dnd_until = now;
  care.hold_until = now;
  EXPECT_TRUE(care.dnd(now - Millis(1)) && care.held(now - Millis(1)));
  EXPECT_FALSE(care.dnd(now) || care.held(now));
  care.hold_until = kForever;
  EXPECT_TRUE(care.held(now + std::chrono::hours(24 * 365 * 100)));
}

RC_GTEST_PROP(PresenceText, SurvivesTheWayThroughAFile, ()) {
  Presence wanted;
  wanted.agent = {*rc::gen::arbitrary<std::int64_t>()};
  wanted.state = static_cast<AgentState>(*rc::gen::inRange(0, static_cast<int>(AgentState::deaf) + 1));
  for (auto* text : {&wanted.incarnation, &wanted.session, &wanted.host, &wanted.transcript, &wanted.detail})
    *text = to_utf8(*rc::gen::string<std::string>());
  wanted.harness = Harness::of_word(to_utf8(*rc::gen::string<std::string>()));
  wanted.pid = *rc::gen::arbitrary<int>();
  wanted.started_at = {*rc::gen::arbitrary<std::int64_t>()};
  wanted.since = {*rc::gen::arbitrary<std::int64_t>()};
  wanted.last_activity = {*rc::gen::arbitrary<std::int64_t>()};
  wanted.tool_running = *rc::gen::arbitrary<bool>();
  wanted.supervised = *rc::gen::arbitrary<bool>();
  wanted.continuations = *rc::gen::arbitrary<int>();
  RC_ASSERT(presence_from(to_line(wanted)) == wanted);
}

RC_GTEST_PROP(PresenceText, OfAnythingIsAPresenceOrNothing, (const std::string& text)) {
  if (const auto read = presence_from(text)) RC_ASSERT(presence_from(to_line(*read)) == read);
}

}  // namespace
}  // namespace townpost
