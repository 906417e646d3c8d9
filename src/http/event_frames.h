#pragma once
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "post/mail/feed.h"

namespace townpost::http {

/// What a stream wants of what its reader may follow; empty is everything.
struct EventFilter {
  std::set<std::string> kinds;   ///< names of events
  std::set<std::string> agents;  ///< addresses: whom it is about, who wrote it, or to whom
  std::string thread;
  bool takes(const FeedEntry& entry) const;
};

/// Every name that event_name() may give.
std::span<const std::string_view> event_names();
/// What clients know an entry of the log as: "mail_received", "nudge_state" …
std::string_view event_name(const FeedEntry& entry);

/// One frame of a stream of server-sent events, its number included.
std::string event_frame(const FeedEntry& entry, const Settings& settings);
std::string connected_frame(std::int64_t seq, Instant now);
/// Not everything behind the client's last number is kept any more: it looks at the town itself, and goes on from here.
std::string resync_frame(std::int64_t seq);

}  // namespace townpost::http
