#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "post/values/message.h"

namespace townpost {

struct ChannelId {
  std::int64_t key = 0;
  friend auto operator<=>(const ChannelId&, const ChannelId&) = default;  // NOLINT(modernize-use-nullptr)
};

/// A stream for everybody: a post is stored once, each reader has a cursor.
struct Channel {
  ChannelId id;
  std::string name;
  int retain_count = 0;  ///< only the newest so many posts stay; 0 = all
  Millis retain_for{0};  ///< only posts younger than this stay; 0 = any age
  bool closed = false;
  AgentId creator;
  Instant created_at;
  std::int64_t pruned = 0;          ///< posts that retention has removed
  std::optional<Instant> prune_at;  ///< when a prune by age is due, if one is noted
  std::optional<Instant> deleted_at;
  friend bool operator==(const Channel&, const Channel&) = default;
};

/// Who follows a channel: one mailbox, or everybody whom a pattern, wildcard or group covers at the time.
struct Subscription {
  ChannelId channel;
  std::string member;            ///< canonical spelling
  std::optional<AgentId> agent;  ///< if it is one mailbox
  bool wake = false;             ///< a post wakes it like mail does
  MessageId since;               ///< the newest post when it subscribed: what came before is not news
  friend bool operator==(const Subscription&, const Subscription&) = default;
};

/// What is left of a post that retention removed.
struct PrunedPost {
  MessageId message;
  ChannelId channel;
  Instant created_at;
  Instant pruned_at;
  std::string from;
  std::string subject;
  std::string reason;  ///< "beyond the newest 10", "older than 24h"
  AgentId sender;      ///< `from`, whatever it is called by now
  friend bool operator==(const PrunedPost&, const PrunedPost&) = default;
};

/// A post's place on its channel.
struct Post {
  ChannelId channel;
  MessageId message;
  AgentId sender;
  std::optional<Instant> recalled_at;  ///< from then on it is there only for those who had read it
  std::string held_by;                 ///< the rule by which it wakes nobody; empty: none
  friend bool operator==(const Post&, const Post&) = default;
};

/// How far a reader has come.
struct Cursor {
  MessageId read;       ///< the last post it was shown
  MessageId announced;  ///< the last post it was told about in a prompt
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

/// How far a reader has come with the posts of one author, where its cursor is ahead of that: they were withheld.
struct AuthorCursor {
  AgentId author;
  Cursor at;
  friend bool operator==(const AuthorCursor&, const AuthorCursor&) = default;
};

}  // namespace townpost
