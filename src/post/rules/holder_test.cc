#include "post/rules/holder.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

bool is_previous(const std::string& bead, const std::string& hook) {
  return is_for_previous_holder(Delivery{.bead = bead}, Care{.holds = HeldBead::of_word(hook)});
}

TEST(Holder, WhatNamesABeadIsForWhoeverWorksOnIt) {
  EXPECT_FALSE(is_previous("gp-1", "gp-1"));
  EXPECT_TRUE(is_previous("gp-1", "gp-2"));
  EXPECT_TRUE(is_previous("gp-1", "gp-10")) << "ids are compared whole";
}

TEST(Holder, WhoGaveTheirBeadUpHoldNone) { EXPECT_TRUE(is_previous("gp-1", "-")); }

TEST(Holder, WithoutWordOnBeadsEverythingFits) {
  EXPECT_FALSE(is_previous("gp-1", "")) << "nobody ever told what the recipient works on";
  for (const auto* hook : {"", "-", "gp-1"}) EXPECT_FALSE(is_previous("", hook)) << "no bead is named";
}

TEST(Holder, TheNoteNamesTheBead) { EXPECT_EQ(previous_holder_text("gp-1"), "for the previous holder (bead gp-1)"); }

}  // namespace
}  // namespace townpost
