#include "base/text.h"
#include "ops/views.h"

namespace townpost::views {

namespace {

void put_claim(JsonObject& out, const QueuedMail& mail, const Settings& settings) {
  out["claimed_by"] = shown(mail.holder, settings);
  if (mail.item.claimed_at) out["claimed_at"] = rfc3339(*mail.item.claimed_at);
  if (mail.item.lease_until.ms > 0) out["lease_until"] = rfc3339(mail.item.lease_until);
}

std::string shortest(Millis span) {
  const auto ms = span.count();
  if (ms % 3'600'000 == 0) return cat(ms / 3'600'000, "h");
  if (ms % 60'000 == 0) return cat(ms / 60'000, "m");
  return ms % 1000 == 0 ? cat(ms / 1000, "s") : cat(ms, "ms");
}

}  // namespace

std::string_view queue_state(const QueueItem& item, const Queue& queue, Instant now) {
  switch (standing(item, queue.max_attempts, now)) {
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

JsonObject queued(const QueuedMail& mail, const Town& town) {
  JsonObject out =
      views::mail({mail.message, std::nullopt}, town.settings, mail.headers_only ? Body::without : Body::with);
  for (const auto* gone : {"read", "pinned"}) out.stable_erase(gone);  // nobody's copy: a queue has one place for it
  const auto state = queue_state(mail.item, mail.queue, town.clock.now());
  out["queue"] = mail.queue.name;
  out["queue_state"] = std::string(state);
  out["attempts"] = mail.item.attempts;
  if (state == "processing" || state == "completed") {
    put_claim(out, mail, town.settings);
    auto& labels = out.at("labels").get_array();
    labels.emplace_back(cat("claimed-by:", shown(mail.holder, town.settings)));
    if (mail.item.claimed_at) labels.emplace_back(cat("claimed-at:", rfc3339(*mail.item.claimed_at)));
  }
  if (!mail.item.reason.empty() && state != "completed") out["reason"] = mail.item.reason;
  return out;
}

JsonObject claim(const QueuedMail& mail, const Settings& settings) {
  JsonObject out;
  out["id"] = mail.message.id.str();
  out["subject"] = mail.message.subject;
  put_claim(out, mail, settings);
  out["attempts"] = mail.item.attempts;
  return out;
}

JsonObject queue(const QueueView& view) {
  const auto& q = view.queue;
  JsonObject out;
  out["id"] = view.bead;
  out["name"] = q.name;
  out["rig"] = q.rig.empty() ? Json(nullptr) : Json(q.rig);
  out["claimers"] = q.claimers;
  out["order"] = std::string(name(q.order));
  out["max_concurrency"] = q.max_concurrency;
  out["lease"] = shortest(q.lease);
  out["max_attempts"] = q.max_attempts;
  out["state"] = std::string(name(q.state));
  out["available"] = view.counts.available;
  out["processing"] = view.counts.processing;
  out["completed"] = view.counts.completed;
  out["failed"] = view.counts.failed;
  out["created_at"] = rfc3339(q.created_at);
  return out;
}

JsonObject group(const Group& group, const Settings& settings) {
  JsonObject out;
  out["id"] = cat("hq-group-", group.name);
  out["name"] = group.name;
  JsonArray members;
  for (const auto& member : group.members) members.emplace_back(shown(member, settings));
  out["members"] = std::move(members);
  out["created_at"] = rfc3339(group.created_at);
  return out;
}

JsonObject group(const GroupView& view, const Settings& settings) {
  JsonObject out = group(view.group, settings);
  JsonArray now;
  for (const auto& agent : view.now.agents) now.emplace_back(shown(agent.address.str(), settings));
  out["expands_to"] = std::move(now);
  return out;
}

JsonObject channel(const ChannelView& view) {
  const auto& c = view.channel;
  JsonObject out;
  out["id"] = cat("hq-channel-", c.name);
  out["name"] = c.name;
  out["state"] = c.closed ? "closed" : "open";
  out["retain_count"] = c.retain_count;
  out["retain_hours"] = c.retain_for.count() / 3'600'000;
  out["posts"] = view.posts;
  out["pruned"] = c.pruned;
  out["subscribers"] = view.subscribers.size();
  out["created_at"] = rfc3339(c.created_at);
  return out;
}

JsonObject removed(const std::string& name) {
  JsonObject out;
  out["removed"] = name;
  return out;
}

}  // namespace townpost::views
