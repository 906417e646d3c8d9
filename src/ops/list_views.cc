#include "base/text.h"
#include "ops/keys.h"
#include "ops/shapes.h"
#include "ops/views.h"
#include "post/people/list_names.h"

namespace townpost {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that the lists below are written in

namespace {

void put_claim(JsonObject& out, const QueuedMail& mail, const Settings& settings) {
  out["claimed_by"] = views::shown(mail.holder, settings);
  if (mail.item.claimed_at) out["claimed_at"] = rfc3339(*mail.item.claimed_at);
  if (mail.item.lease_until.ms > 0) out["lease_until"] = rfc3339(mail.item.lease_until);
}

std::string shortest(Millis span) {
  const auto ms = span.count();
  if (ms % 3'600'000 == 0) return cat(ms / 3'600'000, "h");
  if (ms % 60'000 == 0) return cat(ms / 60'000, "m");
  return ms % 1000 == 0 ? cat(ms / 1000, "s") : cat(ms, "ms");
}

const Keys<QueueView>& queue_keys() {
  static const Keys<QueueView> keys({
      {always("id", text()), [](const QueueView& v) -> Value { return queue_bead(v.queue); }},
      {always("name", text()), [](const QueueView& v) -> Value { return v.queue.name; }},
      {always("rig", or_null(text())),
       [](const QueueView& v) -> Value { return v.queue.rig.empty() ? Json(nullptr) : Json(v.queue.rig); }},
      {always("claimers", text()), [](const QueueView& v) -> Value { return v.queue.claimers; }},
      {always("processing_order", choice({"fifo", "priority"})),
       [](const QueueView& v) -> Value { return name(v.queue.order); }},
      {always("max_concurrency", integer(), "0 is any number"),
       [](const QueueView& v) -> Value { return v.queue.max_concurrency; }},
      {always("lease", text()), [](const QueueView& v) -> Value { return shortest(v.queue.lease); }},
      {always("max_attempts", integer()), [](const QueueView& v) -> Value { return v.queue.max_attempts; }},
      {always("status", choice({"active", "paused", "closed"})),
       [](const QueueView& v) -> Value { return name(v.queue.state); }},
      {always("available", integer()), [](const QueueView& v) -> Value { return v.counts.available; }},
      {maybe("withheld", integer(), "of those: handed to nobody, for their senders are in quarantine"),
       [](const QueueView& v) -> Value { return when(v.withheld > 0, v.withheld); }},
      {always("processing", integer()), [](const QueueView& v) -> Value { return v.counts.processing; }},
      {always("completed", integer()), [](const QueueView& v) -> Value { return v.counts.completed; }},
      {always("failed", integer()), [](const QueueView& v) -> Value { return v.counts.failed; }},
      {always("created_at", instant()), [](const QueueView& v) -> Value { return rfc3339(v.queue.created_at); }},
      {maybe("claims", list_of(shapes::claim())), added_elsewhere<QueueView>},
  });
  return keys;
}

struct SeenGroup {
  const Group& group;
  const Expansion* now;  ///< who that is, where somebody asked for it
  const Settings& settings;
};

const Keys<SeenGroup>& group_keys() {
  static const Keys<SeenGroup> keys({
      {always("id", text()), [](const SeenGroup& s) -> Value { return list_bead(ListKind::group, s.group.name); }},
      {always("name", text()), [](const SeenGroup& s) -> Value { return s.group.name; }},
      {always("members", list_of(text()), "as they were written"),
       [](const SeenGroup& s) -> Value { return Json(views::shown_list(s.group.members, s.settings)); }},
      {always("created_at", instant()), [](const SeenGroup& s) -> Value { return rfc3339(s.group.created_at); }},
      {maybe("expands_to", list_of(text()), "who that is now"),
       [](const SeenGroup& s) -> Value {
         if (!s.now) return {};
         JsonArray out;
         for (const auto& agent : s.now->agents) out.emplace_back(views::shown(agent.address.str(), s.settings));
         return Json(std::move(out));
       }},
  });
  return keys;
}

const Keys<ChannelView>& channel_keys() {
  static const Keys<ChannelView> keys({
      {always("id", text()),
       [](const ChannelView& v) -> Value { return list_bead(ListKind::channel, v.channel.name); }},
      {always("name", text()), [](const ChannelView& v) -> Value { return v.channel.name; }},
      {always("status", choice({"active", "closed"})),
       [](const ChannelView& v) -> Value { return v.channel.closed ? "closed" : "active"; }},
      {always("retention_count", integer(), "0 keeps all"),
       [](const ChannelView& v) -> Value { return v.channel.retain_count; }},
      {always("retention_hours", integer(), "0 is any age"),
       [](const ChannelView& v) -> Value { return v.channel.retain_for.count() / 3'600'000; }},
      {always("posts", integer()), [](const ChannelView& v) -> Value { return v.posts; }},
      {always("pruned", integer()), [](const ChannelView& v) -> Value { return v.channel.pruned; }},
      {always("subscribers", integer()), [](const ChannelView& v) -> Value { return v.subscribers.size(); }},
      {always("created_at", instant()), [](const ChannelView& v) -> Value { return rfc3339(v.channel.created_at); }},
  });
  return keys;
}

}  // namespace

std::string_view views::queue_state(ItemState state) {
  switch (state) {
    case ItemState::available:
      return "available";
    case ItemState::leased:
      return "processing";
    case ItemState::completed:
      return "completed";
    case ItemState::dead:
      return "dead";
  }
  return "";
}

JsonObject views::queued(const QueuedMail& mail, const Settings& settings) {
  return views::mail({.message = mail.message,
                      .delivery = mail.copy,
                      .work = work_of(mail),
                      .copy_of = mail.copy ? "" : "queue:" + mail.queue.name},
                     settings, mail.headers_only ? Body::without : Body::with);
}

JsonObject views::claim(const QueuedMail& mail, const Settings& settings) {
  JsonObject out;
  out["id"] = mail.message.id.str();
  out["subject"] = mail.message.subject;
  put_claim(out, mail, settings);
  out["attempts"] = mail.item.attempts;
  return out;
}

JsonObject views::queue(const QueueView& view) { return queue_keys().json(view); }

JsonObject views::group(const Group& group, const Settings& settings) {
  return group_keys().json({group, nullptr, settings});
}
JsonObject views::group(const GroupView& view, const Settings& settings) {
  return group_keys().json({view.group, &view.now, settings});
}

JsonObject views::channel(const ChannelView& view) { return channel_keys().json(view); }

JsonObject views::removed(const std::string& name) {
  JsonObject out;
  out["removed"] = name;
  return out;
}

const Shape& shapes::claim() {
  static const Shape it =
      object("claim", {always("id", text()), always("subject", text()), always("claimed_by", text()),
                       maybe("claimed_at", instant()), maybe("lease_until", instant()), always("attempts", integer())});
  return it;
}

const Shape& shapes::queue() {
  static const Shape it = queue_keys().shape("queue");
  return it;
}

const Shape& shapes::group() {
  static const Shape it = group_keys().shape("group");
  return it;
}

const Shape& shapes::channel() {
  static const Shape it = channel_keys().shape("channel");
  return it;
}

}  // namespace townpost
