#include "post/nudge/nudges.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace townpost {
namespace {

TEST(NudgeMode, FitsTheBoundariesItIsMeantFor) {
  using enum Boundary;
  struct Case {
    NudgeMode mode;
    std::vector<Boundary> shown;
  };
  for (const auto& [mode, shown] : {Case{NudgeMode::wait_idle, {start, prompt, turn_end, Boundary::idle}},
                                    Case{NudgeMode::soon, {start, prompt, tool, turn_end, Boundary::idle}},
                                    Case{NudgeMode::immediate, {start, prompt, tool, turn_end, Boundary::idle, busy}},
                                    Case{NudgeMode::queue, {start, prompt, turn_end}}})
    for (const auto boundary : {start, prompt, tool, turn_end, Boundary::idle, busy})
      EXPECT_EQ(fits(mode, boundary), std::find(shown.begin(), shown.end(), boundary) != shown.end())
          << name(mode) << " at " << name(boundary);
}

}  // namespace
}  // namespace townpost
