#include "crash/queue_judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/files.h"
#include "base/text.h"
#include "post/values/message.h"

namespace townpost {

namespace {

constexpr Sql kItems =
    "SELECT i.message, i.state, i.attempts, COALESCE(a.address, '') FROM queue_item i"
    " LEFT JOIN agent a ON a.id = i.holder";
// Of messages in queues, and of quarantine.
constexpr Sql kHistory = R"sql(
  SELECT COALESCE(e.message, 0), e.kind, COALESCE(a.address, ''), e.at, e.detail, COALESCE(m.sent_from, '')
    FROM event e LEFT JOIN agent a ON a.id = e.agent LEFT JOIN message m ON m.id = e.message
   WHERE e.kind IN ('quarantined', 'quarantine lifted')
      OR EXISTS (SELECT 1 FROM queue_item i WHERE i.message = e.message)
   ORDER BY e.seq)sql";

void read(Database& database, Sql sql, const std::function<void(const Row&)>& take) {
  const auto done = database.run(sql, {}, [&](const Row& row) {
    take(row);
    return Next::go_on;
  });
  if (!done) throw std::runtime_error(done.error().message);
}

}  // namespace

QueueJudge::QueueJudge(Database& database, const std::filesystem::path& evidence) {
  read_store(database);
  read_evidence(evidence);
}

void QueueJudge::read_store(Database& database) {
  read(database, kItems, [&](const Row& row) {
    const auto id = MessageId{row.integer(0)}.str();
    stories_[id] = {.id = id, .state = row.integer(1), .attempts = row.integer(2), .holder = row.string(3)};
  });
  std::set<std::string> in_quarantine;
  read(database, kHistory, [&](const Row& row) {
    const auto kind = row.string(1), who = row.string(2);
    if (kind == "quarantined") {
      in_quarantine.insert(who);
    } else if (kind == "quarantine lifted") {
      in_quarantine.erase(who);
    } else {
      stories_[MessageId{row.integer(0)}.str()].history.push_back(
          {.kind = kind,
           .who = who,
           .at = row.integer(3),
           .detail = row.string(4),
           .in_quarantine = in_quarantine.contains(row.string(5))});
    }
  });
}

void QueueJudge::read_evidence(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) throw std::runtime_error(text.error().message);
  const std::set<std::string> kinds = {"claimed", "completed", "failed", "released", "extended"};
  for (const auto line : split(*text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < 3) continue;
    const std::string kind(words[0]), id(words[2]);
    if (kind == "refused") {
      ++refused_;
    } else if (const auto story = stories_.find(id); story != stories_.end() && kinds.contains(kind)) {
      story->second.told.push_back({.kind = kind,
                                    .who = std::string(words[1]),
                                    .attempt = words.size() > 3 ? std::stoll(std::string(words[3])) : 0});
    } else {
      errors_.emplace_back(line);
    }
  }
}

void QueueJudge::expect_sound_stories(std::int64_t messages, const QueueRules& rules) const {
  EXPECT_EQ(errors_, std::vector<std::string>());
  EXPECT_EQ(static_cast<std::int64_t>(stories_.size()), messages);
  for (const auto& [id, story] : stories_) {
    const auto found = fault(story, rules);
    if (found.empty()) continue;
    ADD_FAILURE() << found;
    for (const auto& step : story.history)
      std::printf("%lld %s %s (%s)%s\n", static_cast<long long>(step.at), step.kind.c_str(), step.who.c_str(),
                  step.detail.c_str(), step.in_quarantine ? ", its sender in quarantine" : "");
    break;  // one story is enough to look at
  }
}

std::int64_t QueueJudge::came_back() const {
  return std::count_if(stories_.begin(), stories_.end(), [](const auto& one) { return one.second.attempts > 1; });
}

std::int64_t QueueJudge::times(const std::string& kind) const {
  std::int64_t out = 0;
  for (const auto& [id, story] : stories_)
    out += std::count_if(story.history.begin(), story.history.end(),
                         [&](const QueueStory::Step& step) { return step.kind == kind; });
  return out;
}

std::vector<std::string> QueueJudge::longest(std::size_t most) const {
  std::multimap<std::size_t, std::string, std::greater<>> by_length;
  for (const auto& [id, story] : stories_) by_length.emplace(story.history.size(), id);
  std::vector<std::string> out;
  for (const auto& [length, id] : by_length)
    if (out.size() < most) out.push_back(id);
  return out;
}

}  // namespace townpost
