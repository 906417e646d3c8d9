#pragma once
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/child.h"
#include "base/environment.h"
#include "post/mail/feed.h"
#include "post/town/notify.h"
#include "post/town/town.h"

namespace townpost {

/// `[notify]` of this town, as town.toml is now.
Notify notify_in(const std::filesystem::path& town);

/// What somebody is told who does not look.
struct Alarm {
  std::string agent;
  std::string why;   ///< blocked, stalled, deaf, dead, held, mail
  std::string text;  ///< one line
};
/// What of an entry of the log a person must be told, if anything.
std::optional<Alarm> alarm_of(const FeedEntry& entry);

/// Tells the person as `[notify]` says: rarely enough, whatever happens. The command is started and not waited for.
class Notifier {
 public:
  /// `tell`: a word for whoever started this.
  Notifier(Town& town, const Environment& environment, std::function<void(std::string_view)> tell)
      : town_(town), environment_(environment), tell_(std::move(tell)) {}
  /// Tells of it, if a person is to be told now. Whether the terminal's bell is to be rung as well.
  bool tell_of(const FeedEntry& entry);

 private:
  /// What was told a short while ago.
  struct Told {
    std::map<std::string, Instant> agents;  ///< when each was last told of
    std::deque<Instant> lately;
  };
  bool is_too_soon(const Alarm& alarm, Millis spacing);
  void run(const Alarm& alarm, const std::vector<std::string>& command);
  bool may_run(const std::vector<std::string>& command);

  Town& town_;
  const Environment& environment_;
  std::function<void(std::string_view)> tell_;
  // Agents write urgent mail as they like: it never takes the place of what the town itself saw of an agent.
  Told mail_;
  Told states_;
  std::vector<Child> running_;
  bool warned_ = false;
};

}  // namespace townpost
