// gt mail claim, complete, fail, release, extend: work from queues, and waiting for it.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "cli/expect.h"
#include "support/await.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class ClaimCommands : public testing::Test {
 protected:
  ClaimCommands() {
    town.rigs({"beads"});
    town.agents({"alice", "bob", "beads/polecats/nux"});
    town.json({"queue", "create", "dispatch"});
  }
  std::string put(const std::string& queue = "dispatch", const std::string& body = "what to do") const {
    return town.send("overseer", "queue:" + queue, "work", {"-m", body});
  }
  std::string claim(const std::string& who, const Words& more = {}) const {
    return text_at(town.json(with({"mail", "claim", "--as", who}, more)), "id");
  }
  std::string state_after(const Words& words) const { return text_at(town.json(words).at(0), "state"); }
  TestTown town;
};

TEST_F(ClaimCommands, AClaimShowsTheMessageAndHowLongItIsYours) {
  const auto id = put();
  const auto mail = town.json({"mail", "claim", "dispatch", "--as", "alice"});
  EXPECT_EQ(text_at(mail, "id"), id);
  EXPECT_EQ(text_at(mail, "body"), "what to do");
  EXPECT_EQ(text_at(mail, "queue"), "dispatch");
  EXPECT_EQ(text_at(mail, "queue_state"), "processing");
  EXPECT_EQ(text_at(mail, "claimed_by"), "alice");
  EXPECT_TRUE(is_instant(text_at(mail, "claimed_at")));
  EXPECT_TRUE(is_instant(text_at(mail, "lease_until")));
  EXPECT_EQ(number_at(mail, "attempts"), 1);
  const auto labels = texts_in(value_at(mail, "labels"));
  for (const auto& label :
       {std::string("queue:dispatch"), std::string("claimed-by:alice"), "claimed-at:" + text_at(mail, "claimed_at")})
    EXPECT_NE(std::find(labels.begin(), labels.end(), label), labels.end()) << label;
}

TEST_F(ClaimCommands, InTextItEndsWithWhatToTypeNext) {
  const auto id = put();
  const auto text = town.gt({"mail", "claim", "dispatch", "--as", "alice"}).out;
  for (const auto& part : {std::string("what to do"), std::string("attempt 1"), "gt mail complete " + id,
                           "gt mail fail " + id, "gt mail release " + id, "gt mail extend " + id})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  put();
  EXPECT_EQ(lines_of(town.gt({"mail", "claim", "-q", "--as", "alice"}).out).size(), 1u);
}

TEST_F(ClaimCommands, NothingToClaimExitsOneInTextAndJson) {
  const auto text = town.gt({"mail", "claim", "dispatch", "--as", "alice"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_EQ(text.out, "nothing to claim\n");
  EXPECT_EQ(text.err, "");
  const auto json = town.gt({"mail", "claim", "--as", "alice", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(json.out, "null\n");
  const auto quiet = town.gt({"mail", "claim", "-q", "--as", "alice"});
  EXPECT_EQ(quiet.exit_code, 1);
  EXPECT_EQ(quiet.out, "");
}

TEST_F(ClaimCommands, ALongBodyIsCutInAPipeUnlessAllOfItIsWanted) {
  const std::string body(20'000, 'x');
  put("dispatch", body);
  put("dispatch", body);
  const auto cut = town.gt({"mail", "claim", "--as", "alice"}).out;
  EXPECT_LT(cut.size(), body.size());
  EXPECT_NE(cut.find("--full"), std::string::npos) << cut.substr(cut.size() - 400);
  EXPECT_NE(town.gt({"mail", "claim", "--full", "--as", "alice"}).out.find(body), std::string::npos);
}

TEST_F(ClaimCommands, WithoutAQueueTheOldestOfAllComesFirst) {
  town.json({"queue", "create", "alpha"});
  const auto first = put("dispatch");
  const auto second = put("alpha");
  EXPECT_EQ(claim("alice"), first);
  EXPECT_EQ(claim("alice"), second);
}

TEST_F(ClaimCommands, CompleteEndsIt) {
  const auto id = put();
  claim("alice");
  EXPECT_EQ(town.json({"mail", "complete", id, "--as", "alice"}), (Json{{{"id", id}, {"state", "completed"}}}));
  EXPECT_EQ(state_after({"queue", "complete", id, "--as", "alice"}), "completed") << "again is no error";
  EXPECT_EQ(town.gt({"mail", "complete", id, "--as", "alice"}).out, id + " completed\n");
  EXPECT_EQ(town.gt({"mail", "complete", id, "--as", "alice", "-q"}).out, id + "\n");
}

TEST_F(ClaimCommands, FailGivesItToTheNextWithItsReason) {
  const auto id = put();
  claim("alice");
  EXPECT_EQ(state_after({"mail", "fail", id, "--reason", "tests are red", "--as", "alice"}), "available");
  const auto again = town.json({"mail", "claim", "--as", "bob"});
  EXPECT_EQ(number_at(again, "attempts"), 2);
  EXPECT_EQ(text_at(again, "reason"), "tests are red");
  expect_refused_untouched(town, {"mail", "fail", id, "--reason", std::string(501, 'x'), "--as", "bob"},
                           {2, "usage", "reason"});
}

TEST_F(ClaimCommands, ReleaseGivesTheAttemptBack) {
  const auto id = put();
  claim("alice");
  EXPECT_EQ(state_after({"mail", "release", id, "--as", "alice"}), "available");
  EXPECT_EQ(number_at(town.json({"mail", "claim", "--as", "bob"}), "attempts"), 1);
}

TEST_F(ClaimCommands, ExtendMovesTheEndOfTheLease) {
  const auto id = put();
  const auto until = text_at(town.json({"mail", "claim", "--as", "alice"}), "lease_until");
  EXPECT_EQ(state_after({"mail", "extend", id, "--lease", "2h", "--as", "alice"}), "processing");
  const auto now = text_at(value_at(town.json({"queue", "show", "dispatch"}), "claims").at(0), "lease_until");
  EXPECT_GT(now, until);
}

TEST_F(ClaimCommands, SeveralAtOnceEachForItself) {
  const auto first = put();
  const auto second = put();
  claim("alice");
  claim("alice");
  const auto done = town.json({"mail", "complete", first, second, "--as", "alice"});
  EXPECT_EQ(texts_in(done, "state"), (Texts{"completed", "completed"}));
  const auto third = put();
  const auto fourth = put();
  claim("alice");
  const auto part = town.gt({"mail", "complete", third, fourth, "--as", "alice", "--json"});
  EXPECT_EQ(part.exit_code, 9);
  EXPECT_NE(part.out.find("not claimed"), std::string::npos) << part.out;
}

// G164
TEST_F(ClaimCommands, WhatIsNotYoursIsRefused) {
  const auto id = put();
  const auto mail = town.send("overseer", "alice", "no work");
  town.json({"queue", "create", "secret", "--claimers", "beads/polecats/*"});
  for (const auto* verb : {"complete", "fail", "release", "extend"}) {
    expect_refused_untouched(town, {"mail", verb, id, "--as", "alice"}, {5, "refused", "not claimed"});
    expect_refused_untouched(town, {"mail", verb, mail, "--as", "alice"}, {5, "refused", "not a queue message"});
    expect_refused_untouched(town, {"mail", verb, "hq-m-zzzzz", "--as", "alice"}, {4, "not_found", "hq-m-zzzzz"});
    expect_refused_untouched(town, {"mail", verb, "garbage", "--as", "alice"}, {4, "not_found", "garbage"});
    expect_refused_untouched(town, {"mail", verb, "1", "--as", "alice"}, {4, "not_found", "nothing was listed"});
    expect_refused_untouched(town, {"mail", verb, "--as", "alice"}, {2, "usage", "ID"});
  }
  claim("alice");
  for (const auto* verb : {"complete", "fail", "release", "extend"})
    expect_refused_untouched(town, {"mail", verb, id, "--as", "bob"}, {5, "refused", "was claimed by alice"});
  expect_refused_untouched(town, {"mail", "claim", "secret", "--as", "alice"}, {5, "forbidden", "may not claim"});
  expect_refused_untouched(town, {"mail", "claim", "nothing", "--as", "alice"}, {4, "not_found", "queue not found"});
  expect_refused_untouched(town, {"mail", "claim", "--as", "nobody"}, {4, "not_found", "nobody"});
  expect_refused_untouched(town, {"mail", "claim", "dispatch", "--wait=soon", "--as", "alice"}, {2, "usage", "wait"});
  expect_refused_untouched(town, {"mail", "extend", id, "--lease", "soon", "--as", "alice"}, {2, "usage", "lease"});
}

TEST_F(ClaimCommands, AnExtensionIsNeverShorterThanTheShortestLease) {
  const auto id = put();
  claim("alice");
  for (const auto* none : {"0s", "1ms", "999ms"})
    expect_refused_untouched(town, {"mail", "extend", id, "--lease", none, "--as", "alice"}, {2, "usage", "lease"});
  expect_refused_untouched(town, {"mail", "extend", id, "--lease", "366d", "--as", "alice"}, {2, "usage", "lease"});
}

TEST_F(ClaimCommands, WaitingInVainExitsEight) {
  expect_refused_untouched(town, {"mail", "claim", "dispatch", "--wait=50ms", "--as", "alice"},
                           {8, "timeout", "nothing to claim"});
  expect_refused_untouched(town, {"mail", "claim", "--wait=50ms", "--as", "alice"}, {8, "timeout", "nothing to claim"});
}

TEST_F(ClaimCommands, TheWordBehindWaitIsTheQueue) {
  const auto id = put();
  EXPECT_EQ(claim("alice", {"--wait", "dispatch"}), id);
}

/// Starts `gt mail claim --wait` in the background and returns once it watches the bell.
std::future<ProcessOutput> waiting_claim(const TestTown& town, const Words& more, const std::string& bell) {
  fs::remove_all(town.folder() / ".town" / "run" / "bell");  // so that the waiter's bell is a new one
  auto waiter = std::async(std::launch::async, [&town, more] {
    return town.gt(with({"mail", "claim", "--wait=100s", "--as", "alice", "-q"}, more));
  });
  await("it listens", [&] { return fs::exists(town.folder() / ".town" / "run" / "ear" / bell); });
  return waiter;
}

// Without being woken, a waiter looks again after 15 s; that would be too late here.
constexpr auto kBeforeTheNextLook = std::chrono::seconds(12);

std::string claimed_by(std::future<ProcessOutput>& waiter) {
  if (waiter.wait_for(kBeforeTheNextLook) != std::future_status::ready) return "nobody woke it";
  const auto output = waiter.get();
  return output.exit_code == 0 ? lines_of(output.out).at(0) : output.err;
}

TEST_F(ClaimCommands, AWaiterIsWokenByASend) {
  auto at_its_queue = waiting_claim(town, {"dispatch"}, "q1");
  const auto first = put();
  EXPECT_EQ(claimed_by(at_its_queue), first);
  auto at_all_queues = waiting_claim(town, {}, "queues");
  const auto second = put();
  EXPECT_EQ(claimed_by(at_all_queues), second);
}

TEST_F(ClaimCommands, AWaiterIsWokenByWorkThatIsGivenBack) {
  const auto id = put();
  for (const auto* verb : {"release", "fail"}) {
    ASSERT_EQ(claim("bob"), id);
    auto waiter = waiting_claim(town, {"dispatch"}, "q1");
    town.json({"mail", verb, id, "--as", "bob"});
    EXPECT_EQ(claimed_by(waiter), id) << verb;
    town.json({"mail", "release", id, "--as", "alice"});
  }
}

TEST_F(ClaimCommands, AWaiterIsWokenByALeaseThatRunsOut) {
  town.json({"queue", "create", "quick", "--lease", "1s"});
  const auto id = put("quick");
  ASSERT_EQ(claim("bob", {"quick"}), id);
  auto waiter = waiting_claim(town, {"quick"}, "q2");
  EXPECT_EQ(claimed_by(waiter), id);
}

TEST_F(ClaimCommands, AWaiterIsWokenByARetryAndByAResume) {
  town.json({"queue", "create", "narrow", "--max-attempts", "1"});
  const auto id = put("narrow");
  claim("bob", {"narrow"});
  town.json({"mail", "fail", id, "--as", "bob"});
  auto waiter = waiting_claim(town, {"narrow"}, "q2");
  town.json({"queue", "retry", id});
  EXPECT_EQ(claimed_by(waiter), id);
  town.json({"mail", "release", id, "--as", "alice"});
  town.json({"queue", "pause", "narrow"});
  auto paused = waiting_claim(town, {"narrow"}, "q2");
  town.json({"queue", "resume", "narrow"});
  EXPECT_EQ(claimed_by(paused), id);
}

TEST_F(ClaimCommands, AWaiterIsWokenByRoomForAnother) {
  town.json({"queue", "create", "narrow", "--max-concurrency", "1"});
  const auto first = put("narrow");
  const auto second = put("narrow");
  ASSERT_EQ(claim("bob", {"narrow"}), first);
  auto waiter = waiting_claim(town, {"narrow"}, "q2");
  town.json({"mail", "complete", first, "--as", "bob"});
  EXPECT_EQ(claimed_by(waiter), second);
}

TEST_F(ClaimCommands, OfManyWaitersOneGetsIt) {
  std::vector<std::future<ProcessOutput>> waiters;
  for (int i = 0; i < 4; ++i)
    waiters.push_back(std::async(std::launch::async, [&] {
      return town.gt({"mail", "claim", "dispatch", "--wait=5s", "--as", "alice", "-q"});
    }));
  const auto id = put();
  int got = 0;
  for (auto& waiter : waiters) {
    const auto output = waiter.get();
    if (output.exit_code == 0) {
      ++got;
      EXPECT_EQ(output.out, id + "\n");
    } else {
      EXPECT_EQ(output.exit_code, 8) << output.err;
    }
  }
  EXPECT_EQ(got, 1);
}

}  // namespace
}  // namespace townpost
