#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "post/people/caller.h"
#include "post/town/town.h"

namespace townpost {

struct ChannelView {
  Channel channel;
  std::int64_t posts = 0;  ///< that are there now
  std::vector<Subscription> subscribers;
};

/// What is new to somebody on one of the channels it follows.
struct ChannelNews {
  Channel channel;
  std::int64_t unread = 0;
  bool wake = false;   ///< it wants to be woken, and no rule holds all of these
  MessageId newest;    ///< the newest post of the channel
  bool fresh = false;  ///< it was not told about all of them
};

/// The same of everything that it follows.
struct AllNews {
  std::vector<ChannelNews> channels;  ///< by name
  std::set<AgentId> left_out;         ///< whose posts are withheld from it, and are no news
};

/// Streams for everybody. Anyone may read and post; whoever made a channel, and people, may change it.
class Channels {
 public:
  explicit Channels(Town& town) : town_(town) {}

  /// What is given; 0 = no limit.
  struct Limits {
    std::optional<std::int64_t> retain_count;
    std::optional<std::int64_t> retain_hours;
  };
  Result<ChannelView> create(std::string_view name, const Limits& limits, const Caller& caller);
  Result<std::vector<ChannelView>> list();
  Result<ChannelView> show(std::string_view name);
  /// Changes what is given; the next post, or the patrol, prunes to it.
  Result<ChannelView> update(std::string_view name, const Limits& limits, const Caller& caller);
  enum class Open { no, yes };
  Result<ChannelView> set_open(std::string_view name, Open open, const Caller& caller);
  enum class Posts { refuse, drop };
  /// How many posts went with it. Refused while there are any, unless they may go.
  Result<std::int64_t> remove(std::string_view name, Posts posts, const Caller& caller);

  enum class Wake { no, yes };
  struct Subscribed : Subscription {
    std::string doubt = {};  ///< a group or pattern that stands for nobody now: what may have been meant
  };
  /// `member` (the caller if left out): an address, a pattern, a wildcard or a group. Twice is no error.
  Result<Subscribed> subscribe(std::string_view name, const std::optional<std::string>& member, Wake wake,
                               const Caller& caller);
  /// Whoever was not subscribed is no error. False then.
  Result<bool> unsubscribe(std::string_view name, const std::optional<std::string>& member, const Caller& caller);

  struct ReadQuery {
    bool unread_only = false;
    std::optional<std::int64_t> below_seq;  ///< only posts before this one
    int limit = 50;
  };
  struct Reading {
    Channel channel;
    std::vector<Message> posts;     ///< oldest first
    std::set<MessageId> known;      ///< those that the reader had read before
    std::int64_t total = 0;         ///< on the channel, or unread
    std::int64_t more = 0;          ///< of them before these, or, unread, behind them
    std::optional<MessageId> upto;  ///< where the reader's cursor belongs once it has seen these
    std::set<AgentId> left_out;     ///< whose words it was not shown
  };
  Result<Reading> read(std::string_view name, const ReadQuery& query, const Caller& caller);
  /// To be called when the posts were handed over.
  Result<> was_read(const Reading& reading, const Caller& caller);

  Result<std::vector<PrunedPost>> pruned(std::string_view name, int most, const Caller& reader);
  /// The patrol: prunes every channel (or one) that is over its limits by more than a tenth. How many posts.
  struct Pruned {
    std::string name;
    std::int64_t posts = 0;
  };
  Result<std::vector<Pruned>> patrol(const std::optional<std::string>& name);

 private:
  Town& town_;
};

/// The channel of that name. Error: not_found.
Result<Channel> existing_channel(Ledger& ledger, std::string_view name);

/// Channels with something new to `reader`.
Result<AllNews> channel_news(Ledger& ledger, const Agent& reader, Instant now);

}  // namespace townpost
