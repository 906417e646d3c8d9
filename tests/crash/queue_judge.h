#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "store/db/database.h"

namespace townpost {

/// Compares what workers wrote down about a queue with what the store has: the history of every message, its item and
/// the workers' evidence must tell the same story.
class QueueJudge {
 public:
  QueueJudge(Database& database, const std::filesystem::path& evidence);

  /// Fails the test unless each of `messages` messages was completed exactly once, by whoever claimed it last; nobody
  /// was handed a message that another had a lease of; and attempts are counted.
  void expect_each_completed_once_by_its_holder(std::int64_t messages, Millis lease) const;

  std::int64_t came_back() const;  ///< messages that needed more than one attempt
  std::int64_t refused() const { return refused_; }

 private:
  struct Step {
    std::string kind;  ///< claimed, lease-ended, completed
    std::string who;
    std::int64_t at = 0;
  };
  struct Item {
    std::int64_t state = 0;
    std::int64_t attempts = 0;
    std::string holder;
    std::vector<Step> history;
  };
  void read_store(Database& database);
  void read_evidence(const std::filesystem::path& file);
  void expect_sound_history(const std::string& id, const Item& item, Millis lease) const;

  std::map<std::string, Item> items_;
  std::map<std::string, std::map<std::int64_t, std::vector<std::string>>> claimed_;  ///< id → attempt → by whom
  std::map<std::string, std::vector<std::string>> completed_;                        ///< id → by whom
  std::vector<std::string> errors_;
  std::int64_t refused_ = 0;
};

}  // namespace townpost
