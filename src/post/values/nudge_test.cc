#include "post/values/nudge.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"

namespace townpost {
namespace {

TEST(NudgeId, GrowsWithEveryNudgeAndIsReadBack) {
  SeededRandom random(3);
  NudgeId before{0};
  for (std::int64_t seq = 1; seq < 200; ++seq) {
    const auto id = NudgeId::make(seq, random);
    EXPECT_GT(id, before);
    EXPECT_EQ(*NudgeId::parse(id.str()), id);
    before = id;
  }
}

TEST(NudgeId, IsNotTheIdOfAMessage) {
  for (const auto* text : {"", "hq-n-", "hq-m-1a2b3c", "1a2b3c", "hq-n-01", "hq-n-1A", "hq-n-i", "hq-n-1a 2",
                           "hq-n-zzzzzzzzzzzzz", "HQ-N-1"}) {
    const auto parsed = NudgeId::parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, Code::not_found);
    EXPECT_FALSE(parsed.error().hint.empty());
  }
}

TEST(NudgeMode, HasAName) {
  for (const auto mode : {NudgeMode::wait_idle, NudgeMode::immediate, NudgeMode::soon, NudgeMode::queue})
    EXPECT_EQ(*parse_nudge_mode(name(mode)), mode);
  for (const auto* text : {"", "now", "Immediate", "wait_idle", "queue "}) {
    const auto parsed = parse_nudge_mode(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, Code::usage);
    EXPECT_EQ(parsed.error().argument, "mode");
    EXPECT_EQ(parsed.error().message, std::string("invalid mode: \"") + text + "\" is none");
  }
}

TEST(NudgeState, HasANameAndEndsInDelivered) {
  for (int i = 0; i <= static_cast<int>(NudgeState::lost); ++i) {
    const auto state = static_cast<NudgeState>(i);
    EXPECT_EQ(find_nudge_state(name(state)), state);
    EXPECT_EQ(is_terminal(state),
              state != NudgeState::queued && state != NudgeState::leased && state != NudgeState::handed);
  }
  EXPECT_EQ(find_nudge_state("pending"), std::nullopt);
}

TEST(NudgeSource, IsWhatSomebodySpeaksAs) {
  auto source = [](std::string_view address) { return name(source_of(*Address::parse(address))); };
  EXPECT_EQ(source("beads/witness"), "witness");
  EXPECT_EQ(source("beads/refinery"), "refinery");
  EXPECT_EQ(source("deacon/"), "deacon");
  EXPECT_EQ(source("overseer"), "user");
  EXPECT_EQ(source("user"), "user");
  EXPECT_EQ(source_of(Address::system()), NudgeSource::system);
  for (const auto* agent : {"mayor/", "beads/polecats/nux", "beads/crew/max", "deacon/dogs/rex"})
    EXPECT_EQ(source(agent), "agent") << agent;
}

TEST(NudgeKind, IsToldByTheFirstWord) {
  EXPECT_EQ(name(kind_of("DOG_DONE: sweep success")), "dog_done");
  EXPECT_EQ(name(kind_of("  HEALTH_CHECK\nare you there?")), "health_check");
  EXPECT_EQ(name(kind_of("TIMER")), "timer");
  for (const auto* text : {"", "hello", "the TIMER rang", "TIMERS", "TIMER-2", "timer: low", "DOG_DONE2", "MAIL"})
    EXPECT_EQ(name(kind_of(text)), "text") << text;
}

/// Every mode at every boundary, in words.
RC_GTEST_PROP(NudgeId, OfAnyTextIsSpelledAsItWasReadOrNothing, (const std::string& text)) {
  if (const auto id = NudgeId::parse("hq-n-" + text)) RC_ASSERT(id->str() == "hq-n-" + text);
}

}  // namespace
}  // namespace townpost
