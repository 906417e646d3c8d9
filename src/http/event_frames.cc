#include "http/event_frames.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "http/json_names.h"
#include "net/event_stream_text.h"
#include "ops/feed_views.h"
#include "ops/views.h"

namespace townpost::http {

namespace {

constexpr std::string_view name_of_topic(FeedTopic topic) {
  switch (topic) {
    case FeedTopic::mail:
      return "mail_changed";
    case FeedTopic::nudge:
      return "nudge_state";
    case FeedTopic::state:
      return "agent_status";
    case FeedTopic::rule:
      return "rule";
    case FeedTopic::queue:
      return "queue_changed";
    case FeedTopic::channel:
      return "channel_changed";
    case FeedTopic::town:
      break;
  }
  return "town";
}

std::string frame(std::string_view event, std::int64_t seq, const JsonObject& data) {
  return event_stream_text({.type = std::string(event), .data = to_line(data), .id = std::to_string(seq)}).value();
}

}  // namespace

std::span<const std::string_view> event_names() {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"mail_received", "mail_read", "mail_acked", "mail_changed", "nudge_state", "agent_status", "queue_changed",
       "channel_post", "channel_changed", "rule", "town"});
  return kNames;
}

std::string_view event_name(const FeedEntry& entry) {
  if (entry.kind == EventKind::stored) return entry.channel.empty() ? "mail_received" : "channel_post";
  if (entry.topic == FeedTopic::mail && entry.kind == EventKind::read) return "mail_read";
  if (entry.topic == FeedTopic::mail && entry.kind == EventKind::acked) return "mail_acked";
  return name_of_topic(entry.topic);
}

bool EventFilter::takes(const FeedEntry& entry) const {
  if (!kinds.empty() && !kinds.contains(std::string(event_name(entry)))) return false;
  if (!thread.empty() && entry.thread != thread) return false;
  return agents.empty() || agents.contains(entry.agent) || agents.contains(entry.from) ||
         std::any_of(entry.to.begin(), entry.to.end(), [&](const std::string& one) { return agents.contains(one); });
}

std::string event_frame(const FeedEntry& entry, const Settings& settings) {
  JsonObject data = view(shapes::feed_entry(), views::feed_entry(entry, settings)).get_object();
  if (entry.message) data["id"] = entry.message->str();
  if (entry.kind == EventKind::stored) {
    data["subject"] = entry.words;
    data["preview"] = entry.preview;
  }
  if (!entry.thread.empty()) data["threadId"] = entry.thread;
  return frame(event_name(entry), entry.seq, data);
}

std::string connected_frame(std::int64_t seq, Instant now) {
  JsonObject data;
  data["seq"] = seq;
  data["serverTime"] = rfc3339(now);
  return frame("connected", seq, data);
}

std::string resync_frame(std::int64_t seq) {
  JsonObject data;
  data["seq"] = seq;
  return frame("resync", seq, data);
}

}  // namespace townpost::http
