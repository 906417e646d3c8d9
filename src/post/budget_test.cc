#include "post/budget.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

TEST(ProtocolSubject, StartsWithAnUpperCaseWord) {
  for (const auto* subject : {"MERGED nux", "MERGE_READY nux", "HELP: stuck", "POLECAT_DONE nux", "Re: MERGED nux",
                              "\xF0\x9F\xA4\x9D HANDOFF: session ends", "WITNESS_PING", "  HELP: spaces"})
    EXPECT_TRUE(looks_like_protocol(subject)) << subject;
  for (const auto* subject : {"", "Merged nux", "merged", "FYI: lunch", "OK", "M", "A plan", "HELP! me",
                              "MERGE-READY x", "1234 numbers", "\xF0\x9F\xA4\x9D", "MERGEd nux", "Re: hello"})
    EXPECT_FALSE(looks_like_protocol(subject)) << subject;
}

}  // namespace
}  // namespace townpost
