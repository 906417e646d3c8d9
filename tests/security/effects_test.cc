// Rows tell the truth about what they do: what only reads leaves the store as it was.
#include <gtest/gtest.h>

#include <set>

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
      // To a person at a terminal it would only be a preview.
      const bool changes = !flag.empty() && flag == op.changes_with;
      const auto attempt = town.attempt(changes ? CallerKind::script : CallerKind::person, by_victim);
      ++tried;
      if (flag.empty()) {
        EXPECT_TRUE(attempt.exit_code == 0 || attempt.exit_code == 1) << join(words, " ") << attempt.out;
      }
      EXPECT_EQ(attempt.changed, changes) << join(words, " ") << ": " << attempt.out;
    }
  }
  EXPECT_GT(tried, 40);
}

/// What is to happen first, so that a call has something to do.
TestTown::Words before(std::string_view op, const HostileTown& town) {
  if (op == "trust") return {"trust", "--remove", "."};
  if (op == "mail.mark-unread") return {"mail", "ack", town.mail()};
  if (op == "mail.unarchive") return {"mail", "archive", town.mail()};
  if (op == "mail.unpin") return {"mail", "pin", town.mail()};
  if (op == "channel.unsubscribe") return {"channel", "subscribe", "news"};
  if (op == "channel.reopen") return {"channel", "close", "news"};
  if (op == "queue.resume") return {"queue", "pause", "jobs"};
  if (op == "dnd.off") return {"dnd", "on", "victim"};
  if (op == "release") return {"hold", "--all"};
  if (op == "config.unset") return {"config", "set", "limits.enabled", "false"};
  if (op == "harness.uninstall") return {"harness", "install", "claude"};
  return {"whoami"};
}

TEST(Effects, WhatARowSaysIsTheSameOnceAndTwiceIsNotRefusedAndChangesNothingTheSecondTime) {
  // Where nothing is out of order, runs, was taken or is old enough, they have nothing to do; a service stands outside
  // of the town.
  const std::set<std::string_view> idle = {
      "agent.report",      "doctor",       "down", "mail.drain", "nudge.confirm", "nudge.wait", "service.install",
      "service.uninstall", "store.migrate"};
  HostileTown town;
  auto calls = call_of_each(town);
  calls["init"] = {"init", "elsewhere", "--nested"};
  calls["mail.archive"] = {"mail", "archive", town.mail()};
  calls["harness.install"] = {"harness", "install", "claude"};
  int tried = 0;
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (op.name != entry.name || op.effect != Effect::idempotent) continue;
    if (op.name == "stop") continue;  // nobody runs an agent here
    const auto call = calls.find(op.name);
    ASSERT_NE(call, calls.end()) << op.name << " has no call";
    const bool for_people = op.authority.who() == Who::person || op.authority.who() == Who::coordinator;
    std::vector<TestTown::Words> words = {before(op.name, town), call->second, call->second};
    for (auto& one : words) one.insert(one.end(), {"--as", for_people ? "overseer" : "victim"});
    const auto attempts = town.attempts(CallerKind::person, words);
    const auto& first = attempts[1];
    const auto& second = attempts[2];
    const auto told = cat(join(call->second, " "), ": ", first.out, second.out);
    ++tried;
    EXPECT_EQ(first.changed, !idle.contains(op.name)) << told;
    EXPECT_EQ(second.exit_code, first.exit_code) << told;
    EXPECT_FALSE(second.changed) << told;
    EXPECT_TRUE(first.exit_code == 0 || idle.contains(op.name)) << told;
  }
  EXPECT_GT(tried, 30);
}

}  // namespace
}  // namespace townpost
