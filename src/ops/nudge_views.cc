#include "ops/nudge_views.h"

#include "ops/views.h"
#include "post/values/session_uri.h"

namespace townpost::views {

namespace {

void put_instant(JsonObject& out, const char* key, const std::optional<Instant>& at) {
  if (at) out[key] = rfc3339(*at);
}

/// By the clock, as far as that can be told: sleep and holds move it. One that expired did so then.
Instant expiry_of(const Nudge& nudge, const NudgeNames& names) {
  if (nudge.state == NudgeState::expired && nudge.ended_at) return *nudge.ended_at;
  return names.now + (*nudge.expires_at - names.awake);
}

}  // namespace

Result<NudgeNames> NudgeNames::of(Town& town) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<NudgeNames> {
    NudgeNames out;
    TRY(agents, ledger.agents());
    for (const auto& agent : agents) out.addresses[agent.id] = agent.address.str();
    TRY(watch, ledger.watch());
    out.now = town.clock.now();
    out.awake = watch.at(out.now);
    return out;
  });
}

JsonObject nudge(const Nudge& n, const NudgeNames& names, const Settings& settings) {
  const auto target = names.addresses.find(n.target);
  JsonObject out;
  out["id"] = n.id.str();
  out["nudge_id"] = n.id.str();
  out["target"] = target == names.addresses.end() ? "" : shown(target->second, settings);
  out["message"] = n.text;
  out["kind"] = n.kind == NudgeKind::mail ? "mail" : "text";
  out["mode"] = name(n.mode);
  out["priority"] = n.urgent ? "urgent" : "normal";
  out["source"] = name(n.source);
  out["sender"] = shown(n.from, settings);
  out["sender_grade"] = name(n.grade);
  out["created_at"] = rfc3339(n.created_at);
  if (n.expires_at) out["expires_at"] = rfc3339(expiry_of(n, names));
  if (n.deliver_after > n.created_at) out["deliver_after"] = rfc3339(n.deliver_after);
  if (!n.coalesce_key.empty()) out["coalesce_key"] = n.coalesce_key;
  if (!n.thread.empty()) out["thread_id"] = n.thread;
  out["refs"] = JsonArray(n.refs.begin(), n.refs.end());
  if (!n.bead.empty()) out["bead"] = n.bead;
  if (n.ephemeral) out["ephemeral"] = true;
  out["state"] = name(n.state);
  out["attempts"] = n.attempts;
  if (!n.held_by.empty()) out["held_by"] = n.held_by;
  put_instant(out, "handed_at", n.handed_at);
  put_instant(out, "delivered_at", n.delivered_at);
  if (n.state == NudgeState::expired) put_instant(out, "expired_at", n.ended_at);
  put_instant(out, "ended_at", n.ended_at);
  if (!n.evidence.empty()) out["evidence"] = n.evidence;
  if (!n.last_error.empty()) out["last_error"] = n.last_error;
  return out;
}

JsonObject care(const Care& c, const std::string& address, Instant now) {
  JsonObject out;
  out["address"] = address;
  out["dnd"] = c.dnd(now);
  if (c.dnd(now) && *c.dnd_until < kForever) out["dnd_until"] = rfc3339(*c.dnd_until);
  if (c.held(now)) out["held_until"] = *c.hold_until < kForever ? rfc3339(*c.hold_until) : "released";
  if (c.quarantined_at) out["quarantined_at"] = rfc3339(*c.quarantined_at);
  if (!c.hook.empty() && c.hook != "-") out["hook"] = c.hook;
  return out;
}

JsonObject status(const Cares::AgentStatus& s, const Settings& settings, Instant now) {
  JsonObject out = care(s.care, shown(s.agent.address.str(), settings), now);
  const Presence presence = s.presence.value_or(Presence{});
  out["state"] = name(presence.state);
  if (!presence.detail.empty()) out["detail"] = presence.detail;
  out["session"] = shown_session(presence.session.empty() ? s.agent.session : presence.session);
  if (!presence.harness.empty()) out["harness"] = presence.harness;
  if (!presence.incarnation.empty()) out["incarnation"] = shown_session(presence.incarnation);
  if (presence.pid > 0) out["pid"] = presence.pid;
  if (!presence.host.empty()) out["host"] = presence.host;
  if (presence.draft_since.ms != 0) out["draft_since"] = rfc3339(presence.draft_since);
  if (s.presence) {
    out["since"] = rfc3339(presence.since);
    out["last_activity"] = rfc3339(presence.last_activity);
    if (is_idle(presence.state)) out["idle_since"] = rfc3339(presence.since);
  }
  out["pending"] = s.pending;
  out["unread"] = s.unread;
  return out;
}

}  // namespace townpost::views
