#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "crash/queue_story.h"
#include "store/db/database.h"

namespace townpost {

/// Compares what workers wrote down about a queue with what the store has: the history of every message, its item and
/// the workers' evidence must tell the same story.
class QueueJudge {
 public:
  QueueJudge(Database& database, const std::filesystem::path& evidence);

  /// Fails the test unless there are so many messages, and the story of each is sound (crash/queue_story.h).
  void expect_sound_stories(std::int64_t messages, const QueueRules& rules) const;

  std::int64_t came_back() const;  ///< messages that needed more than one attempt
  /// How often something was done to a message, as the log spells it.
  std::int64_t times(const std::string& kind) const;
  /// Ids of those to which most was done, so many.
  std::vector<std::string> longest(std::size_t most) const;
  std::int64_t refused() const { return refused_; }

 private:
  void read_store(Database& database);
  void read_evidence(const std::filesystem::path& file);

  std::map<std::string, QueueStory> stories_;
  std::vector<std::string> errors_;
  std::int64_t refused_ = 0;
};

}  // namespace townpost
