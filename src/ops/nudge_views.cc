#include "ops/nudge_views.h"

#include "ops/shapes.h"
#include "ops/view_keys.h"
#include "ops/views.h"
#include "post/people/resolve.h"
#include "post/town/presences.h"
#include "post/values/session_uri.h"

namespace townpost {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that the lists below are written in

namespace {

struct SeenNudge {
  const Nudge& nudge;
  const views::NudgeNames& names;
  const Settings& settings;
};

/// By the clock, as far as that can be told: sleep and holds move it. One that expired did so then.
Value expiry_of(const SeenNudge& s) {
  if (!s.nudge.expires_at) return {};
  if (s.nudge.state == NudgeState::expired && s.nudge.ended_at) return instant_of(s.nudge.ended_at);
  return rfc3339(s.names.now + (*s.nudge.expires_at - s.names.awake));
}

Value target_of(const SeenNudge& s) {
  const auto target = s.names.addresses.find(s.nudge.target);
  return target == s.names.addresses.end() ? "" : views::shown(target->second, s.settings);
}

const Keys<SeenNudge>& nudge_keys() {
  static const Keys<SeenNudge> keys({
      {always("id", text()), [](const SeenNudge& s) -> Value { return s.nudge.id.str(); }},
      {always("nudge_id", text()), [](const SeenNudge& s) -> Value { return s.nudge.id.str(); }},
      {always("target", text()), target_of},
      {always("message", text()), [](const SeenNudge& s) -> Value { return s.nudge.text; }},
      {always("kind", choice({"text", "mail", "health_check", "timer", "dog_done"})),
       [](const SeenNudge& s) -> Value { return name(s.nudge.kind); }},
      {always("mode", choice({"wait-idle", "immediate", "soon", "queue"})),
       [](const SeenNudge& s) -> Value { return name(s.nudge.mode); }},
      {always("priority", choice({"normal", "urgent"})),
       [](const SeenNudge& s) -> Value { return s.nudge.urgent ? "urgent" : "normal"; }},
      {always("source", choice({"witness", "refinery", "deacon", "user", "system", "agent"})),
       [](const SeenNudge& s) -> Value { return name(s.nudge.source); }},
      {always("sender", text()), [](const SeenNudge& s) -> Value { return views::shown(s.nudge.from, s.settings); }},
      {always("sender_grade", choice({"token", "pane", "env", "flag", "script"})),
       [](const SeenNudge& s) -> Value { return name(s.nudge.grade); }},
      {always("created_at", instant()), [](const SeenNudge& s) -> Value { return rfc3339(s.nudge.created_at); }},
      {maybe("expires_at", instant()), expiry_of},
      {maybe("deliver_after", instant()),
       [](const SeenNudge& s) {
         return when(s.nudge.deliver_after > s.nudge.created_at, rfc3339(s.nudge.deliver_after));
       }},
      {maybe("coalesce_key", text()), [](const SeenNudge& s) { return unless_empty(s.nudge.coalesce_key); }},
      {maybe("thread_id", text()), [](const SeenNudge& s) { return unless_empty(s.nudge.thread); }},
      {always("refs", list_of(text())),
       [](const SeenNudge& s) -> Value { return Json(JsonArray(s.nudge.refs.begin(), s.nudge.refs.end())); }},
      {maybe("bead", text()), [](const SeenNudge& s) { return unless_empty(s.nudge.bead); }},
      {maybe("ephemeral", flag()), [](const SeenNudge& s) { return when(s.nudge.ephemeral, true); }},
      {always("state", choice(nudge_state_names())), [](const SeenNudge& s) -> Value { return name(s.nudge.state); }},
      {always("attempts", integer()), [](const SeenNudge& s) -> Value { return s.nudge.attempts; }},
      {maybe("held_by", text()), [](const SeenNudge& s) { return unless_empty(s.nudge.held_by); }},
      {maybe("handed_at", instant()), [](const SeenNudge& s) { return instant_of(s.nudge.handed_at); }},
      {maybe("delivered_at", instant()), [](const SeenNudge& s) { return instant_of(s.nudge.delivered_at); }},
      {maybe("expired_at", instant()),
       [](const SeenNudge& s) {
         return s.nudge.state == NudgeState::expired ? instant_of(s.nudge.ended_at) : Value();
       }},
      {maybe("ended_at", instant()), [](const SeenNudge& s) { return instant_of(s.nudge.ended_at); }},
      {maybe("evidence", text(), "what shows that it arrived"),
       [](const SeenNudge& s) { return unless_empty(s.nudge.evidence); }},
      {maybe("last_error", text()), [](const SeenNudge& s) { return unless_empty(s.nudge.last_error); }},
  });
  return keys;
}

struct SeenCare {
  const Care& care;
  const std::string& address;
  Instant now;
};

const Keys<SeenCare>& care_keys() {
  static const Keys<SeenCare> keys({
      {always("address", text()), [](const SeenCare& s) -> Value { return s.address; }},
      {always("dnd", flag(), "do-not-disturb is on"), [](const SeenCare& s) -> Value { return s.care.dnd(s.now); }},
      {maybe("dnd_until", instant()),
       [](const SeenCare& s) {
         return s.care.dnd(s.now) && *s.care.dnd_until < kForever ? instant_of(s.care.dnd_until) : Value();
       }},
      {maybe("held_until", text(), "an instant, or \"released\""),
       [](const SeenCare& s) -> Value {
         if (!s.care.held(s.now)) return {};
         return *s.care.hold_until < kForever ? rfc3339(*s.care.hold_until) : "released";
       }},
      {maybe("quarantined_at", instant()), [](const SeenCare& s) { return instant_of(s.care.quarantined_at); }},
      {maybe("hook", text(), "the bead it works on"),
       [](const SeenCare& s) { return unless_empty(s.care.holds.bead()); }},
  });
  return keys;
}

struct SeenSession {
  const Presence& presence;
  views::Receives receives;
};

const Keys<SeenSession>& session_keys() {
  static const Keys<SeenSession> keys({
      {always("state", shapes::agent_state()), [](const SeenSession& s) -> Value { return name(s.presence.state); }},
      {always("receives", flag(), "what waits is for this one"),
       [](const SeenSession& s) -> Value { return s.receives == views::Receives::yes; }},
      {maybe("detail", text()), [](const SeenSession& s) { return unless_empty(s.presence.detail); }},
      {maybe("session", text(), "where it is reached"),
       [](const SeenSession& s) { return unless_empty(shown_session(s.presence.session)); }},
      {maybe("harness", text()), [](const SeenSession& s) { return unless_empty(s.presence.harness.word()); }},
      {maybe("incarnation", text()),
       [](const SeenSession& s) { return unless_empty(shown_session(s.presence.incarnation)); }},
      {maybe("pid", integer()), [](const SeenSession& s) { return when(s.presence.pid > 0, s.presence.pid); }},
      {maybe("host", text()), [](const SeenSession& s) { return unless_empty(s.presence.host); }},
      {maybe("started_at", instant()),
       [](const SeenSession& s) { return when(s.presence.started_at.ms > 0, rfc3339(s.presence.started_at)); }},
      {always("since", instant()), [](const SeenSession& s) -> Value { return rfc3339(s.presence.since); }},
      {always("last_activity", instant()),
       [](const SeenSession& s) -> Value { return rfc3339(s.presence.last_activity); }},
  });
  return keys;
}

}  // namespace

const Shape& shapes::nudge() {
  static const Shape it = nudge_keys().shape("nudge");
  return it;
}

const Shape& shapes::care() {
  static const Shape it = care_keys().shape("care");
  return it;
}

const Shape& shapes::agent_state() {
  static const Shape it = choice({"unknown", "starting", "running", "idle", "waiting", "blocked", "stalled", "draining",
                                  "exited", "dead", "deaf"});
  return it;
}

const Shape& shapes::agent_session() {
  static const Shape it = session_keys().shape("agent_session");
  return it;
}

Result<views::NudgeNames> views::NudgeNames::of(Town& town) {
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

JsonObject views::nudge(const Nudge& nudge, const NudgeNames& names, const Settings& settings) {
  return nudge_keys().json({nudge, names, settings});
}

JsonObject views::care(const Care& care, const std::string& address, Instant now) {
  return care_keys().json({care, address, now});
}

JsonObject views::session(const Presence& session, Receives receives) {
  return session_keys().json({session, receives});
}

JsonArray views::sessions(const std::vector<Presence>& sessions) {
  JsonArray out;
  for (const auto& one : sessions) out.push_back(session(one, out.empty() ? Receives::yes : Receives::no));
  return out;
}

JsonObject views::session(const LiveSession& session) {
  JsonObject out;
  out["address"] = session.name;
  out["role"] = std::string(name(Role::session));
  out["name"] = session.name;
  out["session"] = shown_session(session.uri);
  out["description"] = about(session);
  out["registered"] = false;
  return out;
}

JsonObject views::status(const Cares::AgentStatus& s, const Settings& settings, Instant now) {
  JsonObject out = care(s.care, shown(s.agent.address.str(), settings), now);
  const Presence presence = s.presence.value_or(Presence{});
  out["role"] = std::string(name(s.agent.address.role()));
  out["needs_you"] = presence.state == AgentState::blocked || presence.state == AgentState::stalled ||
                     presence.state == AgentState::deaf || presence.state == AgentState::dead;
  out["state"] = name(presence.state);
  if (!presence.detail.empty()) out["detail"] = presence.detail;
  out["session"] = shown_session(presence.session.empty() ? s.agent.session : presence.session);
  if (presence.harness.is_known()) out["harness"] = presence.harness.word();
  if (!presence.incarnation.empty()) out["incarnation"] = shown_session(presence.incarnation);
  if (presence.pid > 0) out["pid"] = presence.pid;
  if (!presence.host.empty()) out["host"] = presence.host;
  if (!presence.host.empty() && presence.host != this_host()) out["on_host"] = presence.host;
  if (s.agent.held_since) out["sending_held_since"] = rfc3339(*s.agent.held_since);
  if (presence.draft_since.ms != 0) out["draft_since"] = rfc3339(presence.draft_since);
  if (s.presence) {
    out["since"] = rfc3339(presence.since);
    out["last_activity"] = rfc3339(presence.last_activity);
    if (is_idle(presence.state)) out["idle_since"] = rfc3339(presence.since);
  }
  if (!s.others.empty()) {
    auto all = s.others;
    all.insert(all.begin(), presence);
    out["sessions"] = sessions(all);
  }
  out["pending"] = s.pending;
  out["unread"] = s.unread;
  out["held"] = s.held;
  if (s.held_sent > 0) out["held_sent"] = s.held_sent;
  return out;
}

}  // namespace townpost
