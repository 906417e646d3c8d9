#pragma once
#include "post/values/agent.h"
#include "post/values/channel.h"
#include "post/values/duty.h"
#include "post/values/event.h"
#include "post/values/message.h"
#include "post/values/nudge.h"
#include "post/values/presence.h"
#include "post/values/queue.h"
#include "post/values/token.h"
#include "store/columns.h"

namespace townpost {

// Every value that is kept, with the columns of its table in their order. Whoever adds a member adds its line here, and
// a schema step.

template <>
struct columns::Word<EventKind> {
  static EventKind read(std::string_view text) { return event_kind(text); }
};
template <>
struct columns::Word<DutyKind> {
  static DutyKind read(std::string_view text) { return duty_kind(text); }
};

template <>
struct Table<Rig> {
  static constexpr auto name = columns::text("rig");
  static constexpr auto columns = std::tuple{
      Column{"name", &Rig::name, Trait::key},
      Column{"prefix", &Rig::prefix},
      Column{"path", &Rig::path},
      Column{"target", &Rig::target},
      Column{"test_command", &Rig::test_command},
      Column{"created_at", &Rig::created_at},
  };
  static Rig blank() { return {}; }
};

template <>
struct Table<Agent> {
  static constexpr auto name = columns::text("agent");
  static constexpr auto columns = std::tuple{
      Column{"id", &Agent::id, Trait::key},
      Column{"address", &Agent::address},
      Column{"session", &Agent::session, Trait::words},
      Column{"description", &Agent::description},
      Column{"start_command", &Agent::start_command},
      Column{"resume_command", &Agent::resume_command},
      Column{"start_on", &Agent::start_on},
      Column{"created_at", &Agent::created_at},
      Column{"removed_at", &Agent::removed_at},
      Column{"held_since", &Agent::held_since},
      Column{"shown_hops", &Agent::shown_hops},
      Column{"shown_at", &Agent::shown_at},
      Column{"harness", &Agent::harness, Trait::words},
      Column{"pane_process", &Agent::pane_process, Trait::words},
  };
  static Agent blank() { return {.id = {}, .address = Address::human(), .session = ""}; }
};

template <>
struct Table<Message> {
  static constexpr auto name = columns::text("message");
  static constexpr auto columns = std::tuple{
      Column{"id", &Message::id, Trait::key},
      Column{"created_at", &Message::created_at},
      Column{"sender", &Message::sender},
      Column{"grade", &Message::grade},
      Column{"priority", &Message::priority},
      Column{"type", &Message::type},
      Column{"ack_required", &Message::ack_required},
      Column{"wisp", &Message::wisp},
      Column{"hops", &Message::hops},
      Column{"reply_to", &Message::reply_to},
      Column{"reply_by", &Message::reply_by},
      Column{"digest", &Message::digest},
      Column{"thread", &Message::thread},
      Column{"sent_from", &Message::from},
      Column{"sent_to", &Message::to, Trait::listed},
      Column{"sent_cc", &Message::cc, Trait::listed},
      Column{"subject", &Message::subject},
      Column{"body", &Message::body, Trait::body},
      Column{"quotes", &Message::quotes},
  };
  static Message blank() { return {}; }
};

template <>
struct Table<Delivery> {
  static constexpr auto name = columns::text("delivery");
  static constexpr auto columns = std::tuple{
      Column{"message", &Delivery::message, Trait::key},
      Column{"mailbox", &Delivery::mailbox, Trait::key},
      Column{"place", &Delivery::place, Trait::fixed},
      Column{"is_copy", &Delivery::copy, Trait::fixed},
      Column{"priority", &Delivery::priority, Trait::fixed},
      Column{"pinned", &Delivery::pinned},
      Column{"held_by", &Delivery::held_by},
      Column{"held_until", &Delivery::held_until},
      Column{"delivered_at", &Delivery::delivered_at},
      Column{"read_at", &Delivery::read_at},
      Column{"acked_at", &Delivery::acked_at},
      Column{"archived_at", &Delivery::archived_at},
      Column{"deleted_at", &Delivery::deleted_at},
      Column{"announced_at", &Delivery::announced_at},
      Column{"bead", &Delivery::bead},
  };
  static Delivery blank() { return {}; }
};

template <>
struct Table<Event> {
  static constexpr auto name = columns::text("event");
  static constexpr auto columns = std::tuple{
      Column{"seq", &Event::seq, Trait::key}, Column{"at", &Event::at},
      Column{"kind", &Event::kind},           Column{"message", &Event::message},
      Column{"agent", &Event::agent},         Column{"detail", &Event::detail, Trait::words},
      Column{"nudge", &Event::nudge},         Column{"queue", &Event::queue},
      Column{"channel", &Event::channel},     Column{"audience", &Event::audience},
  };
  static Event blank() { return {}; }
};

template <>
struct Table<Duty> {
  static constexpr auto name = columns::text("outbox");
  static constexpr auto columns = std::tuple{
      Column{"id", &Duty::id, Trait::key},
      Column{"due_at", &Duty::due_at},
      Column{"kind", &Duty::kind},
      Column{"message", &Duty::message},
      Column{"detail", &Duty::detail},
      Column{"owner", &Duty::owner},
      Column{"attempts", &Duty::attempts},
      Column{"ready_at", &Duty::ready_at},
      Column{"lease_until", &Duty::lease_until},
  };
  static Duty blank() { return {}; }
};

template <>
struct Table<Queue> {
  static constexpr auto name = columns::text("queue");
  static constexpr auto columns = std::tuple{
      Column{"id", &Queue::id, Trait::key},     Column{"name", &Queue::name, Trait::fixed},
      Column{"rig", &Queue::rig, Trait::fixed}, Column{"claimers", &Queue::claimers},
      Column{"sorting", &Queue::order},         Column{"max_concurrency", &Queue::max_concurrency},
      Column{"lease_ms", &Queue::lease},        Column{"max_attempts", &Queue::max_attempts},
      Column{"state", &Queue::state},           Column{"created_at", &Queue::created_at, Trait::fixed},
      Column{"deleted_at", &Queue::deleted_at}, Column{"prefix", &Queue::prefix, Trait::fixed},
  };
  static Queue blank() { return {}; }
};

template <>
struct Table<QueueItem> {
  static constexpr auto name = columns::text("queue_item");
  static constexpr auto columns = std::tuple{
      Column{"message", &QueueItem::message, Trait::key},
      Column{"queue", &QueueItem::queue},
      Column{"state", &QueueItem::state},
      Column{"rank", &QueueItem::rank},
      Column{"attempts", &QueueItem::attempts},
      Column{"holder", &QueueItem::holder},
      Column{"claimed_at", &QueueItem::claimed_at},
      Column{"lease_until", &QueueItem::lease_until},
      Column{"ended_at", &QueueItem::ended_at},
      Column{"reason", &QueueItem::reason, Trait::words},
      Column{"withheld", &QueueItem::withheld},
  };
  static QueueItem blank() { return {}; }
};

template <>
struct Table<Channel> {
  static constexpr auto name = columns::text("channel");
  static constexpr auto columns = std::tuple{
      Column{"id", &Channel::id, Trait::key},
      Column{"name", &Channel::name, Trait::fixed},
      Column{"retain_count", &Channel::retain_count},
      Column{"retain_ms", &Channel::retain_for},
      Column{"closed", &Channel::closed},
      Column{"creator", &Channel::creator, Trait::fixed},
      Column{"created_at", &Channel::created_at, Trait::fixed},
      Column{"pruned", &Channel::pruned},
      Column{"prune_at", &Channel::prune_at},
      Column{"deleted_at", &Channel::deleted_at},
  };
  static Channel blank() { return {}; }
};

template <>
struct Table<PrunedPost> {
  static constexpr auto name = columns::text("pruned_post");
  static constexpr auto columns = std::tuple{
      Column{"message", &PrunedPost::message, Trait::key},
      Column{"channel", &PrunedPost::channel},
      Column{"created_at", &PrunedPost::created_at},
      Column{"pruned_at", &PrunedPost::pruned_at},
      Column{"sent_from", &PrunedPost::from},
      Column{"subject", &PrunedPost::subject},
      Column{"reason", &PrunedPost::reason, Trait::words},
      Column{"sender", &PrunedPost::sender},
  };
  static PrunedPost blank() { return {}; }
};

template <>
struct Table<Subscription> {
  static constexpr auto name = columns::text("subscription");
  static constexpr auto columns = std::tuple{
      Column{"channel", &Subscription::channel, Trait::key},
      Column{"member", &Subscription::member, Trait::key},
      Column{"agent", &Subscription::agent},
      Column{"wake", &Subscription::wake},
      Column{"since", &Subscription::since},
  };
  static Subscription blank() { return {}; }
};

template <>
struct Table<Nudge> {
  static constexpr auto name = columns::text("nudge");
  static constexpr auto columns = std::tuple{
      Column{"id", &Nudge::id, Trait::key},
      Column{"target", &Nudge::target},
      Column{"sender", &Nudge::sender},
      Column{"state", &Nudge::state},
      Column{"urgent", &Nudge::urgent},
      Column{"place", &Nudge::place},
      Column{"mode", &Nudge::mode},
      Column{"source", &Nudge::source},
      Column{"kind", &Nudge::kind, Trait::fixed},
      Column{"grade", &Nudge::grade},
      Column{"ephemeral", &Nudge::ephemeral, Trait::fixed},
      Column{"forced", &Nudge::forced, Trait::fixed},
      Column{"hops", &Nudge::hops},
      Column{"attempts", &Nudge::attempts},
      Column{"created_at", &Nudge::created_at, Trait::fixed},
      Column{"deliver_after", &Nudge::deliver_after},
      Column{"expires_awake", &Nudge::expires_at},
      Column{"escalate_awake", &Nudge::escalate_at},
      Column{"lease_awake", &Nudge::lease_until},
      Column{"retry_awake", &Nudge::retry_at},
      Column{"handed_at", &Nudge::handed_at},
      Column{"delivered_at", &Nudge::delivered_at},
      Column{"ended_at", &Nudge::ended_at},
      Column{"sent_from", &Nudge::from},
      Column{"held_by", &Nudge::held_by},
      Column{"leased_for", &Nudge::leased_for, Trait::words},
      Column{"leased_by", &Nudge::leased_by, Trait::words},
      Column{"coalesce_key", &Nudge::coalesce_key, Trait::fixed},
      Column{"thread", &Nudge::thread, Trait::fixed},
      Column{"refs", &Nudge::refs},
      Column{"bead", &Nudge::bead, Trait::fixed},
      Column{"evidence", &Nudge::evidence, Trait::words},
      Column{"last_error", &Nudge::last_error, Trait::words},
      Column{"body", &Nudge::text, Trait::fixed},
  };
  static Nudge blank() { return {}; }
};

template <>
struct Table<Presence> {
  static constexpr auto name = columns::text("presence");
  static constexpr auto columns = std::tuple{
      Column{"agent", &Presence::agent, Trait::key},
      Column{"state", &Presence::state},
      Column{"pid", &Presence::pid},
      Column{"started_at", &Presence::started_at},
      Column{"since", &Presence::since},
      Column{"last_activity", &Presence::last_activity},
      Column{"tool_running", &Presence::tool_running},
      Column{"supervised", &Presence::supervised},
      Column{"continuations", &Presence::continuations},
      Column{"active_awake", &Presence::active_at},
      Column{"incarnation", &Presence::incarnation, Trait::words},
      Column{"harness", &Presence::harness, Trait::words},
      Column{"session", &Presence::session, Trait::words},
      Column{"host", &Presence::host, Trait::words},
      Column{"transcript", &Presence::transcript, Trait::words},
      Column{"detail", &Presence::detail, Trait::words},
  };
  static Presence blank() { return {}; }
};

template <>
struct Table<Care> {
  static constexpr auto name = columns::text("care");
  static constexpr auto columns = std::tuple{
      Column{"agent", &Care::agent, Trait::key},
      Column{"dnd_until", &Care::dnd_until},
      Column{"held_since", &Care::held_since},
      Column{"hold_until", &Care::hold_until},
      Column{"quarantined_at", &Care::quarantined_at},
      Column{"blocked_told_at", &Care::blocked_told_at},
      Column{"warned", &Care::warned},
      Column{"warned_awake", &Care::warned_at},
      Column{"hook", &Care::holds},
  };
  static Care blank() { return {}; }
};

template <>
struct Table<Token> {
  static constexpr auto name = columns::text("token");
  static constexpr auto columns = std::tuple{
      Column{"id", &Token::id, Trait::key},
      Column{"kind", &Token::kind, Trait::fixed},
      Column{"role", &Token::role, Trait::fixed},
      Column{"agent", &Token::agent},
      Column{"rig", &Token::rig, Trait::fixed},
      Column{"note", &Token::note, Trait::fixed},
      Column{"hash", &Token::hash, Trait::fixed},
      Column{"created_by", &Token::created_by, Trait::fixed},
      Column{"created_at", &Token::created_at, Trait::fixed},
      Column{"expires_at", &Token::expires_at, Trait::fixed},
      Column{"last_used_at", &Token::last_used_at},
      Column{"revoked_at", &Token::revoked_at},
  };
  static Token blank() { return {}; }
};

}  // namespace townpost
