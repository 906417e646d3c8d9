#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "post/people/caller.h"
#include "post/town/town.h"
#include "post/values/event.h"
#include "post/values/presence.h"

namespace townpost {

/// What an entry of the log is about, for whoever wants a part of it.
enum class FeedTopic { mail, nudge, state, rule, queue, channel, town };
constexpr FeedTopic last_value(FeedTopic) { return FeedTopic::town; }
std::string_view name(FeedTopic topic);
std::vector<std::string_view> feed_topic_names();
std::optional<FeedTopic> find_feed_topic(std::string_view word);

/// One entry of the town's log with the names in it, and with no more words than its reader may see.
struct FeedEntry {
  std::int64_t seq = 0;
  Instant at;
  EventKind kind = EventKind::other;
  FeedTopic topic = FeedTopic::town;
  std::string agent;            ///< whom it is about: whose copy, whose state, whom a rule holds
  std::string from;             ///< who wrote what it is about…
  std::vector<std::string> to;  ///< …and to whom
  std::optional<MessageId> message;
  std::optional<NudgeId> nudge;
  std::string queue;
  std::string channel;
  std::string thread;   ///< of the message
  std::string words;    ///< the subject, or what the nudge says
  std::string preview;  ///< how a message that was sent begins, if that is asked for
  std::string detail;   ///< evidence, reason, or what a blocked agent asks
  std::optional<AgentState> state;
  std::optional<Priority> priority;  ///< of a message that was sent
  bool ack_required = false;
  std::optional<Instant> reply_by;
};

struct FeedQuery {
  std::optional<Instant> since;
  std::optional<std::string> agent;  ///< what it does, and what is done to or for it
  std::set<FeedTopic> topics;        ///< none: all
  enum class Steps { main, all };
  Steps steps = Steps::main;  ///< all: every step of a delivery
  std::size_t preview = 0;    ///< so many characters of the body of a message that was sent
  int limit = 50;             ///< the newest so many
};

struct FeedPage {
  std::vector<FeedEntry> entries;  ///< oldest first
  std::int64_t upto = 0;           ///< what comes later is behind this number
  bool gap = false;                ///< not everything behind the number that was asked for is kept any more
};

/// What happens in the town, read from its log: who may follow what the log itself says, and words are opened by the
/// same rules as everywhere.
class Feed {
 public:
  explicit Feed(Town& town) : town_(town) {}
  /// The newest entries. Error: not_found, for an agent that nobody knows.
  Result<FeedPage> latest(const FeedQuery& query, const Caller& reader);
  /// Everything behind a number, in portions; `query.since` and `query.limit` do not count.
  Result<FeedPage> after(std::int64_t number, const FeedQuery& query, const Caller& reader);
  /// The number of the newest entry.
  Result<std::int64_t> newest();
  /// Whom what stands behind a number may be news to, without a word of what it is.
  struct Stir {
    std::int64_t upto = 0;
    std::set<AgentId> agents;
    bool everybody = false;
    std::vector<std::string> revoked;  ///< tokens that no longer let anyone in
    bool gap = false;                  ///< not everything since is kept: what else was revoked is not known
  };
  Result<Stir> stir_after(std::int64_t number);

 private:
  Town& town_;
};

}  // namespace townpost
