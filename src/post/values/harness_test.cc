#include "post/values/harness.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

using Kind = Harness::Kind;

TEST(Harness, IsKnownByItsWord) {
  const auto expect = [](const char* word, Kind kind, const char* program) {
    const auto harness = Harness::of_word(word);
    EXPECT_EQ(harness.kind(), kind) << word;
    EXPECT_EQ(harness.program(), program) << word;
    EXPECT_EQ(harness.word(), word);
  };
  expect("", Kind::unknown, "");
  expect("claude", Kind::hooked, "claude");
  expect("codex", Kind::named, "codex");
  expect("tmuxinator", Kind::named, "tmuxinator");
  expect("opencode", Kind::server, "opencode");
  expect("stream", Kind::stream, "");
  expect("terminal", Kind::terminal, "");
  expect("tmux", Kind::typed, "");
  expect("tmux/codex", Kind::typed, "codex");
}

TEST(Harness, AnAgentThatIsOnlyTypedToHasNoHooks) {
  EXPECT_EQ(Harness::typed("claude"), Harness::of_word("tmux/claude"));
  EXPECT_FALSE(Harness::typed("claude").is(Kind::hooked));
}

}  // namespace
}  // namespace townpost
