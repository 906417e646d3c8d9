#include "crash/queue_judge.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/files.h"
#include "base/text.h"
#include "post/values/message.h"

namespace townpost {

namespace {

constexpr Sql kItems =
    "SELECT i.message, i.state, i.attempts, COALESCE(a.address, '') FROM queue_item i"
    " LEFT JOIN agent a ON a.id = i.holder";
constexpr Sql kHistory =
    "SELECT e.message, e.kind, COALESCE(a.address, ''), e.at FROM event e LEFT JOIN agent a ON a.id = e.agent"
    " WHERE e.kind <> 'stored' AND e.message IS NOT NULL ORDER BY e.seq";

}  // namespace

QueueJudge::QueueJudge(Database& database, const std::filesystem::path& evidence) {
  read_store(database);
  read_evidence(evidence);
}

void QueueJudge::read_store(Database& database) {
  auto read = [&](Sql sql, const auto& take) {
    const auto done = database.run(sql, {}, [&](const Row& row) {
      take(items_[MessageId{row.integer(0)}.str()], row);
      return Next::go_on;
    });
    if (!done) throw std::runtime_error(done.error().message);
  };
  read(kItems, [](Item& item, const Row& row) {
    item.state = row.integer(1);
    item.attempts = row.integer(2);
    item.holder = row.string(3);
  });
  read(kHistory, [](Item& item, const Row& row) {
    item.history.push_back({row.string(1), row.string(2), row.integer(3)});
  });
}

void QueueJudge::read_evidence(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) throw std::runtime_error(text.error().message);
  for (const auto line : split(*text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < 3) continue;
    const std::string who(words[1]), id(words[2]);
    if (words[0] == "claimed" && words.size() == 4)
      claimed_[id][std::stoll(std::string(words[3]))].push_back(who);
    else if (words[0] == "completed")
      completed_[id].push_back(who);
    else if (words[0] == "refused")
      ++refused_;
    else
      errors_.emplace_back(line);
  }
}

void QueueJudge::expect_sound_history(const std::string& id, const Item& item, Millis lease) const {
  std::vector<std::string> claimants;
  bool leased = false, completed = false;
  std::int64_t since = 0;
  for (const auto& step : item.history) {
    EXPECT_FALSE(completed) << id << " was " << step.kind << " after it was completed";
    if (step.kind == "claimed") {
      EXPECT_FALSE(leased) << id << " was claimed by " << step.who << " while " << claimants.back() << " had it";
      claimants.push_back(step.who);
      leased = true;
      since = step.at;
    } else if (step.kind == "lease-ended") {
      EXPECT_TRUE(leased) << id << " lost a lease that nobody had";
      EXPECT_GE(step.at - since, lease.count()) << id << " was taken from " << step.who << " before its time";
      leased = false;
    } else if (step.kind == "completed") {
      EXPECT_EQ(step.who, claimants.empty() ? "" : claimants.back()) << id << " was completed by somebody else";
      completed = true;
    } else {
      ADD_FAILURE() << id << " was " << step.kind;
    }
  }
  EXPECT_TRUE(completed) << id << " was never completed";
  EXPECT_EQ(item.state, 2) << id;
  EXPECT_EQ(item.attempts, static_cast<std::int64_t>(claimants.size())) << id;
  EXPECT_EQ(item.holder, claimants.empty() ? "" : claimants.back()) << id;

  // What workers were told is what the store did; it may have done more, for those who were killed before they noted
  // it.
  if (const auto told = claimed_.find(id); told != claimed_.end())
    for (const auto& [attempt, by] : told->second) {
      ASSERT_EQ(by.size(), 1u) << id << " was handed to two in attempt " << attempt;
      ASSERT_LE(static_cast<std::size_t>(attempt), claimants.size()) << id;
      EXPECT_EQ(by[0], claimants[static_cast<std::size_t>(attempt) - 1]) << id << ", attempt " << attempt;
    }
  if (const auto told = completed_.find(id); told != completed_.end()) {
    EXPECT_EQ(told->second, std::vector<std::string>{item.holder}) << id;
  }
}

void QueueJudge::expect_each_completed_once_by_its_holder(std::int64_t messages, Millis lease) const {
  EXPECT_EQ(errors_, std::vector<std::string>());
  EXPECT_EQ(static_cast<std::int64_t>(items_.size()), messages);
  for (const auto& [id, item] : items_) {
    expect_sound_history(id, item, lease);
    if (testing::Test::HasFailure()) break;  // one story is enough to look at
  }
  for (const auto& [id, by] : completed_) EXPECT_TRUE(items_.count(id) > 0) << id << " was never in the queue";
}

std::int64_t QueueJudge::came_back() const {
  std::int64_t out = 0;
  for (const auto& [id, item] : items_)
    if (item.attempts > 1) ++out;
  return out;
}

}  // namespace townpost
