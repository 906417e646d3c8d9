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
struct TableOf<Rig> {
  static constexpr auto name = columns::text("rig");
  static constexpr auto columns = std::tuple{
      ColumnOf{"name", &Rig::name, Trait::key},
      ColumnOf{"prefix", &Rig::prefix},
      ColumnOf{"path", &Rig::path},
      ColumnOf{"target", &Rig::target},
      ColumnOf{"test_command", &Rig::test_command},
      ColumnOf{"created_at", &Rig::created_at},
  };
  static Rig blank() { return {}; }
};

template <>
struct TableOf<Agent> {
  static constexpr auto name = columns::text("agent");
  static constexpr auto columns = std::tuple{
      ColumnOf{"id", &Agent::id, Trait::key},
      ColumnOf{"address", &Agent::address},
      ColumnOf{"session", &Agent::session, Trait::words},
      ColumnOf{"description", &Agent::description},
      ColumnOf{"start_command", &Agent::start_command},
      ColumnOf{"resume_command", &Agent::resume_command},
      ColumnOf{"start_on", &Agent::start_on},
      ColumnOf{"created_at", &Agent::created_at},
      ColumnOf{"removed_at", &Agent::removed_at},
      ColumnOf{"held_since", &Agent::held_since},
      ColumnOf{"shown_hops", &Agent::shown_hops},
      ColumnOf{"shown_at", &Agent::shown_at},
      ColumnOf{"harness", &Agent::harness, Trait::words},
      ColumnOf{"pane_process", &Agent::pane_process, Trait::words},
  };
  static Agent blank() { return {.id = {}, .address = Address::human(), .session = ""}; }
};

template <>
struct TableOf<Message> {
  static constexpr auto name = columns::text("message");
  static constexpr auto columns = std::tuple{
      ColumnOf{"id", &Message::id, Trait::key},
      ColumnOf{"created_at", &Message::created_at},
      ColumnOf{"sender", &Message::sender},
      ColumnOf{"grade", &Message::grade},
      ColumnOf{"priority", &Message::priority},
      ColumnOf{"type", &Message::type},
      ColumnOf{"ack_required", &Message::ack_required},
      ColumnOf{"wisp", &Message::wisp},
      ColumnOf{"hops", &Message::hops},
      ColumnOf{"reply_to", &Message::reply_to},
      ColumnOf{"reply_by", &Message::reply_by},
      ColumnOf{"digest", &Message::digest},
      ColumnOf{"thread", &Message::thread},
      ColumnOf{"sent_from", &Message::from},
      ColumnOf{"sent_to", &Message::to, Trait::listed},
      ColumnOf{"sent_cc", &Message::cc, Trait::listed},
      ColumnOf{"subject", &Message::subject},
      ColumnOf{"body", &Message::body, Trait::body},
      ColumnOf{"quotes", &Message::quotes},
  };
  static Message blank() { return {}; }
};

template <>
struct TableOf<Delivery> {
  static constexpr auto name = columns::text("delivery");
  static constexpr auto columns = std::tuple{
      ColumnOf{"message", &Delivery::message, Trait::key},
      ColumnOf{"mailbox", &Delivery::mailbox, Trait::key},
      ColumnOf{"place", &Delivery::place, Trait::fixed},
      ColumnOf{"is_copy", &Delivery::copy, Trait::fixed},
      ColumnOf{"priority", &Delivery::priority, Trait::fixed},
      ColumnOf{"pinned", &Delivery::pinned},
      ColumnOf{"held_by", &Delivery::held_by},
      ColumnOf{"held_until", &Delivery::held_until},
      ColumnOf{"delivered_at", &Delivery::delivered_at},
      ColumnOf{"read_at", &Delivery::read_at},
      ColumnOf{"acked_at", &Delivery::acked_at},
      ColumnOf{"archived_at", &Delivery::archived_at},
      ColumnOf{"deleted_at", &Delivery::deleted_at},
      ColumnOf{"announced_at", &Delivery::announced_at},
      ColumnOf{"bead", &Delivery::bead},
  };
  static Delivery blank() { return {}; }
};

template <>
struct TableOf<Event> {
  static constexpr auto name = columns::text("event");
  static constexpr auto columns = std::tuple{
      ColumnOf{"seq", &Event::seq, Trait::key}, ColumnOf{"at", &Event::at},
      ColumnOf{"kind", &Event::kind},           ColumnOf{"message", &Event::message},
      ColumnOf{"agent", &Event::agent},         ColumnOf{"detail", &Event::detail, Trait::words},
      ColumnOf{"nudge", &Event::nudge},         ColumnOf{"queue", &Event::queue},
      ColumnOf{"channel", &Event::channel},     ColumnOf{"audience", &Event::audience},
  };
  static Event blank() { return {}; }
};

template <>
struct TableOf<Duty> {
  static constexpr auto name = columns::text("outbox");
  static constexpr auto columns = std::tuple{
      ColumnOf{"id", &Duty::id, Trait::key},
      ColumnOf{"due_at", &Duty::due_at},
      ColumnOf{"kind", &Duty::kind},
      ColumnOf{"message", &Duty::message},
      ColumnOf{"detail", &Duty::detail},
      ColumnOf{"owner", &Duty::owner},
      ColumnOf{"attempts", &Duty::attempts},
      ColumnOf{"ready_at", &Duty::ready_at},
      ColumnOf{"lease_until", &Duty::lease_until},
  };
  static Duty blank() { return {}; }
};

template <>
struct TableOf<Queue> {
  static constexpr auto name = columns::text("queue");
  static constexpr auto columns = std::tuple{
      ColumnOf{"id", &Queue::id, Trait::key},     ColumnOf{"name", &Queue::name, Trait::fixed},
      ColumnOf{"rig", &Queue::rig, Trait::fixed}, ColumnOf{"claimers", &Queue::claimers},
      ColumnOf{"sorting", &Queue::order},         ColumnOf{"max_concurrency", &Queue::max_concurrency},
      ColumnOf{"lease_ms", &Queue::lease},        ColumnOf{"max_attempts", &Queue::max_attempts},
      ColumnOf{"state", &Queue::state},           ColumnOf{"created_at", &Queue::created_at, Trait::fixed},
      ColumnOf{"deleted_at", &Queue::deleted_at}, ColumnOf{"prefix", &Queue::prefix, Trait::fixed},
  };
  static Queue blank() { return {}; }
};

template <>
struct TableOf<QueueItem> {
  static constexpr auto name = columns::text("queue_item");
  static constexpr auto columns = std::tuple{
      ColumnOf{"message", &QueueItem::message, Trait::key},
      ColumnOf{"queue", &QueueItem::queue},
      ColumnOf{"state", &QueueItem::state},
      ColumnOf{"rank", &QueueItem::rank},
      ColumnOf{"attempts", &QueueItem::attempts},
      ColumnOf{"holder", &QueueItem::holder},
      ColumnOf{"claimed_at", &QueueItem::claimed_at},
      ColumnOf{"lease_until", &QueueItem::lease_until},
      ColumnOf{"ended_at", &QueueItem::ended_at},
      ColumnOf{"reason", &QueueItem::reason, Trait::words},
      ColumnOf{"withheld", &QueueItem::withheld},
  };
  static QueueItem blank() { return {}; }
};

template <>
struct TableOf<Channel> {
  static constexpr auto name = columns::text("channel");
  static constexpr auto columns = std::tuple{
      ColumnOf{"id", &Channel::id, Trait::key},
      ColumnOf{"name", &Channel::name, Trait::fixed},
      ColumnOf{"retain_count", &Channel::retain_count},
      ColumnOf{"retain_ms", &Channel::retain_for},
      ColumnOf{"closed", &Channel::closed},
      ColumnOf{"creator", &Channel::creator, Trait::fixed},
      ColumnOf{"created_at", &Channel::created_at, Trait::fixed},
      ColumnOf{"pruned", &Channel::pruned},
      ColumnOf{"prune_at", &Channel::prune_at},
      ColumnOf{"deleted_at", &Channel::deleted_at},
  };
  static Channel blank() { return {}; }
};

template <>
struct TableOf<PrunedPost> {
  static constexpr auto name = columns::text("pruned_post");
  static constexpr auto columns = std::tuple{
      ColumnOf{"message", &PrunedPost::message, Trait::key},
      ColumnOf{"channel", &PrunedPost::channel},
      ColumnOf{"created_at", &PrunedPost::created_at},
      ColumnOf{"pruned_at", &PrunedPost::pruned_at},
      ColumnOf{"sent_from", &PrunedPost::from},
      ColumnOf{"subject", &PrunedPost::subject},
      ColumnOf{"reason", &PrunedPost::reason, Trait::words},
      ColumnOf{"sender", &PrunedPost::sender},
  };
  static PrunedPost blank() { return {}; }
};

template <>
struct TableOf<Subscription> {
  static constexpr auto name = columns::text("subscription");
  static constexpr auto columns = std::tuple{
      ColumnOf{"channel", &Subscription::channel, Trait::key},
      ColumnOf{"member", &Subscription::member, Trait::key},
      ColumnOf{"agent", &Subscription::agent},
      ColumnOf{"wake", &Subscription::wake},
      ColumnOf{"since", &Subscription::since},
  };
  static Subscription blank() { return {}; }
};

template <>
struct TableOf<Nudge> {
  static constexpr auto name = columns::text("nudge");
  static constexpr auto columns = std::tuple{
      ColumnOf{"id", &Nudge::id, Trait::key},
      ColumnOf{"target", &Nudge::target},
      ColumnOf{"sender", &Nudge::sender},
      ColumnOf{"state", &Nudge::state},
      ColumnOf{"urgent", &Nudge::urgent},
      ColumnOf{"place", &Nudge::place},
      ColumnOf{"mode", &Nudge::mode},
      ColumnOf{"source", &Nudge::source},
      ColumnOf{"kind", &Nudge::kind, Trait::fixed},
      ColumnOf{"grade", &Nudge::grade},
      ColumnOf{"ephemeral", &Nudge::ephemeral, Trait::fixed},
      ColumnOf{"forced", &Nudge::forced, Trait::fixed},
      ColumnOf{"hops", &Nudge::hops},
      ColumnOf{"attempts", &Nudge::attempts},
      ColumnOf{"created_at", &Nudge::created_at, Trait::fixed},
      ColumnOf{"deliver_after", &Nudge::deliver_after},
      ColumnOf{"expires_awake", &Nudge::expires_at},
      ColumnOf{"escalate_awake", &Nudge::escalate_at},
      ColumnOf{"lease_awake", &Nudge::lease_until},
      ColumnOf{"retry_awake", &Nudge::retry_at},
      ColumnOf{"handed_at", &Nudge::handed_at},
      ColumnOf{"delivered_at", &Nudge::delivered_at},
      ColumnOf{"ended_at", &Nudge::ended_at},
      ColumnOf{"sent_from", &Nudge::from},
      ColumnOf{"held_by", &Nudge::held_by},
      ColumnOf{"leased_for", &Nudge::leased_for, Trait::words},
      ColumnOf{"leased_by", &Nudge::leased_by, Trait::words},
      ColumnOf{"coalesce_key", &Nudge::coalesce_key, Trait::fixed},
      ColumnOf{"thread", &Nudge::thread, Trait::fixed},
      ColumnOf{"refs", &Nudge::refs},
      ColumnOf{"bead", &Nudge::bead, Trait::fixed},
      ColumnOf{"evidence", &Nudge::evidence, Trait::words},
      ColumnOf{"last_error", &Nudge::last_error, Trait::words},
      ColumnOf{"body", &Nudge::text, Trait::fixed},
  };
  static Nudge blank() { return {}; }
};

template <>
struct TableOf<Presence> {
  static constexpr auto name = columns::text("presence");
  static constexpr auto columns = std::tuple{
      ColumnOf{"agent", &Presence::agent, Trait::key},
      ColumnOf{"state", &Presence::state},
      ColumnOf{"pid", &Presence::pid},
      ColumnOf{"started_at", &Presence::started_at},
      ColumnOf{"since", &Presence::since},
      ColumnOf{"last_activity", &Presence::last_activity},
      ColumnOf{"tool_running", &Presence::tool_running},
      ColumnOf{"supervised", &Presence::supervised},
      ColumnOf{"continuations", &Presence::continuations},
      ColumnOf{"active_awake", &Presence::active_at},
      ColumnOf{"incarnation", &Presence::incarnation, Trait::words},
      ColumnOf{"harness", &Presence::harness, Trait::words},
      ColumnOf{"session", &Presence::session, Trait::words},
      ColumnOf{"host", &Presence::host, Trait::words},
      ColumnOf{"transcript", &Presence::transcript, Trait::words},
      ColumnOf{"detail", &Presence::detail, Trait::words},
  };
  static Presence blank() { return {}; }
};

template <>
struct TableOf<Care> {
  static constexpr auto name = columns::text("care");
  static constexpr auto columns = std::tuple{
      ColumnOf{"agent", &Care::agent, Trait::key},
      ColumnOf{"dnd_until", &Care::dnd_until},
      ColumnOf{"held_since", &Care::held_since},
      ColumnOf{"hold_until", &Care::hold_until},
      ColumnOf{"quarantined_at", &Care::quarantined_at},
      ColumnOf{"blocked_told_at", &Care::blocked_told_at},
      ColumnOf{"warned", &Care::warned},
      ColumnOf{"warned_awake", &Care::warned_at},
      ColumnOf{"hook", &Care::holds},
  };
  static Care blank() { return {}; }
};

template <>
struct TableOf<Token> {
  static constexpr auto name = columns::text("token");
  static constexpr auto columns = std::tuple{
      ColumnOf{"id", &Token::id, Trait::key},
      ColumnOf{"kind", &Token::kind, Trait::fixed},
      ColumnOf{"role", &Token::role, Trait::fixed},
      ColumnOf{"agent", &Token::agent},
      ColumnOf{"rig", &Token::rig, Trait::fixed},
      ColumnOf{"note", &Token::note, Trait::fixed},
      ColumnOf{"hash", &Token::hash, Trait::fixed},
      ColumnOf{"created_by", &Token::created_by, Trait::fixed},
      ColumnOf{"created_at", &Token::created_at, Trait::fixed},
      ColumnOf{"expires_at", &Token::expires_at, Trait::fixed},
      ColumnOf{"last_used_at", &Token::last_used_at},
      ColumnOf{"revoked_at", &Token::revoked_at},
  };
  static Token blank() { return {}; }
};

}  // namespace townpost
