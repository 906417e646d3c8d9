// Rows tell the truth about what they do: what only reads leaves the store as it was.
#include <gtest/gtest.h>

#include "base/text.h"
#include "ops/op.h"
#include "security/every_operation.h"

namespace townpost {
namespace {

/// The call, and the call with each flag that it knows.
std::vector<std::pair<TestTown::Words, std::string_view>> variants(const Op& op, const TestTown::Words& call) {
  std::vector<std::pair<TestTown::Words, std::string_view>> out = {{call, ""}};
  for (const auto& arg : op.args) {
    if (arg.kind != ArgKind::flag || arg.name == "watch") continue;  // which looks again and again
    auto with = call;
    with.push_back("--" + std::string(arg.name));
    for (char& c : with.back()) c = c == '_' ? '-' : c;
    out.emplace_back(std::move(with), arg.name);
  }
  return out;
}

TEST(Effects, WhatARowSaysItReadsChangesNothing) {
  HostileTown town;
  const auto calls = call_of_each(town);
  int tried = 0;
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (op.name != entry.name || op.effect != Effect::reads) continue;
    // It brings the search index up to date, which nobody can notice; and there is no file to look through here.
    if (op.name == "mail.search" || op.name == "protocol.lint") continue;
    if (op.name == "attach" || op.name == "agent.peek") continue;  // nobody has a pane here
    const auto call = calls.find(op.name);
    ASSERT_NE(call, calls.end()) << op.name << " has no call";
    for (auto& [words, flag] : variants(op, call->second)) {
      auto by_victim = words;
      by_victim.insert(by_victim.end(), {"--as", "victim"});
      const auto attempt = town.attempt(CallerKind::person, by_victim);
      ++tried;
      if (flag.empty()) {
        EXPECT_TRUE(attempt.exit_code == 0 || attempt.exit_code == 1) << join(words, " ") << attempt.out;
      }
      EXPECT_EQ(attempt.changed, !flag.empty() && flag == op.changes_with) << join(words, " ") << ": " << attempt.out;
    }
  }
  EXPECT_GT(tried, 40);
}

}  // namespace
}  // namespace townpost
