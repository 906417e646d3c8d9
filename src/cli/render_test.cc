#include "cli/render.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

TEST(Render, ShowsNobodyJsonWhoDidNotAskForIt) {
  for (const auto& entry : op_table())
    EXPECT_NE(shown_as(entry.op()), ShownAs::json) << entry.name << " needs columns, a sentence or a renderer";
}

TEST(Render, SaysWhatWasChangedInASentence) {
  for (const auto& entry : op_table()) {
    if (entry.op().effect == Effect::reads) continue;
    EXPECT_NE(shown_as(entry.op()), ShownAs::card) << entry.name << " changes something: say what, in src/cli/told.cc";
  }
}

}  // namespace
}  // namespace townpost
